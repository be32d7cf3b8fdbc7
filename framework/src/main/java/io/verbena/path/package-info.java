/**
 * Internal: the way of messages and operations to a queue pair. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   Channel ──────────┐
 *   RemoteRegion ─────┼──▶ SendPath ◀── QueuePairPath ──▶ queue pair of the NIC
 *   Connections ──────┘
 *   StagingRing            memory that holds requests until they are acknowledged
 * </pre>
 *
 * <p>Code that posts knows only a {@link io.verbena.path.SendPath}. So shared queue pairs are other paths, and need no
 * other channel.
 */
@NullMarked
package io.verbena.path;

import org.jspecify.annotations.NullMarked;
