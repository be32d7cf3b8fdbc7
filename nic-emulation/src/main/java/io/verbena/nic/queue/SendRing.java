package io.verbena.nic.queue;

import io.verbena.nic.verbs.WcStatus;
import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair's send queue: fixed slots that the poster fills and the engine drains in order.
 *
 * <p>Concurrency: one poster at a time writes slots and {@code published} (release); the engine's baton holder reads up
 * to it (acquire) and writes {@code consumed} (release) when requests complete, after which slots may be reused. The
 * two words lie on lines of their own, see {@link RingLines}; the slots are memory that is allocated with the first
 * request.
 *
 * <p>A ring that the poster finds empty, now and then, begins at its first slot again: {@code first} says which request
 * lies there. A queue pair with few requests at a time so touches few cache lines however deep its ring is, which is
 * what lets a thousand of them be busy. Nothing is outstanding when {@code first} changes, and the engine reads it with
 * what is published after that.
 */
public final class SendRing extends RingLines.Behind {
    private static final long NO_BATCH = -1;
    private static final int LOOK_INTERVAL = 8;

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private int capacity;
    private int mask;
    private final int slotLength;
    private final int maxSge;
    private final int maxInline;

    private long batchStart = NO_BATCH; // the poster's

    // The engine's.
    private @Nullable SendSource source; // fills the ring under the baton, as its poster; null: somebody posts
    private boolean stopped; // the source fills it no more

    /**
     * Creates an empty ring.
     *
     * @param capacity requests, rounded up to a power of two
     * @param maxSge scatter/gather entries a request may have
     * @param maxInline bytes of inline data a request may have
     */
    public SendRing(int capacity, int maxSge, int maxInline) {
        this.capacity = BitUtil.findNextPositivePowerOfTwo(capacity);
        this.mask = this.capacity - 1;
        this.slotLength = SendWqeDescriptor.slotLength(maxSge, maxInline);
        this.maxSge = maxSge;
        this.maxInline = Math.max(maxInline, 0);
    }

    /** Under the baton, before the first request: a source fills it, and nobody else posts. */
    public void feed(SendSource from) {
        source = from;
    }

    /** Engine: what its source has left stays there, for the queue pair sends no more. */
    public void stopFeed() {
        stopped = true;
    }

    /** Engine: the weight of what is sent from here; that of the queue pair itself unless a source fills it. */
    public int weight(int own) {
        SendSource from = source;
        return from == null ? own : from.weight();
    }

    /** Whether many post, through a source. Any thread. */
    public boolean isFed() {
        return source != null;
    }

    /** Engine: whether requests are taken back that the peer refuses. */
    public boolean takesBack() {
        SendSource from = source;
        return from != null && !stopped && from.takesBack();
    }

    /** Engine: whether requests are taken back whose receiver is not ready. */
    public boolean waitsApart() {
        SendSource from = source;
        return from != null && !stopped && from.waitsApart();
    }

    /**
     * Engine: the requests that are not complete leave the ring, as {@link SendSource#takenBack} says; none has been
     * executed.
     */
    public void takeBack(@Nullable WcStatus why, long now, long delayNanos, boolean begun) {
        releaseConsumed();
        long end = produced;
        produced = head;
        publish(head);
        publishedSeen = head;
        next = head;
        SendSource from = source;
        if (from != null) {
            from.takenBack(head, end, why, now, delayNanos, begun);
        }
    }

    /** Engine: when its source has something to say, or {@link Long#MAX_VALUE}. */
    public long deadline() {
        SendSource from = source;
        return from == null || stopped ? Long.MAX_VALUE : from.deadline();
    }

    /** Engine: that time has come. */
    public void onTimer(long now) {
        SendSource from = source;
        if (from != null) {
            from.onTimer(now);
        }
    }

    /** Requests that fit. */
    public int capacity() {
        return capacity;
    }

    /** Bytes of a slot. */
    public int slotLength() {
        return slotLength;
    }

    /** Scatter/gather entries a request may have. */
    public int maxSge() {
        return maxSge;
    }

    /** Bytes of inline data a request may have. */
    public int maxInline() {
        return maxInline;
    }

    /**
     * Poster, under the engine's baton: makes it hold more requests, and those that are there stay; or fewer, while
     * none is outstanding. One that is empty has no memory then until the next request.
     *
     * @param requests rounded up to a power of two
     * @throws IllegalStateException if it is to hold fewer and some are outstanding
     */
    public void resize(int requests) {
        int wanted = BitUtil.findNextPositivePowerOfTwo(requests);
        if (wanted == capacity) {
            return;
        }
        boolean idle = isIdle();
        if (wanted < capacity && !idle) {
            throw new IllegalStateException(outstanding() + " requests are outstanding: the queue can hold more than "
                    + capacity + ", not fewer");
        }
        if (idle) {
            buffer.wrap(0L, 0);
            nextLook = produced;
        } else {
            ByteBuffer slots = BufferUtil.allocateDirectAligned(wanted * slotLength, 128);
            UnsafeBuffer there = new UnsafeBuffer(slots);
            for (long i = head; i < produced; i++) {
                int from = ((int) (i - first) & mask) * slotLength;
                there.putBytes(((int) (i - head) & (wanted - 1)) * slotLength, buffer, from, slotLength);
            }
            buffer.wrap(slots);
            first = head;
            firstSeen = head;
        }
        capacity = wanted;
        mask = wanted - 1;
    }

    /** Source, while it fills the ring: makes it hold twice as many. @return false if there is no memory for that */
    public boolean grow() {
        try {
            resize(2 * capacity);
            return true;
        } catch (OutOfMemoryError e) {
            return false;
        }
    }

    /** The memory that {@link #claim} and {@link #slot} point into. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /**
     * Poster: the offset of the next free slot, or -1 when the ring is full. The claim takes effect with
     * {@link #posted}.
     */
    public int claim() {
        if (produced - consumedSeen >= capacity) {
            consumedSeen = consumedAcquire();
            if (produced - consumedSeen >= capacity) {
                return -1;
            }
        }
        if (produced >= nextLook) {
            lookWhetherEmpty();
        }
        return ((int) (produced - first) & mask) * slotLength;
    }

    private void lookWhetherEmpty() {
        if (buffer.capacity() == 0) {
            buffer.wrap(BufferUtil.allocateDirectAligned(capacity * slotLength, 128)); // seen with the first request
        }
        if (consumedSeen != produced) {
            consumedSeen = consumedAcquire();
        }
        if (consumedSeen == produced) {
            first = produced; // the engine sees it with the request
            nextLook = produced + 1;
        } else {
            nextLook = produced + LOOK_INTERVAL; // many are under way: this side leaves the engine its line for a while
        }
    }

    /** Poster: the claimed slot is filled. The engine sees it after {@link #publish}. */
    public void posted() {
        produced++;
    }

    /** Poster: makes all posted slots visible to the engine. */
    public void publish() {
        publish(produced);
    }

    /** Poster: the number of the request that is posted next. */
    public long number() {
        return produced;
    }

    /** Any thread: index of the request that will be published next. */
    public long published() {
        return publishedAcquire();
    }

    /** Poster: what is posted from here on is a batch, until {@link #commitBatch} or {@link #dropBatch}. */
    public void startBatch() {
        batchStart = produced;
    }

    /** Poster: whether a batch is open. */
    public boolean isBatching() {
        return batchStart != NO_BATCH;
    }

    /** Poster: requests of the open batch. */
    public int batched() {
        return (int) (produced - batchStart);
    }

    /** Poster: the engine may take the batch. */
    public void commitBatch() {
        batchStart = NO_BATCH;
        publish();
    }

    /** Poster: forgets the batch; the engine has seen nothing of it. */
    public void dropBatch() {
        produced = batchStart;
        batchStart = NO_BATCH;
    }

    /** Poster: whether nothing is posted that is not complete. */
    public boolean isIdle() {
        return produced == consumedSeen || produced == (consumedSeen = consumedAcquire());
    }

    /** Requests posted and not complete, as the poster sees it; without those of an open batch. */
    public int outstanding() {
        return (int) ((batchStart == NO_BATCH ? produced : batchStart) - consumedAcquire());
    }

    /** Any thread: whether requests are published that the engine has not completed. */
    public boolean hasPublished() {
        return publishedAcquire() != consumedAcquire();
    }

    /** Any thread, a hint: whether requests are published that were not sent whole. */
    public boolean hasUnsent() {
        return publishedAcquire() != next;
    }

    /** Any thread, a hint: whether requests were sent whole that are not complete. */
    public boolean awaitsAnswers() {
        return next != head;
    }

    /** Engine: the offset of a request's slot. */
    public int slot(long index) {
        return ((int) (index - firstSeen) & mask) * slotLength;
    }

    /** Engine: index of the oldest request that is not complete. */
    public long head() {
        return head;
    }

    /** Engine: index of the request to be sent next (or whose sending goes on). */
    public long next() {
        return next;
    }

    /** Engine: whether a request waits to be sent (or to be sent on). */
    public boolean hasNext() {
        if (next < publishedSeen) {
            return true;
        }
        SendSource from = source;
        if (from != null && !stopped) {
            from.fill(this);
        }
        publishedSeen = publishedAcquire();
        if (next < publishedSeen) {
            firstSeen = first;
            return true;
        }
        return false;
    }

    /**
     * Engine: fetches the requests to be sent next from their poster's cache, all at once. Who reads one, works on it
     * and then reads the next waits for each of them: far longer than the work takes. Of each only what a short one
     * has: a processor that sees all lines read in order reads on by itself, into what their poster is just writing.
     *
     * @param most requests
     * @return index after the last, as far as {@link #hasNext} has seen them
     */
    public long fetch(int most) {
        long end = Math.min(publishedSeen, next + most);
        long words = 0;
        for (long i = next; i < end; i++) {
            int slot = slot(i);
            words += buffer.getLong(slot) + buffer.getLong(slot + SendWqeDescriptor.DATA);
        }
        fetched = words;
        return end;
    }

    /** Engine: whether the request at an index was published when {@link #hasNext} last looked. */
    public boolean isSeen(long index) {
        return index < publishedSeen;
    }

    /** Engine: the request at {@code next} has been sent whole. */
    public void advanceNext() {
        next++;
    }

    /** Engine: goes back to an earlier request, at or after head. */
    public void rewind(long index) {
        next = index;
    }

    /** Engine: the oldest request is complete; its slot is still intact until {@link #releaseConsumed}. */
    public void advanceHead() {
        head++;
        if (next < head) {
            next = head;
        }
    }

    /** Engine: gives completed slots back to the poster. */
    public void releaseConsumed() {
        consume(head);
        SendSource from = source;
        if (from != null) {
            from.completed(head);
        }
    }

    /** Poster and engine both at rest: forgets everything (a move to RESET). */
    public void reset() {
        produced = 0;
        consumedSeen = 0;
        if (batchStart != NO_BATCH) {
            batchStart = 0; // what was in the batch is forgotten, it stays open
        }
        head = 0;
        next = 0;
        publishedSeen = 0;
        first = 0;
        firstSeen = 0;
        nextLook = 0;
        publish(0);
        consume(0);
    }
}
