package io.verbena.nic.append;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jctools.queues.varhandle.MpmcVarHandleArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * A queue's buffers for messages that arrive in parts and fit in a chunk. They are copied into the queue when they are
 * complete, so that a sender that stops in the middle of a message holds up nobody but itself.
 *
 * <p>Off-heap buffers of powers of two, which count in the queue's footprint and under its limit: where there is no room for
 * one, the sender is told to come again. Some of each size are kept for the next message, and given back when none has come
 * for a while.
 *
 * <p>Concurrency: any engine of the owner takes and gives; {@link #trim} and {@link #release} by the allocator.
 */
final class Staging {
    private static final int LEAST_BITS = 12;
    private static final int KEPT = 64;

    private final AppendQueue of;
    private final Footprint footprint;
    private final AtomicReferenceArray<@Nullable MpmcVarHandleArrayQueue<AtomicBuffer>> kept =
            new AtomicReferenceArray<>(Integer.SIZE - LEAST_BITS);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong lent = new AtomicLong();
    private volatile boolean used; // since trim has looked

    Staging(AppendQueue of, Footprint footprint) {
        this.of = of;
        this.footprint = footprint;
    }

    private static int sizeClass(int length) {
        return Math.max(0, Integer.SIZE - LEAST_BITS - Integer.numberOfLeadingZeros(Math.max(1, length) - 1));
    }

    /**
     * Bytes of the buffer for a message.
     *
     * @param length of the message, at most 2^30
     */
    static int capacity(int length) {
        return 1 << (LEAST_BITS + sizeClass(length));
    }

    /** A buffer of at least so many bytes, or null if there is no room for it. Its contents are anything. */
    @Nullable
    AtomicBuffer take(int length) {
        if (!used) {
            used = true;
        }
        lent.incrementAndGet(); // first: a destroyed queue ends when nothing is lent, and lends nothing
        if (of.isDestroyed()) {
            lent.decrementAndGet();
            return null;
        }
        MpmcVarHandleArrayQueue<AtomicBuffer> same = kept.get(sizeClass(length));
        AtomicBuffer buffer = same == null ? null : same.poll();
        if (buffer == null) {
            buffer = allocate(capacity(length));
        }
        if (buffer == null) {
            lent.decrementAndGet();
        }
        return buffer;
    }

    private @Nullable AtomicBuffer allocate(int capacity) {
        if (!footprint.reserve(capacity)) {
            return null;
        }
        try {
            AtomicBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(capacity));
            bytes.addAndGet(capacity);
            return buffer;
        } catch (OutOfMemoryError e) { // of direct memory; the heap is not concerned
            footprint.release(capacity);
            footprint.refused();
            return null;
        }
    }

    void give(AtomicBuffer buffer) {
        int sizeClass = sizeClass(buffer.capacity());
        MpmcVarHandleArrayQueue<AtomicBuffer> same = kept.get(sizeClass);
        if (same == null) {
            kept.compareAndSet(sizeClass, null, new MpmcVarHandleArrayQueue<>(KEPT));
            same = kept.get(sizeClass);
        }
        if (same == null || !same.offer(buffer)) {
            free(buffer);
        }
        lent.decrementAndGet();
    }

    private void free(AtomicBuffer buffer) {
        bytes.addAndGet(-buffer.capacity());
        footprint.release(buffer.capacity());
        ByteBuffer memory = buffer.byteBuffer();
        buffer.wrap(0, 0); // what comes too late is out of bounds
        BufferUtil.free(memory);
    }

    /** Gives back what is kept if nothing was taken since the last call. Returns how many buffers. */
    int trim() {
        if (used) {
            used = false;
            return 0;
        }
        return release();
    }

    /** Gives back all that is kept. Returns how many buffers. */
    int release() {
        if (bytes.get() == 0) {
            return 0;
        }
        int released = 0;
        for (int i = 0; i < kept.length(); i++) {
            MpmcVarHandleArrayQueue<AtomicBuffer> same = kept.get(i);
            AtomicBuffer buffer;
            while (same != null && (buffer = same.poll()) != null) {
                free(buffer);
                released++;
            }
        }
        return released;
    }

    /** Whether nothing is lent, after giving back what is kept. */
    boolean drained() {
        boolean idle = lent.get() == 0;
        release();
        return idle;
    }

    /** Bytes of all buffers, lent and kept. Any thread. */
    long bytes() {
        return bytes.get();
    }
}
