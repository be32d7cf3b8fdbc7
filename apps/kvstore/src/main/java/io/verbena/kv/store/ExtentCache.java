package io.verbena.kv.store;

import java.util.ArrayDeque;
import org.agrona.BufferUtil;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Extents that were freed and are kept for a while, since the process zeroes and maps each new one page by page, which
 * costs more than to fill it. Extents have sizes in steps of an eighth of a power of two, so that one fits the next
 * value of about that length.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class ExtentCache {
    /** How long an extent is kept that nobody asks for. */
    static final long MAX_IDLE_MILLIS = 3_000;

    /** What may always be kept, and the share of the memory held that may be kept. */
    private static final long MIN_LIMIT = 64L << 20;

    private static final int LIMIT_SHARE = 2;
    private static final int MIN_STEP = 4096;

    private final Int2ObjectHashMap<ArrayDeque<MemoryChunk>> bySize = new Int2ObjectHashMap<>();
    private long bytes;
    private long now;

    /** Bytes of the extent that a block of that length gets. */
    static int size(int length) {
        int step = Math.max(MIN_STEP, Integer.highestOneBit(length) >> 3);
        return (length + step - 1) & -step;
    }

    /** Bytes that are kept. */
    long bytes() {
        return bytes;
    }

    /** An extent of exactly that size, or null. */
    @Nullable
    MemoryChunk take(int size) {
        ArrayDeque<MemoryChunk> kept = bySize.get(size);
        MemoryChunk chunk = kept == null ? null : kept.pollLast();
        if (chunk != null) {
            bytes -= size;
        }
        return chunk;
    }

    /**
     * Keeps an extent, unless too much is kept beside this many bytes that are held in all; false if it was not taken.
     */
    boolean offer(MemoryChunk chunk, long committed) {
        int size = chunk.buffer.capacity();
        if (bytes + size > Math.max(MIN_LIMIT, committed / LIMIT_SHARE)) {
            return false;
        }
        ArrayDeque<MemoryChunk> kept = bySize.get(size);
        if (kept == null) {
            kept = new ArrayDeque<>();
            bySize.put(size, kept);
        }
        chunk.freedMillis = now;
        kept.addLast(chunk);
        bytes += size;
        return true;
    }

    /** Gives back what has not been used recently; returns the bytes. */
    long releaseIdle(long nowMillis) {
        now = nowMillis;
        return bytes == 0 ? 0 : release(nowMillis - MAX_IDLE_MILLIS);
    }

    /** Gives everything back; returns the bytes. */
    long releaseAll() {
        return release(Long.MAX_VALUE);
    }

    private long release(long before) {
        long released = 0;
        for (ArrayDeque<MemoryChunk> kept : bySize.values()) {
            MemoryChunk oldest = kept.peekFirst();
            while (oldest != null && oldest.freedMillis < before) {
                kept.removeFirst();
                released += oldest.buffer.capacity();
                BufferUtil.free(oldest.memory);
                oldest = kept.peekFirst();
            }
        }
        bytes -= released;
        return released;
    }
}
