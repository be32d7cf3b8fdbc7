package io.verbena.redis.backend;

/**
 * What a store has moved to the memory of donors. A snapshot.
 *
 * @param keys whose strings are there
 * @param bytes of these strings
 * @param capacity bytes that may be moved, with rounding
 * @param movedOut strings that were moved there since the start
 * @param movedIn strings that came back because they were asked for
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
