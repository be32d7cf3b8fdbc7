package io.verbena.redis;

import io.netty.buffer.ByteBufAllocator;
import io.verbena.redis.resp.RespWriter;
import java.util.ArrayDeque;

/** Writers for replies that are ready before their turn, or of which only a part is there. For one worker's thread. */
final class WriterPool implements AutoCloseable {
    private static final int KEPT_WRITERS = 1024;
    private static final int KEPT_BYTES = 4096;

    private final ByteBufAllocator allocator;
    private final ArrayDeque<RespWriter> free = new ArrayDeque<>();

    WriterPool(ByteBufAllocator allocator) {
        this.allocator = allocator;
    }

    RespWriter acquire(int protocol) {
        RespWriter writer = free.pollLast();
        return (writer == null ? new RespWriter(allocator) : writer).protocol(protocol);
    }

    void release(RespWriter writer) {
        if (free.size() < KEPT_WRITERS) {
            writer.clear(KEPT_BYTES);
            free.addLast(writer);
        } else {
            writer.release();
        }
    }

    @Override
    public void close() {
        for (RespWriter writer = free.pollLast(); writer != null; writer = free.pollLast()) {
            writer.release();
        }
    }
}
