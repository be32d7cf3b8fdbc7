package io.verbena.kv.store;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A value, or a whole request, that comes in pieces into an extent without an address, laid out as a {@link StringBlock}. Or
 * what is remembered of one that was refused.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Upload {
    private final int length;
    private @Nullable Chunk extent;
    private byte @Nullable [] error;
    private int position;

    /** Starts an upload into an extent of its own. */
    Upload(final int length, final Chunk extent) {
        this.length = length;
        this.extent = extent;
        extent.buffer.putInt(0, length);
    }

    /** Remembers an upload that was refused. */
    Upload(final byte[] error) {
        this.length = 0;
        this.error = error;
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
    Chunk extent() {
        final Chunk held = extent;
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
    boolean continues(final long total, final long offset) {
        return total == length && offset == position;
    }

    void put(final DirectBuffer source, final int offset, final int bytes) {
        buffer().putBytes(StringBlock.BYTES + position, source, offset, bytes);
        position += bytes;
    }

    /** Takes its memory away; null if there is none. */
    @Nullable
    Chunk release() {
        final Chunk held = extent;
        extent = null;
        return held;
    }

    /** Makes it one that was refused; returns its memory. */
    @Nullable
    Chunk refuse(final byte[] reason) {
        error = reason;
        return release();
    }
}
