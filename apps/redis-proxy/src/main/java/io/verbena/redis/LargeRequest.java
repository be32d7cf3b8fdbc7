package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A request that is too long for a message: it is encoded here, goes to its shard in pieces, and is executed there once
 * the last has come. For one worker's thread.
 */
final class LargeRequest {
    private final int shard;
    private final int length;
    private final long uploadId;
    private final ByteBuf memory;
    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private long correlation;
    private int sent;

    LargeRequest(ByteBufAllocator allocator, int shard, int length, long uploadId) {
        this.shard = shard;
        this.length = length;
        this.uploadId = uploadId;
        this.memory = allocator.directBuffer(length, length);
        ByteBuffer nio = memory.internalNioBuffer(0, length);
        buffer.wrap(nio, nio.position(), length);
    }

    int shard() {
        return shard;
    }

    int length() {
        return length;
    }

    long uploadId() {
        return uploadId;
    }

    /** Where it is encoded, from the first byte on. */
    UnsafeBuffer buffer() {
        return buffer;
    }

    /** What its reply will carry. */
    long correlation() {
        return correlation;
    }

    void correlation(long value) {
        correlation = value;
    }

    /** Bytes that have gone to the shard. */
    int sent() {
        return sent;
    }

    void sent(int bytes) {
        sent += bytes;
    }

    /** Lets go of the memory. */
    void release() {
        buffer.wrap(0, 0);
        memory.release();
    }
}
