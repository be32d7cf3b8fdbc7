package io.verbena.nic.queue;

import io.verbena.nic.AsyncEventType;
import java.util.function.Consumer;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A receive queue, of one queue pair or shared by many: receive requests in the order in which they were posted.
 *
 * <p>Concurrency: one poster at a time; consumed by the engine's baton holder. {@code published} and {@code consumed}
 * are each written by one side (release) and read by the other (acquire), on lines of their own. {@link #resize} is the
 * poster's, with the engine's baton held: then neither side is in the middle of anything.
 */
public final class ReceiveRing {
    private static final int PUBLISHED = 0;
    private static final int CONSUMED = 128;
    private static final int SLOTS = 256;

    private final int slotLength;
    private final int maxSge;
    private final int pd;
    private UnsafeBuffer buffer;
    private int capacity;
    private int mask;

    // Poster.
    private long produced;

    // Engine.
    private long consumed;
    private long publishedSeen;
    private int limit;
    private Consumer<AsyncEventType> listener = type -> {};

    /**
     * Creates an empty ring.
     *
     * @param capacity requests, rounded up to a power of two
     * @param maxSge scatter/gather entries a request may have
     * @param pd protection domain that the entries' regions must be of
     */
    public ReceiveRing(int capacity, int maxSge, int pd) {
        this.capacity = BitUtil.findNextPositivePowerOfTwo(capacity);
        this.mask = this.capacity - 1;
        this.slotLength = ReceiveWqeDescriptor.slotLength(maxSge);
        this.maxSge = maxSge;
        this.pd = pd;
        this.buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(SLOTS + this.capacity * slotLength, 128));
    }

    /** Protection domain that the entries' regions must be of. */
    public int pd() {
        return pd;
    }

    /** Sets who is told of events of a shared receive queue; with the engine's baton held, or before it is used. */
    public void listener(Consumer<AsyncEventType> told) {
        listener = told;
    }

    /** Engine: tells an event of a shared receive queue. */
    public void tell(AsyncEventType event) {
        listener.accept(event);
    }

    /** With the engine's baton held: an event is raised once when fewer requests than this are left; 0 for none. */
    public void limit(int requests) {
        limit = requests;
    }

    /** With the engine's baton held: the limit that is armed, or 0. */
    public int limit() {
        return limit;
    }

    /**
     * Poster, with the engine's baton held: moves the requests that are there to a ring of another size.
     *
     * @param depth requests, rounded up to a power of two; not below what is posted, which the caller has checked
     */
    public void resize(int depth) {
        UnsafeBuffer from = buffer;
        int fromMask = mask;
        int to = BitUtil.findNextPositivePowerOfTwo(depth);
        UnsafeBuffer target = new UnsafeBuffer(BufferUtil.allocateDirectAligned(SLOTS + to * slotLength, 128));
        for (long i = consumed; i < produced; i++) {
            target.putBytes(
                    SLOTS + ((int) i & to - 1) * slotLength,
                    from,
                    SLOTS + ((int) i & fromMask) * slotLength,
                    slotLength);
        }
        target.putLong(PUBLISHED, produced);
        target.putLongVolatile(CONSUMED, consumed);
        buffer = target;
        capacity = to;
        mask = to - 1;
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
        if (limit != 0) {
            checkLimit();
        }
    }

    private void checkLimit() {
        if (buffer.getLongVolatile(PUBLISHED) - consumed < limit) {
            limit = 0; // until it is armed again
            tell(AsyncEventType.SRQ_LIMIT);
        }
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
