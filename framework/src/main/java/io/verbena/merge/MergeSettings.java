package io.verbena.merge;

import java.util.function.Supplier;

/**
 * What a queue of operations is made with.
 *
 * @param merges whether adjacent operations become one work request
 * @param chains whether work requests share a doorbell
 * @param buffer bytes for operations that have not ended, a power of two
 * @param windows makes the bound on what may be under way to the node
 */
public record MergeSettings(boolean merges, boolean chains, int buffer, Supplier<Window> windows) {
    /** Operations in one work request, each with its own piece of memory: as many as the NIC takes entries. */
    public static final int MAX_ENTRIES = 32;

    /** Most bytes of a work request of several operations. */
    static final int MAX_BYTES = 128 << 10;

    private static final int MERGED_PER_WINDOW = 4; // while one is acknowledged others are on the way
    private static final int SMALL = 8 << 10; // is merged in any case, as it is over soon

    /** Operations that are planned together. */
    static final int BATCH = 64;

    /** Most bytes of a work request of several operations, within a window: a part of it, unless that is small. */
    static int maxMerged(long window) {
        return (int) Math.min(MAX_BYTES, Math.max(window / MERGED_PER_WINDOW, Math.min(window, SMALL)));
    }
}
