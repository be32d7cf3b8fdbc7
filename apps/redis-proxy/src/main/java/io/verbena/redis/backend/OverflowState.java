package io.verbena.redis.backend;

/**
 * What a store has moved to the memory of donors. A snapshot.
 *
 * @param keys whose values are there
 * @param bytes of these values, as they lie there
 * @param capacity bytes that may be moved, with rounding
 * @param movedOut values that were moved there since the start
 * @param movedIn values that came back because they were asked for
 * @param waiting commands that wait for a string, or for room
 * @param failures commands that failed because a string was lost, or did not come in time
 * @param peers donors
 * @param peersAlive donors whose memory is used
 * @param lostPages pages that no donor has any more
 */
public record OverflowState(
        long keys,
        long bytes,
        long capacity,
        long movedOut,
        long movedIn,
        long waiting,
        long failures,
        int peers,
        int peersAlive,
        long lostPages) {}
