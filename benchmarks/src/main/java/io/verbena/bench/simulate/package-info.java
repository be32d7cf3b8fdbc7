/**
 * The random-verbs walker: weighted random sequences of every verb, legal and illegal, between simulated NICs under random
 * faults, checked against a reference model that shares no code with the NIC.
 *
 * <pre>
 *   seed ──▶ WalkPlan ──▶ Walk ── steps ──▶ Host (SimNode, memory, queues)  ◀── Faults
 *                          │                  │ completions, receives, records
 *                          └── heal, settle ──▶ Channel: what must be ──▶ WalkFailure ──▶ Shrinker ──▶ replay command
 * </pre>
 *
 * <p>{@code simulate append} walks one append queue in the same way ({@link io.verbena.bench.simulate.AppendWalk}), and {@code
 * simulate nodes} the framework ({@link io.verbena.bench.simulate.NodeWalk}): nodes of this process, in real time.
 *
 * <pre>
 *   NodeWalk ── steps ──▶ NodeHost (a node, inboxes, responder, table)      NodeClients (channels)  ── NodeSender
 *                              │ messages        │ calls       │ operations
 *                              ▼                 ▼             ▼
 *                          NodeFlow          NodeCalls      NodeTables      what must be
 * </pre>
 */
@NullMarked
package io.verbena.bench.simulate;

import org.jspecify.annotations.NullMarked;
