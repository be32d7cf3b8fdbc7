package io.verbena.kv.store;

import io.verbena.kv.protocol.TransferDescriptor;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A value, or a whole request, that comes in pieces into an extent without an address, laid out as a
 * {@link StringBlock}. Or what is remembered of one that was refused.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Upload {
    private final int length;
    /** What its extents are taken from and given back to; null if it was refused at once. */
    private final @Nullable Allocator memory;

    private final boolean request;
    /** Has room for all bytes, or for as many as have come and not twice as many. */
    private @Nullable MemoryChunk extent;

    private byte @Nullable [] error;
    private int position;

    /**
     * Starts an upload into an extent of its own.
     *
     * @param memory that the extent is of
     * @param request whether it is a whole request, and no argument
     */
    Upload(int length, MemoryChunk extent, Allocator memory, boolean request) {
        this.length = length;
        this.extent = extent;
        this.memory = memory;
        this.request = request;
        extent.buffer.putInt(0, length);
    }

    /** Remembers an upload that was refused. */
    Upload(byte[] error) {
        this.length = 0;
        this.memory = null;
        this.request = false;
        this.error = error;
    }

    /**
     * Bytes of an upload to have room for while so many have come: its length, or the half of it, or the half of that
     * and so on, but not much less than a piece.
     */
    static int capacity(int length, int needed) {
        int least = Math.max(needed, TransferDescriptor.PIECE_LENGTH);
        int capacity = length;
        while ((capacity + 1) >>> 1 >= least) {
            capacity = (capacity + 1) >>> 1;
        }
        return capacity;
    }

    /** Bytes that have come. */
    int position() {
        return position;
    }

    /** Whether its memory takes this many bytes more. */
    boolean hasRoomFor(int bytes) {
        return position + bytes <= buffer().capacity() - StringBlock.BYTES;
    }

    /** Whether it is a whole request, and no argument. */
    boolean isRequest() {
        return request;
    }

    /**
     * Moves to a larger extent, to have room for this many bytes.
     *
     * @throws AllocationFailedException if there is no memory for it; it is as it was
     */
    void grow(int capacity) {
        MemoryChunk before = extent();
        MemoryChunk larger = memory().takeExtent(StringBlock.BYTES + capacity);
        larger.buffer.putBytes(0, before.buffer, 0, StringBlock.BYTES + position);
        extent = larger;
        memory().freeExtent(before);
    }

    private Allocator memory() {
        if (memory == null) {
            throw new IllegalStateException("upload has no memory");
        }
        return memory;
    }

    /** Bytes that it has when it is complete. */
    int length() {
        return length;
    }

    /** The buffer that holds the bytes, from {@link StringBlock#BYTES} on. */
    UnsafeBuffer buffer() {
        return extent().buffer;
    }

    /** Its memory, which it must have. */
    MemoryChunk extent() {
        MemoryChunk held = extent;
        if (held == null) {
            throw new IllegalStateException("upload has no memory");
        }
        return held;
    }

    /** Why it cannot be used, or null if it can. */
    byte @Nullable [] error() {
        return error != null ? error : position < length ? Errors.UPLOAD_INCOMPLETE : null;
    }

    boolean isRefused() {
        return error != null;
    }

    /** Whether a piece is the next one. */
    boolean continues(long total, long offset) {
        return total == length && offset == position;
    }

    void put(DirectBuffer source, int offset, int bytes) {
        buffer().putBytes(StringBlock.BYTES + position, source, offset, bytes);
        position += bytes;
    }

    /** Takes its memory away, which is the caller's now. */
    MemoryChunk release() {
        MemoryChunk held = extent();
        extent = null;
        return held;
    }

    /** Gives its memory back, if it has some. */
    void free() {
        if (extent != null) {
            memory().freeExtent(release());
        }
    }

    /** Makes it one that was refused, and gives its memory back. */
    void refuse(byte[] reason) {
        error = reason;
        free();
    }
}
