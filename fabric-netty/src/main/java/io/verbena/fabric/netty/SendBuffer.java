package io.verbena.fabric.netty;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A send buffer that comes back: when Netty releases it, because the socket has taken all of it or the channel is
 * closed, it returns to its {@link SendWindow} instead of freeing its memory. So a link sends without allocating, and
 * learns what the socket has taken without a promise per write.
 *
 * <p>Concurrency: written by the baton holder, handed to the loop's owner sealed, and back when released.
 */
final class SendBuffer extends UnpooledDirectByteBuf {
    private final SendWindow window;
    private final UnsafeBuffer view;

    private SendBuffer(SendWindow window, ByteBuffer memory) {
        super(UnpooledByteBufAllocator.DEFAULT, memory, memory.capacity());
        this.window = window;
        this.view = new UnsafeBuffer(memory);
        setIndex(0, 0);
    }

    static SendBuffer allocate(SendWindow window, int length) {
        return new SendBuffer(window, ByteBuffer.allocateDirect(length));
    }

    UnsafeBuffer view() {
        return view;
    }

    /** Where its memory is. */
    long address() {
        return view.addressOffset();
    }

    /** So many of the bytes that are in it, not sealed yet, have been written. */
    void written(int bytes) {
        setIndex(bytes, bytes);
    }

    /** Makes it ready to be written to the channel. */
    void seal(int length) {
        writerIndex(length);
    }

    /** Writes to a socket what has not been written. Returns whether all is. */
    boolean writeTo(DirectSocket socket) {
        int from = readerIndex();
        int to = writerIndex();
        int written = socket.write(view.addressOffset(), from, to);
        readerIndex(from + written);
        return from + written == to;
    }

    /** Makes it usable again after it was released. */
    void reuse() {
        resetRefCnt();
        setIndex(0, 0);
    }

    /** Gives its memory back; nobody has it any more. */
    void free() {
        ByteBuffer memory = view.byteBuffer();
        view.wrap(0, 0);
        if (memory != null) {
            BufferUtil.free(memory);
        }
    }

    @Override
    protected void deallocate() {
        window.released(this);
    }
}
