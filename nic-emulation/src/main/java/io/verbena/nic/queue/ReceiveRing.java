package io.verbena.nic.queue;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A receive queue, of one queue pair or shared by many: receive requests in the order in which they were posted.
 *
 * <p>Concurrency: one poster at a time; consumed by the engine's baton holder. {@code published} and {@code consumed}
 * are each written by one side (release) and read by the other (acquire), on lines of their own.
 */
public final class ReceiveRing {
    private static final int PUBLISHED = 0;
    private static final int CONSUMED = 128;
    private static final int SLOTS = 256;

    private final UnsafeBuffer buffer;
    private final int capacity;
    private final int mask;
    private final int slotLength;
    private final int maxSge;

    private long produced;
    private long consumed;
    private long publishedSeen;

    /**
     * Creates an empty ring.
     *
     * @param capacity requests, rounded up to a power of two
     * @param maxSge scatter/gather entries a request may have
     */
    public ReceiveRing(int capacity, int maxSge) {
        this.capacity = BitUtil.findNextPositivePowerOfTwo(capacity);
        this.mask = this.capacity - 1;
        this.slotLength = ReceiveWqeDescriptor.slotLength(maxSge);
        this.maxSge = maxSge;
        this.buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(SLOTS + this.capacity * slotLength, 128));
    }

    /** Requests that fit. */
    public int capacity() {
        return capacity;
    }

    /** Scatter/gather entries a request may have. */
    public int maxSge() {
        return maxSge;
    }

    /** The memory that {@link #claim} and {@link #front} point into. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /** Poster: the offset of the next free slot, or -1 when the ring is full. */
    public int claim() {
        if (produced - buffer.getLongVolatile(CONSUMED) >= capacity) {
            return -1;
        }
        return slot(produced);
    }

    /** Poster: the claimed slot is filled; the engine may take it. */
    public void publish() {
        produced++;
        buffer.putLongOrdered(PUBLISHED, produced);
    }

    /** Requests posted and not consumed. */
    public int size() {
        return (int) (buffer.getLongVolatile(PUBLISHED) - buffer.getLongVolatile(CONSUMED));
    }

    /** Engine: the offset of the oldest request, or -1 if there is none. */
    public int front() {
        if (consumed >= publishedSeen) {
            publishedSeen = buffer.getLongVolatile(PUBLISHED);
            if (consumed >= publishedSeen) {
                return -1;
            }
        }
        return slot(consumed);
    }

    /** Engine: takes the oldest request; its slot may be reused at once, so copy what is needed first. */
    public void pop() {
        consumed++;
        buffer.putLongOrdered(CONSUMED, consumed);
    }

    /** Both sides at rest: forgets everything. */
    public void reset() {
        produced = 0;
        consumed = 0;
        publishedSeen = 0;
        buffer.putLongVolatile(PUBLISHED, 0);
        buffer.putLongVolatile(CONSUMED, 0);
    }

    private int slot(long index) {
        return SLOTS + ((int) index & mask) * slotLength;
    }
}
