package io.verbena.redis;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The buffer into which a worker reads from its sockets, one after the other. What a connection cannot use at once it
 * copies away before the next connection reads: one connection at a time holds it, which is checked.
 */
final class ReadBuffer implements AutoCloseable {
    static final int CAPACITY = 256 << 10;

    private final ByteBuf buffer = Unpooled.directBuffer(CAPACITY, CAPACITY);
    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private @Nullable ReceiveBuffer holder;

    ReadBuffer() {
        ByteBuffer nio = buffer.internalNioBuffer(0, CAPACITY);
        view.wrap(nio, nio.position(), CAPACITY);
    }

    ByteBuf buffer() {
        return buffer;
    }

    UnsafeBuffer view() {
        return view;
    }

    /**
     * To be read into, for a connection.
     *
     * @throws IllegalStateException if another one's bytes have not been used: they would be overwritten
     */
    @SuppressWarnings("ReferenceEquality")
    ByteBuf lend(ReceiveBuffer reader) {
        if (holder != null && holder != reader) {
            throw new IllegalStateException(
                    "the read buffer is entered again while bytes of another connection are in it");
        }
        return buffer.clear().retain();
    }

    /** A connection's bytes are here. */
    @SuppressWarnings("ReferenceEquality")
    void hold(ReceiveBuffer reader) {
        if (holder != null && holder != reader) {
            throw new IllegalStateException("the read buffer has bytes of two connections");
        }
        holder = reader;
    }

    /** A connection's bytes are used, or copied away. */
    @SuppressWarnings("ReferenceEquality")
    void letGo(ReceiveBuffer reader) {
        if (holder == reader) {
            holder = null;
        }
    }

    @Override
    public void close() {
        view.wrap(0, 0);
        buffer.release();
    }
}
