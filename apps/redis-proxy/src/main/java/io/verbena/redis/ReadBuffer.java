package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The buffer into which a worker reads from its sockets, one after the other. What a connection cannot use at once it
 * copies away before the next connection reads.
 */
final class ReadBuffer implements AutoCloseable {
    static final int CAPACITY = 64 << 10;

    private final ByteBuf buffer = Unpooled.directBuffer(CAPACITY, CAPACITY);
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);

    ReadBuffer() {
        final ByteBuffer nio = buffer.internalNioBuffer(0, CAPACITY);
        view.wrap(nio, nio.position(), CAPACITY);
    }

    ByteBuf buffer() {
        return buffer;
    }

    UnsafeBuffer view() {
        return view;
    }

    @Override
    public void close() {
        view.wrap(0, 0);
        buffer.release();
    }
}
