package io.verbena.fabric.netty;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Memory that the links of a fabric have for as long as they need it, from the fabric's {@link ReceiveBudget}: what
 * they read into where they read from their sockets themselves, and what they put frames in pieces together in. A few
 * of each length are kept for the next that needs one; a link that has nothing to deliver has none.
 *
 * <p>Of the baton holder: all links of a fabric are of one engine.
 */
final class ReadBuffers {
    /** Bytes of the smallest. */
    private static final int MIN = 1024;

    /** Kept of each length. */
    private static final int KEPT = 2;

    private final int readLength;
    private final int largestFrame;
    private final ReceiveBudget budget;
    private final ArrayDeque<UnsafeBuffer> reads = new ArrayDeque<>(KEPT);
    private final List<ArrayDeque<UnsafeBuffer>> frames =
            new ArrayList<>(); // by the exponent of the length, rounded up

    /**
     * Creates it; memory is allocated when it is needed.
     *
     * @param readLength bytes of a buffer to read into
     * @param largestFrame bytes of the largest to put a frame together in
     * @param budget that all are taken from
     */
    ReadBuffers(int readLength, int largestFrame, ReceiveBudget budget) {
        this.readLength = readLength;
        this.largestFrame = largestFrame;
        this.budget = budget;
        for (int i = 0; i < Integer.SIZE; i++) {
            frames.add(new ArrayDeque<>(KEPT));
        }
    }

    /** Bytes of each that is read into. */
    int readLength() {
        return readLength;
    }

    /** The budget. */
    ReceiveBudget budget() {
        return budget;
    }

    /** One to read into, or null if that would take what frames in pieces need: the bytes stay in the socket. */
    @Nullable
    UnsafeBuffer takeForRead() {
        UnsafeBuffer known = reads.poll();
        return known != null || budget.isScarce() ? known : allocate(readLength);
    }

    /** One that was read into is not needed any more. */
    void giveBackRead(UnsafeBuffer buffer) {
        keepOrFree(reads, buffer);
    }

    /**
     * One to put a frame together in.
     *
     * @param needed bytes, at most those of the largest frame
     * @return null if the budget, or the process, has no memory left
     */
    @Nullable
    UnsafeBuffer takeForFrame(int needed) {
        int length = Math.min(largestFrame, Math.max(MIN, BitUtil.findNextPositivePowerOfTwo(needed)));
        UnsafeBuffer known = framesOf(length).poll();
        return known != null ? known : allocate(length);
    }

    /** One for a frame is not needed any more. */
    void giveBackFrame(UnsafeBuffer buffer) {
        keepOrFree(framesOf(buffer.capacity()), buffer);
    }

    private ArrayDeque<UnsafeBuffer> framesOf(int length) {
        return frames.get(Integer.SIZE - Integer.numberOfLeadingZeros(length - 1));
    }

    private @Nullable UnsafeBuffer allocate(int length) {
        if (!budget.tryTake(length)) {
            freeAll(reads);
            frames.forEach(this::freeAll);
            if (!budget.tryTake(length)) {
                return null;
            }
        }
        try {
            return new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        } catch (OutOfMemoryError e) { // of direct memory: what a peer can bring about ends its own connection
            budget.giveBack(length);
            return null;
        }
    }

    private void keepOrFree(ArrayDeque<UnsafeBuffer> kept, UnsafeBuffer buffer) {
        if (kept.size() < KEPT) {
            kept.push(buffer);
        } else {
            free(buffer);
        }
    }

    private void freeAll(ArrayDeque<UnsafeBuffer> kept) {
        for (UnsafeBuffer buffer = kept.poll(); buffer != null; buffer = kept.poll()) {
            free(buffer);
        }
    }

    private void free(UnsafeBuffer buffer) {
        budget.giveBack(buffer.capacity());
        ByteBuffer memory = buffer.byteBuffer();
        buffer.wrap(0, 0);
        if (memory != null) {
            BufferUtil.free(memory);
        }
    }
}
