/**
 * What a node costs as it grows: messages a second over many queue pairs and many peers against one of each, the memory
 * of an idle queue pair, and what an idle node takes.
 *
 * <pre>
 *   Scale ── BusyQueuePairs    one NIC and its peer, n queue pairs that send in turn
 *         ── BusyPeers         one NIC and n peers that send to it in turn, or of which one does
 *         ── QueuePairMemory   heap and direct memory of queue pairs that do nothing
 *         ── trial.IdleProcess processor time and memory of a process with a node that does nothing
 * </pre>
 */
@NullMarked
package io.verbena.bench.scale;

import org.jspecify.annotations.NullMarked;
