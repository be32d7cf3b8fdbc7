/**
 * Figures of the simulated NIC and host themselves: which discipline of a card shows what which paper measured, and
 * what the model says of this machine beside what it does.
 *
 * <pre>
 *   ModelFigures ─┬─ CardFigure ───── PalosWorld (two nodes, a link)
 *                 └─ MachineFigure ─┬─ Predictions (SimCores)
 *                                   └─ BellRoundTrip, LockedRing, DoorbellBatches (threads, on this machine)
 * </pre>
 */
@NullMarked
package io.verbena.papers.model;

import org.jspecify.annotations.NullMarked;
