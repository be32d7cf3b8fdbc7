package io.verbena.fabric.netty;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.verbena.fabric.HelloFlyweight;
import java.util.function.BooleanSupplier;

/**
 * Sizes the receive buffers of one channel: until the hello is done exactly what is missing of it, so that a stranger
 * costs no more memory than that and frames begin in a buffer of their own; then by the traffic, from 4 KiB to a limit,
 * doubling when a buffer was filled and halving after several that were not even half used. While memory is scarce all
 * are of 4 KiB. Where the hello is encrypted, what is missing of it says nothing, and the traffic decides from the
 * beginning.
 *
 * <p>Of the loop's owner alone.
 */
final class ReceiveBufferSizer extends DefaultMaxMessagesRecvByteBufAllocator {
    private static final int MIN = 4 * 1024;
    private static final int PATIENCE = 8;

    private final int largest;
    private final BooleanSupplier isScarce;
    private final boolean inClear;
    private int missingOfHello;
    private int next;
    private int sparse;

    /**
     * Creates a sizer.
     *
     * @param largest bytes of the largest buffer
     * @param isScarce whether memory is
     * @param inClear whether the hello is
     */
    ReceiveBufferSizer(int largest, BooleanSupplier isScarce, boolean inClear) {
        this.missingOfHello = inClear ? HelloFlyweight.HEADER_LENGTH : 0;
        this.inClear = inClear;
        this.largest = largest;
        this.isScarce = isScarce;
        this.next = Math.min(MIN, largest);
    }

    /** Bytes of the hello that are still to come; 0 when it is done. */
    void missingOfHello(int bytes) {
        missingOfHello = inClear ? bytes : 0;
    }

    @Override
    @Deprecated
    public Handle newHandle() {
        return new SizerHandle();
    }

    private final class SizerHandle extends MaxMessageHandle {
        @Override
        public int guess() {
            return missingOfHello > 0 ? missingOfHello : isScarce.getAsBoolean() ? Math.min(MIN, next) : next;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            int length = guess();
            return allocator.directBuffer(length, length);
        }

        @Override
        public void lastBytesRead(int bytes) {
            if (bytes > 0 && missingOfHello == 0) {
                follow(bytes, attemptedBytesRead());
            }
            super.lastBytesRead(bytes);
        }
    }

    private void follow(int bytes, int length) {
        if (bytes >= length) {
            next = Math.min(largest, next << 1);
            sparse = 0;
        } else if (bytes < next >> 2) {
            if (++sparse >= PATIENCE) {
                next = Math.max(Math.min(MIN, largest), next >> 1);
                sparse = 0;
            }
        } else {
            sparse = 0;
        }
    }
}
