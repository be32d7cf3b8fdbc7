package io.verbena.nic.queue;

import io.verbena.nic.verbs.AsyncEventType;
import java.util.function.Consumer;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A receive queue, of one queue pair or shared by many: receive requests in the order in which they were posted.
 *
 * <p>Concurrency: one poster at a time; consumed by the engine's baton holder. {@code published} and {@code consumed}
 * are each written by one side (release) and read by the other (acquire), on lines of their own, see {@link RingLines}.
 * The memory is allocated with the first request. {@link #resize} is the poster's, with the engine's baton held: then
 * neither side is in the middle of anything.
 */
public final class ReceiveRing extends RingLines.Behind {
    private static final UnsafeBuffer NOTHING = new UnsafeBuffer(0, 0);

    private final int slotLength;
    private final int maxSge;
    private final int pd;
    private UnsafeBuffer buffer = NOTHING;
    private int capacity;
    private int mask;

    // Engine.
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
    }

    /** Protection domain that the entries' regions must be of. */
    public int pd() {
        return pd;
    }

    /** Sets the listener for events of a shared receive queue; with the engine's baton held, or before it is used. */
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
        int to = BitUtil.findNextPositivePowerOfTwo(depth);
        if (buffer.capacity() > 0) {
            UnsafeBuffer target = allocate(to);
            for (long i = head; i < produced; i++) {
                target.putBytes(((int) i & to - 1) * slotLength, buffer, ((int) i & mask) * slotLength, slotLength);
            }
            buffer = target;
        }
        capacity = to;
        mask = to - 1;
    }

    private UnsafeBuffer allocate(int slots) {
        return new UnsafeBuffer(BufferUtil.allocateDirectAligned(slots * slotLength, 128));
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
        if (produced - consumedSeen >= capacity) {
            consumedSeen = consumedAcquire();
            if (produced - consumedSeen >= capacity) {
                return -1;
            }
        }
        if (buffer.capacity() == 0) {
            buffer = allocate(capacity); // the engine sees it with the first request
        }
        return slot(produced);
    }

    /** Poster: the claimed slot is filled; the engine may take it. */
    public void publish() {
        produced++;
        publish(produced);
    }

    /** Requests posted and not consumed. */
    public int size() {
        return (int) (publishedAcquire() - consumedAcquire());
    }

    /** Engine: the offset of the oldest request, or -1 if there is none. */
    public int front() {
        if (head >= publishedSeen) {
            publishedSeen = publishedAcquire();
            if (head >= publishedSeen) {
                return -1;
            }
        }
        return slot(head);
    }

    /** Engine: takes the oldest request; its slot may be reused at once, so copy what is needed first. */
    public void pop() {
        head++;
        consume(head);
        if (limit != 0) {
            checkLimit();
        }
    }

    private void checkLimit() {
        if (publishedAcquire() - head < limit) {
            limit = 0; // until it is armed again
            tell(AsyncEventType.SRQ_LIMIT);
        }
    }

    /** Both sides at rest: forgets everything. */
    public void reset() {
        produced = 0;
        consumedSeen = 0;
        head = 0;
        publishedSeen = 0;
        publish(0);
        consume(0);
    }

    private int slot(long index) {
        return ((int) index & mask) * slotLength;
    }
}
