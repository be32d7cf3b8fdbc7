/**
 * Internal: many channels on few queue pairs, after Avatar. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   Channel ──▶ SharedPath ──▶ EgressQueue ──list──▶ ReadyList ──┐
 *   Channel ──▶ SharedPath ──▶ EgressQueue ──list──▶             ├──▶ SharedQueuePair ──▶ queue pair of the NIC
 *   Channel ──▶ SharedPath ──▶ EgressQueue ──list──▶             │      round of those that have something
 *                                                                │
 *                                       whoever holds the baton ─┘
 *   SharedConnection           the queue pairs between the same two inboxes
 * </pre>
 *
 * <p>Channels that share a queue pair lead to the same inbox, and are answered to the same one. So what a full inbox
 * holds up, and what a closed one ends, are the channels that lead there, and no others.
 */
@NullMarked
package io.verbena.mux;

import org.jspecify.annotations.NullMarked;
