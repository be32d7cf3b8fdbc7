package io.verbena.kv.store;

import java.nio.ByteBuffer;
import java.util.function.IntFunction;
import org.agrona.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Where an {@link Allocator} has its chunks from: the direct memory of the process, up to a budget. Near its limit on
 * direct memory the JVM would collect garbage and sleep before it throws, so nothing is asked for beyond the budget. A
 * limit that the JVM does have below the budget is met once, and is the budget until {@link #restoreBudget}.
 *
 * <p>Single-threaded, as the allocator.
 */
final class ChunkSource {
    private final IntFunction<ByteBuffer> source;
    private final long configuredBudget;
    private long budget;
    private long committed;

    /**
     * @param budget greatest number of bytes held from the process
     * @param source makes a direct buffer, or throws OutOfMemoryError
     */
    ChunkSource(long budget, IntFunction<ByteBuffer> source) {
        this.configuredBudget = budget;
        this.budget = budget;
        this.source = source;
    }

    /** Bytes of direct memory that are held. */
    long committed() {
        return committed;
    }

    /** Greatest number of bytes held from the process. */
    long budget() {
        return budget;
    }

    boolean isAffordable(int length) {
        return length <= budget - committed;
    }

    /** Takes a chunk that is affordable; null if the process has less memory than the budget says. */
    @Nullable
    MemoryChunk take(int length, boolean extent) {
        try {
            MemoryChunk chunk = new MemoryChunk(length, extent, source);
            committed += length;
            return chunk;
        } catch (OutOfMemoryError e) {
            return null;
        }
    }

    /** The process has refused so much: to ask again would stall everybody each time, so the budget is less. */
    AllocationFailedException refused(int length) {
        budget = committed + length - 1;
        return failure(length);
    }

    /** What to throw if so much is not available. */
    AllocationFailedException failure(long length) {
        return new AllocationFailedException(length, committed, budget);
    }

    /** The budget is what it was at first: others may have given memory back. */
    void restoreBudget() {
        budget = configuredBudget;
    }

    /** Gives a chunk back to the process. */
    void giveBack(MemoryChunk chunk) {
        committed -= chunk.buffer.capacity();
        BufferUtil.free(chunk.memory);
    }

    /** So many bytes were given back to the process. */
    void returned(long bytes) {
        committed -= bytes;
    }
}
