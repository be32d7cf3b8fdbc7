package io.verbena.nic.append;

import java.util.ArrayDeque;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Buffers for messages that arrive in parts and fit in a chunk. They are copied into the queue when they are complete, so
 * that a sender that stops in the middle of a message holds up nobody but itself.
 *
 * <p>Buffers of powers of two, a few of each size kept. For one thread at a time.
 */
final class Staging {
    /** Most bytes lent at a time; beyond it senders are told to come again. */
    static final long LIMIT = 64L << 20;

    private static final int LEAST_BITS = 12;
    private static final int KEPT = 8;

    private final ArrayDeque<AtomicBuffer>[] kept;
    private long lent;

    Staging() {
        @SuppressWarnings({"unchecked", "rawtypes"})
        ArrayDeque<AtomicBuffer>[] queues = new ArrayDeque[Integer.SIZE - LEAST_BITS];
        for (int i = 0; i < queues.length; i++) {
            queues[i] = new ArrayDeque<>(KEPT);
        }
        kept = queues;
    }

    private static int sizeClass(int length) {
        return Math.max(0, Integer.SIZE - LEAST_BITS - Integer.numberOfLeadingZeros(Math.max(1, length) - 1));
    }

    /** A buffer of at least so many bytes, or null if too much is lent. */
    @Nullable
    AtomicBuffer take(int length) {
        int sizeClass = sizeClass(length);
        int capacity = 1 << (LEAST_BITS + sizeClass);
        if (capacity > LIMIT - lent) {
            return null;
        }
        lent += capacity;
        AtomicBuffer buffer = kept[sizeClass].pollLast();
        return buffer != null ? buffer : new UnsafeBuffer(new byte[capacity]);
    }

    void give(AtomicBuffer buffer) {
        lent -= buffer.capacity();
        ArrayDeque<AtomicBuffer> same = kept[sizeClass(buffer.capacity())];
        if (same.size() < KEPT) {
            same.addLast(buffer);
        }
    }

    long lent() {
        return lent;
    }
}
