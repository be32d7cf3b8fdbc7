package io.verbena.nic.append;

import io.verbena.nic.port.MemoryExhaustedException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
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
 * <p>Off-heap buffers of powers of two, which count in the queue's footprint and under its limit. Some of each size are
 * kept for the next message, and given back when none has come for a while. Where there is none, a short one is made at
 * once. For a longer one the sender is told to retry and the allocator makes it, since that zeroes pages and may
 * wait for the collector; only for a sender that does not retry is it made at once too.
 *
 * <p>Concurrency: any engine of the owner takes and gives; {@link #serve}, {@link #trim}, {@link #release} and
 * {@link #drained} under the queue's maintenance flag.
 */
final class Staging {
    private static final int MIN_BITS = 12;
    private static final int KEPT = 64;
    private static final int MAX_REQUESTS = 1024;

    /**
     * Longest buffer that is made at once: to zero it takes an engine as long as to copy a slice of a large request.
     */
    private static final int AT_ONCE = 256 * 1024;

    private final AppendQueue queue;
    private final Footprint footprint;
    private final UnfinishedMessages unfinished;
    private final AtomicReferenceArray<@Nullable MpmcVarHandleArrayQueue<AtomicBuffer>> kept =
            new AtomicReferenceArray<>(Integer.SIZE - MIN_BITS);
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong lent = new AtomicLong();
    private final AtomicReferenceArray<@Nullable StagingRequest> requests = new AtomicReferenceArray<>(MAX_REQUESTS);
    private final AtomicInteger open = new AtomicInteger(); // requests that are not free, or more
    private int nextRequest; // that the next turn begins with
    private volatile boolean used; // since trim has looked
    private volatile int longestAtOnce = AT_ONCE;

    Staging(AppendQueue queue, Footprint footprint, UnfinishedMessages unfinished) {
        this.queue = queue;
        this.footprint = footprint;
        this.unfinished = unfinished;
    }

    /** Lets the allocator make also what is short, so that a test need not be long. */
    void makeAtOnce(int longest) {
        longestAtOnce = longest;
    }

    private static int sizeClass(int length) {
        return Math.max(0, Integer.SIZE - MIN_BITS - Integer.numberOfLeadingZeros(Math.max(1, length) - 1));
    }

    /**
     * Bytes of the buffer for a message.
     *
     * @param length of the message, at most 2^30
     */
    static int capacity(int length) {
        return 1 << (MIN_BITS + sizeClass(length));
    }

    /**
     * A buffer of at least this many bytes, or null if there is none now. Its contents are anything.
     *
     * @param length of the message
     * @param qpNumber by which it comes; one at a time each
     * @param againNanos after which its sender retries if there is none, {@link LargeAppender#NEVER} if it does not
     */
    @Nullable
    AtomicBuffer take(int length, int qpNumber, long againNanos) {
        if (!used) {
            used = true;
        }
        lent.incrementAndGet(); // first: a destroyed queue ends when nothing is lent, and lends nothing
        AtomicBuffer buffer = queue.isDestroyed() ? null : find(length, qpNumber, againNanos);
        if (buffer == null) {
            lent.decrementAndGet();
        }
        return buffer;
    }

    private @Nullable AtomicBuffer find(int length, int qpNumber, long againNanos) {
        StagingRequest own = open.get() == 0 ? null : requestOf(qpNumber);
        AtomicBuffer made = own == null ? null : own.fetch();
        if (made != null) {
            open.decrementAndGet();
            if (made.capacity() >= length) {
                return made;
            }
            keep(made);
            unfinished.end(qpNumber);
            own = null;
        }
        int sizeClass = sizeClass(length);
        AtomicBuffer buffer = kept(sizeClass);
        boolean asks = buffer == null && againNanos >= 0 && capacity(length) > longestAtOnce;
        if (own != null && (!asks || own.sizeClass() < sizeClass)) {
            withdraw(own);
            own = null;
        }
        if (asks && own == null) {
            ask(qpNumber, sizeClass, againNanos);
        }
        return buffer != null || asks ? buffer : allocate(capacity(length), qpNumber);
    }

    private @Nullable AtomicBuffer kept(int sizeClass) {
        MpmcVarHandleArrayQueue<AtomicBuffer> same = kept.get(sizeClass);
        return same == null ? null : same.poll();
    }

    private @Nullable StagingRequest requestOf(int qpNumber) {
        StagingRequest request;
        for (int i = 0; i < requests.length() && (request = requests.get(i)) != null; i++) {
            if (request.isOf(qpNumber)) {
                return request;
            }
        }
        return null;
    }

    private void withdraw(StagingRequest request) {
        if (request.withdraw()) {
            open.decrementAndGet();
        }
    }

    private void ask(int qpNumber, int sizeClass, long againNanos) {
        open.incrementAndGet(); // first: nobody finds that there is none while there is one
        int end = 0;
        for (StagingRequest place; end < requests.length() && (place = requests.get(end)) != null; end++) {
            if (place.ask(qpNumber, sizeClass, againNanos)) {
                return;
            }
        }
        StagingRequest made = new StagingRequest();
        if (end < requests.length()
                && requests.compareAndSet(end, null, made)
                && made.ask(qpNumber, sizeClass, againNanos)) {
            return;
        }
        open.decrementAndGet(); // another engine was faster, or there are too many: the sender asks again
    }

    /**
     * Finds or makes a buffer for a queue pair that has asked for one, or takes back one that nobody has fetched.
     *
     * @param now in nanoseconds
     * @param surplusNanos for which it is kept at least
     * @return work done
     */
    int serve(long now, long surplusNanos) {
        if (open.get() == 0) {
            return 0;
        }
        int count = 0;
        while (count < requests.length() && requests.get(count) != null) {
            count++;
        }
        for (int i = 0; i < count; i++) {
            int index = (nextRequest + i) % count;
            StagingRequest request = requests.get(index);
            if (request != null && serve(request, now, surplusNanos)) {
                nextRequest = index + 1;
                return 1;
            }
        }
        return 0;
    }

    private boolean serve(StagingRequest request, long now, long surplusNanos) {
        if (request.state() == StagingRequest.READY) {
            return request.isLate(now, surplusNanos) && reclaim(request);
        }
        if (!request.begin()) {
            return false;
        }
        AtomicBuffer buffer = kept(request.sizeClass());
        if (buffer == null) {
            buffer = allocate(1 << (MIN_BITS + request.sizeClass()), request.qpNumber());
        }
        if (buffer != null) {
            unfinished.begin(request.qpNumber());
            request.serve(buffer, now);
            return true;
        }
        if (request.refuse(now, surplusNanos)) {
            open.decrementAndGet();
        }
        return false;
    }

    /** Takes back what was made for a request, if it was not fetched. */
    private boolean reclaim(StagingRequest request) {
        int qpNumber = request.qpNumber();
        AtomicBuffer made = request.fetch();
        if (made == null) {
            return false;
        }
        unfinished.end(qpNumber);
        open.decrementAndGet();
        keep(made);
        return true;
    }

    private @Nullable AtomicBuffer allocate(int capacity, int qpNumber) {
        if (!footprint.reserveFor(qpNumber, capacity, unfinished)) {
            return null;
        }
        try {
            AtomicBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(capacity));
            bytes.addAndGet(capacity);
            return buffer;
        } catch (OutOfMemoryError e) { // of direct memory; the heap is not concerned
            footprint.release(capacity);
            footprint.refused(new MemoryExhaustedException("a buffer of " + capacity
                    + " bytes for messages in parts: the JVM has no more direct memory (" + e.getMessage()
                    + "); raise -XX:MaxDirectMemorySize"));
            return null;
        }
    }

    void give(AtomicBuffer buffer) {
        keep(buffer);
        lent.decrementAndGet();
    }

    private void keep(AtomicBuffer buffer) {
        int sizeClass = sizeClass(buffer.capacity());
        MpmcVarHandleArrayQueue<AtomicBuffer> same = kept.get(sizeClass);
        if (same == null) {
            kept.compareAndSet(sizeClass, null, new MpmcVarHandleArrayQueue<>(KEPT));
            same = kept.get(sizeClass);
        }
        if (same == null || !same.offer(buffer)) {
            free(buffer);
        }
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
        StagingRequest request;
        for (int i = 0; i < requests.length() && (request = requests.get(i)) != null; i++) {
            withdraw(request);
            reclaim(request);
        }
        release();
        return idle;
    }

    /** Bytes of all buffers, lent and kept. Any thread. */
    long bytes() {
        return bytes.get();
    }
}
