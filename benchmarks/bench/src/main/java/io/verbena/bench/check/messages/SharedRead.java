package io.verbena.bench.check.messages;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * Makes a socket read into a buffer that others read into too: what is read is used up before anything else is read.
 */
final class SharedRead implements RecvByteBufAllocator.ExtendedHandle {
    private final ByteBuf shared;
    private int last;
    private int attempted;

    SharedRead(ByteBuf shared) {
        this.shared = shared;
    }

    @Override
    public ByteBuf allocate(ByteBufAllocator ignored) {
        return shared.clear().retain();
    }

    @Override
    public int guess() {
        return shared.capacity();
    }

    @Override
    public void reset(ChannelConfig config) {
        last = 0;
    }

    @Override
    public void incMessagesRead(int count) {}

    @Override
    public void lastBytesRead(int bytes) {
        last = bytes;
    }

    @Override
    public int lastBytesRead() {
        return last;
    }

    @Override
    public void attemptedBytesRead(int bytes) {
        attempted = bytes;
    }

    @Override
    public int attemptedBytesRead() {
        return attempted;
    }

    @Override
    public boolean continueReading() {
        return false; // one read a turn: others have a turn too
    }

    @Override
    public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
        return false;
    }

    @Override
    public void readComplete() {}
}
