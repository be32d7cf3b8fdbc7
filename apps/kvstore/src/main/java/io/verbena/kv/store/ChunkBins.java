package io.verbena.kv.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The chunks of an {@link Allocator} that have free pages, in lists by the magnitude of their longest run: one in bin
 * {@code b} has a run of at least 2^b pages. Chunks are linked through themselves.
 *
 * <p>Single-threaded, as the allocator.
 */
final class ChunkBins {
    private static final int NONE = -1;
    private static final int BINS = MemoryChunk.PAGE_NUMBER_BITS + 1;

    private final @Nullable MemoryChunk[] first = new MemoryChunk[BINS];

    /** A chunk with a run of so many free pages; null if none is known to have one. */
    @Nullable
    MemoryChunk withRun(int pages) {
        for (int bin = Integer.SIZE - Integer.numberOfLeadingZeros(pages - 1); bin < BINS; bin++) {
            if (first[bin] != null) {
                return first[bin];
            }
        }
        return null;
    }

    /** Whether one of them has no page in use. */
    boolean hasEmptyChunk() {
        return first[BINS - 1] != null;
    }

    /** Puts a chunk where it belongs after its free pages have changed. */
    void put(MemoryChunk chunk) {
        int run = chunk.longestRun();
        int bin = run == 0 ? NONE : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(run);
        if (bin == chunk.bin) {
            return;
        }
        remove(chunk);
        chunk.bin = bin;
        if (bin != NONE) {
            MemoryChunk next = first[bin];
            chunk.previousChunk = null;
            chunk.nextChunk = next;
            if (next != null) {
                next.previousChunk = chunk;
            }
            first[bin] = chunk;
        }
    }

    /** Takes a chunk out, if it is in. */
    void remove(MemoryChunk chunk) {
        if (chunk.bin == NONE) {
            return;
        }
        MemoryChunk previous = chunk.previousChunk;
        MemoryChunk next = chunk.nextChunk;
        if (previous == null) {
            first[chunk.bin] = next;
        } else {
            previous.nextChunk = next;
        }
        if (next != null) {
            next.previousChunk = previous;
        }
        chunk.previousChunk = null;
        chunk.nextChunk = null;
        chunk.bin = NONE;
    }

    /** Forgets all chunks; those that are used again begin as new ones do. */
    void clear() {
        Arrays.fill(first, null);
    }
}
