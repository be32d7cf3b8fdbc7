/**
 * Internal: the way of messages and operations to a queue pair. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   Channel ──────────┐
 *   RemoteRegion ─────┼──▶ SendPath ◀── QueuePairPath ──▶ queue pair of the NIC
 *   Connections ──────┘
 *   StagingRing            memory that requests are sent from until they are acknowledged
 * </pre>
 *
 * <p>Whoever posts knows a {@link io.verbena.path.SendPath} alone, so that what merges requests, admits them, or has
 * several share a queue pair is another path and no other channel.
 */
@NullMarked
package io.verbena.path;

import org.jspecify.annotations.NullMarked;
