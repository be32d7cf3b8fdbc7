package io.verbena.tier;

import java.util.List;

/**
 * What a {@link PagedMemory} has done and holds. A snapshot; its counts may be of slightly different times.
 *
 * @param hits accesses to pages that were resident, or were never written; an access to n pages counts n times
 * @param faults accesses to pages that had to be loaded, or waited for
 * @param evictions pages whose frame was given to another
 * @param writeBacks pages that were sent to their replicas
 * @param readAhead pages that were loaded before anybody asked for them
 * @param readAheadUsed those of them that were asked for before they were evicted
 * @param resident pages in local frames now
 * @param dirty pages among these that a replica lacks
 * @param lost pages that no living peer has, see {@link PagedMemory#lost}
 * @param single blocks at fewer peers than {@link PagedOptions#replicas} wants, or not yet whole at one; without those
 *     in the file
 * @param remoteBytes bytes of blocks at living peers, each replica counted
 * @param spilledBytes bytes of blocks in the file
 * @param peers state of each peer, in the order of the options
 */
public record PagedStatistics(
        long hits,
        long faults,
        long evictions,
        long writeBacks,
        long readAhead,
        long readAheadUsed,
        long resident,
        long dirty,
        long lost,
        long single,
        long remoteBytes,
        long spilledBytes,
        List<PagedPeer> peers) {}
