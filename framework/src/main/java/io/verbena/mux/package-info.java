/**
 * Internal: many channels on few queue pairs, after Avatar. Not for users, and without promise of compatibility.
 *
 * <pre>
 *   Channel ──▶ SharedPath, its EgressQueue ──list──▶ ReadyList ──┐
 *   Channel ──▶ SharedPath, its EgressQueue ──list──▶             ├──▶ SharedQueuePair ──▶ queue pair of the NIC
 *   Channel ──▶ SharedPath, its EgressQueue ──list──▶             │      round of those that have something
 *                                                                 │
 *                                        whoever holds the baton ─┘
 *   EgressScheduler            whose turn it is
 *   Pieces                     whose the requests are that lie in the queue pair's ring
 *   Round                      turns, by bytes and weights or by messages
 *   FairRound, FairOrder       the least tag in place of turns
 *   LongMessages               those whose next message is long: a segment of one of them a turn
 *   NotReady                   those whose next message is for an inbox that is not ready
 *   SharedConnection           the queue pairs of a tenant's channels to the same peer
 * </pre>
 *
 * <p>Channels that share a queue pair lead to any inboxes of the peer's. What a full inbox holds up, and what a closed
 * one ends, are the channels that lead there, and no others: the NIC takes back what the peer has not taken, and
 * {@code NotReady} keeps those who send there out of the rounds until one of them gets through.
 *
 * <p>A long message is cut on this side of the wire alone: its segments are requests of their own here, and the packets
 * of one append there, between which appends in one packet may come. The peer's NIC gathers it where it gathers any
 * append in parts, in a mapping or a buffer of the inbox's that is charged to the sender: no copy is added, nothing is
 * put together above the NIC, and the inbox's other records do not wait for it, since it takes its place when it is
 * whole. Segments as records of their own would add a copy, and would tie all consumers of an inbox to each other.
 *
 * <p>Of a queue pair one long message is unfinished at a time. With several, the first segment of one could wait for
 * memory that others give back only behind it, in the order of the queue pair: a deadlock, unless the receiver grants
 * each message first, which costs a round trip. So a peer can leave as much unfinished as without segments. Nor is
 * there a bound on segments under way: that is the window of the path, which follows delivery rate times delay, where a
 * fixed number would be too few on a long path and too many on a short one.
 */
@NullMarked
package io.verbena.mux;

import org.jspecify.annotations.NullMarked;
