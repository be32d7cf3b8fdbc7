package io.verbena.kv.store;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The chunk of each region of a {@link Memory}. A new chunk gets the lowest region that is free.
 *
 * <p>Single-threaded, as the {@link Allocator}.
 */
final class Regions {
    private final Memory memory;
    private @Nullable MemoryChunk[] chunks = new MemoryChunk[16];
    private int lowestFree = 1;

    Regions(Memory memory) {
        this.memory = memory;
    }

    /** Greatest number of a region so far, + 1; 0 is none. */
    int length() {
        return chunks.length;
    }

    /** What is at a region in use. */
    MemoryChunk chunk(int region) {
        MemoryChunk chunk = chunks[region];
        if (chunk == null) {
            throw new IllegalStateException("region " + region + " is not allocated");
        }
        return chunk;
    }

    /** What is at a region; null if nothing is. */
    @Nullable
    MemoryChunk chunkOrNull(int region) {
        return chunks[region];
    }

    /**
     * Makes sure that {@link #enter} allocates nothing.
     *
     * @throws OutOfMemoryError if the tables cannot grow
     */
    void ensure() {
        int regions = memory.ensureRegion();
        if (regions > chunks.length) {
            chunks = Arrays.copyOf(chunks, regions);
        }
    }

    /** Gives a chunk a region, and so its blocks addresses. */
    void enter(MemoryChunk chunk) {
        int region = memory.attach(chunk.buffer, lowestFree);
        lowestFree = region + 1;
        chunks[region] = chunk;
        chunk.region = region;
    }

    /** Takes a chunk's region back. */
    void detach(MemoryChunk chunk) {
        memory.detach(chunk.region);
        chunks[chunk.region] = null;
        lowestFree = Math.min(lowestFree, chunk.region);
    }
}
