package io.verbena.fabric.netty;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A send buffer that comes back: when Netty releases it, because the socket has taken all of it or the channel is
 * closed, it returns to its {@link LinkSender} instead of freeing its memory. So a link sends without allocating, and
 * learns what the socket has taken without a promise per write. A channel that encrypts releases it earlier than that,
 * so there it is kept until the promise of its write is done.
 *
 * <p>Concurrency: written by the baton holder, handed to the loop's owner sealed, and back when released.
 */
final class SendBuffer extends UnpooledDirectByteBuf implements ChannelFutureListener {
    private final LinkSender window;
    private final UnsafeBuffer view;
    private int sealed;

    private SendBuffer(LinkSender window, ByteBuffer memory) {
        super(UnpooledByteBufAllocator.DEFAULT, memory, memory.capacity());
        this.window = window;
        this.view = new UnsafeBuffer(memory);
        setIndex(0, 0);
    }

    static SendBuffer allocate(LinkSender window, int length) {
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
        sealed = length;
        writerIndex(length);
    }

    /** Bytes with which it was sealed; whoever encrypts it may have put those of the next one behind. */
    int sealed() {
        return sealed;
    }

    /** The socket has taken what it became, or it never will. */
    @Override
    public void operationComplete(ChannelFuture written) {
        release();
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
