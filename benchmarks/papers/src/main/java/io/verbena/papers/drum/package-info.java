/**
 * The evaluation of DRUM (rates by distributed utility maximisation): its simulations III-E, made again with the
 * solvers of {@code io.verbena.rate}, and its figure 2 on the NIC of {@code io.verbena.nic.sim}.
 *
 * <pre>
 *   RandomHosts ─▶ OneSided ─┐                 ConvergenceFigure   4, 5: rounds to 99.5 %, residuals, baselines
 *      seeded      TwoSided ─┴─▶ Trajectory ─▶ LossFigure          6: messages that are lost
 *                                              LargeFigure         50,000,000 variables, on this machine
 *   DrumWorld ──▶ RequestLoop ──▶ Samples     Figure2a, 2b, 2c    batches, polls, connections; a NIC
 * </pre>
 *
 * <p>A host is a function of the seed and its number, and sums are taken in the order of hosts, whoever works for
 * which: results do not depend on threads.
 */
@NullMarked
package io.verbena.papers.drum;

import org.jspecify.annotations.NullMarked;
