/**
 * The random-verbs walker: weighted random sequences of every verb, legal and illegal, between simulated NICs under
 * random faults, checked against a reference model that shares no code with the NIC.
 *
 * <pre>
 *   seed ──▶ WalkPlan ──▶ Walk ── steps ──▶ SimulatedHost (SimNode, memory, queues)  ◀── Faults
 *                          │                  │ completions, receives, records
 *                          └── heal, settle ──▶ DirectionModel: what must be ─▶ WalkFailure ─▶ Shrinker ─▶ replay
 * </pre>
 *
 * <p>{@code simulate append} walks one append queue in the same way
 * ({@link io.verbena.verification.simulate.AppendWalk}).
 */
@NullMarked
package io.verbena.verification.simulate;

import org.jspecify.annotations.NullMarked;
