package io.verbena.nic.engine;

import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;
import org.agrona.collections.Long2LongCounterMap;
import org.agrona.collections.LongHashSet;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a NIC tells its application outside any completion queue: asynchronous events and management datagrams, in
 * bounded queues. A full queue drops, and counts what it dropped: neither may hold up the engine.
 *
 * <p>Events that were taken are counted for each object until they are acknowledged; destroying the object waits for
 * that, a bounded time. Events that were never taken owe nothing, and go with their object.
 *
 * <p>Concurrency: whoever raises an event touches the lock-free queue only. Whoever takes, acknowledges or destroys
 * holds this object's monitor, briefly; the wait of {@link #beginDestroy} lets it go.
 */
public final class NicEvents {
    private static final int CAPACITY = 4096;

    /** Bytes of the longest management datagram that is taken. */
    private static final int MAX_DATAGRAM = 4096;

    // Peers share the queue by a hash of their identity, so that a flood of one leaves room for the others.
    private static final int SHARE_BITS = 6;
    private static final int DATAGRAMS_PER_SHARE = CAPACITY >>> 3;

    private final ManyToManyConcurrentArrayQueue<AsyncEvent> raised = new ManyToManyConcurrentArrayQueue<>(CAPACITY);
    private final ManyToManyConcurrentArrayQueue<Datagram> datagrams = new ManyToManyConcurrentArrayQueue<>(CAPACITY);
    private final AtomicIntegerArray datagramsOf = new AtomicIntegerArray(1 << SHARE_BITS);
    private final Consumer<AsyncEvent> whenAcknowledged = this::acknowledged;
    private final AtomicLongArray counters;
    private final long acknowledgeTimeoutNanos;

    // Under the monitor.
    private final ArrayDeque<AsyncEvent> kept = new ArrayDeque<>(); // older than those in the queue
    private final Long2LongCounterMap unacknowledged = new Long2LongCounterMap(0);
    private final LongHashSet destroying = new LongHashSet();
    private boolean closed;

    private volatile boolean keeps;

    /**
     * Creates empty queues.
     *
     * @param counters of the NIC
     * @param acknowledgeTimeoutNanos how long {@link #beginDestroy} waits at most
     */
    public NicEvents(AtomicLongArray counters, long acknowledgeTimeoutNanos) {
        this.counters = counters;
        this.acknowledgeTimeoutNanos = acknowledgeTimeoutNanos;
    }

    /** A management datagram. Its bytes belong to whoever polled it. */
    public static final class Datagram {
        private final long peerNic;
        private final byte[] bytes;

        Datagram(long peerNic, byte[] bytes) {
            this.peerNic = peerNic;
            this.bytes = bytes;
        }

        /** Identity of the NIC that it came from. */
        public long peerNic() {
            return peerNic;
        }

        /** What it says; not a copy. */
        public byte[] bytes() {
            return bytes;
        }
    }

    // ---- events --------------------------------------------------------------------------------------------------

    /** Raises an event. Any thread; never blocks. */
    public void raise(AsyncEventType type, long element) {
        if (!raised.offer(new AsyncEvent(type, element, whenAcknowledged))) {
            counters.incrementAndGet(NicCounter.EVENTS_DROPPED.ordinal());
        }
    }

    /** The next asynchronous event, to be acknowledged, or null. Any thread. */
    public @Nullable AsyncEvent pollEvent() {
        return keeps || !raised.isEmpty() ? take() : null;
    }

    private synchronized @Nullable AsyncEvent take() {
        AsyncEvent event = null;
        if (destroying.isEmpty()) {
            event = kept.poll();
            if (event == null) {
                event = raised.poll();
            }
        } else {
            keepAll();
            for (Iterator<AsyncEvent> i = kept.iterator(); event == null && i.hasNext(); ) {
                AsyncEvent next = i.next();
                if (!destroying.contains(keyOf(next))) {
                    i.remove();
                    event = next;
                }
            }
        }
        keeps = !kept.isEmpty();
        if (event != null && event.type().element().isDestroyed()) {
            unacknowledged.incrementAndGet(keyOf(event));
        }
        return event;
    }

    /** An event that was taken has been acknowledged; called by the event, once. */
    private synchronized void acknowledged(AsyncEvent event) {
        if (event.type().element().isDestroyed()) {
            unacknowledged.decrementAndGet(keyOf(event));
            notifyAll();
        }
    }

    /** Events of an object that were taken and are not acknowledged. */
    public synchronized int unacknowledged(AsyncEventType.Element kind, long element) {
        return (int) unacknowledged.get(key(kind, element));
    }

    /**
     * An object is about to be destroyed: waits until its events are acknowledged; from here on none of it is taken,
     * until {@link #endDestroy}. Not to be called with the NIC's monitor held: who acknowledges may need it.
     *
     * @throws IllegalStateException (EBUSY) if some are not in time; nothing has changed then
     */
    public synchronized void beginDestroy(AsyncEventType.Element kind, long element) {
        long key = key(kind, element);
        long deadline = System.nanoTime() + acknowledgeTimeoutNanos;
        boolean interrupted = false;
        while (unacknowledged.get(key) > 0 && !closed) {
            long left = deadline - System.nanoTime();
            if (left <= 0 || interrupted) {
                throw new IllegalStateException(kind.text() + " " + element + " is busy (EBUSY): "
                        + unacknowledged.get(key) + " asynchronous events are not acknowledged");
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true; // one more look, then it is busy
                Thread.currentThread().interrupt();
            }
        }
        destroying.add(key);
    }

    /**
     * The object has been destroyed, and raises no more; or it was not, and its events may be taken again.
     *
     * @param destroyed whether the events that nobody took go with it
     */
    public synchronized void endDestroy(AsyncEventType.Element kind, long element, boolean destroyed) {
        long key = key(kind, element);
        if (!destroying.remove(key) || !destroyed) {
            return;
        }
        keepAll();
        kept.removeIf(event -> keyOf(event) == key && event.type().element() == kind);
        keeps = !kept.isEmpty();
    }

    /** The NIC is being closed: nobody waits for an acknowledgement any more. */
    public synchronized void close() {
        closed = true;
        notifyAll();
    }

    private void keepAll() {
        for (AsyncEvent event = raised.poll(); event != null; event = raised.poll()) {
            if (kept.size() < CAPACITY) {
                kept.add(event);
            } else {
                counters.incrementAndGet(NicCounter.EVENTS_DROPPED.ordinal());
            }
        }
    }

    private static long keyOf(AsyncEvent event) {
        return key(event.type().element(), event.element());
    }

    // Numbers of objects have 32 bits at most; the identity of a port is not counted.
    private static long key(AsyncEventType.Element kind, long element) {
        return ((long) kind.ordinal() << 32) | (element & 0xFFFF_FFFFL);
    }

    // ---- datagrams -----------------------------------------------------------------------------------------------

    /** The next management datagram, or null. Any thread. */
    public @Nullable Datagram pollDatagram() {
        Datagram datagram = datagrams.poll();
        if (datagram != null) {
            datagramsOf.decrementAndGet(share(datagram.peerNic));
        }
        return datagram;
    }

    private static int share(long peerNic) {
        return (int) ((peerNic * 0x9E37_79B9_7F4A_7C15L) >>> (Long.SIZE - SHARE_BITS));
    }

    /** Whether {@link #pollDatagram} or {@link #pollEvent} would find something. */
    public boolean isEmpty() {
        return datagrams.isEmpty() && raised.isEmpty() && !keeps;
    }

    void datagram(long peerNic, DirectBuffer b, int offset, int length) {
        if (length > MAX_DATAGRAM || datagramsOf.incrementAndGet(share(peerNic)) > DATAGRAMS_PER_SHARE) {
            if (length <= MAX_DATAGRAM) {
                datagramsOf.decrementAndGet(share(peerNic));
            }
            counters.incrementAndGet(NicCounter.DATAGRAMS_DROPPED.ordinal());
            return;
        }
        byte[] bytes = new byte[length];
        b.getBytes(offset, bytes);
        if (!datagrams.offer(new Datagram(peerNic, bytes))) {
            datagramsOf.decrementAndGet(share(peerNic));
            counters.incrementAndGet(NicCounter.DATAGRAMS_DROPPED.ordinal());
        }
    }
}
