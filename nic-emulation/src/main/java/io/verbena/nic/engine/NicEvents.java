package io.verbena.nic.engine;

import io.verbena.nic.AsyncEvent;
import io.verbena.nic.NicCounter;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.ManyToManyConcurrentArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * What a NIC tells its application outside any completion queue: asynchronous events and management datagrams, in bounded
 * queues. A full queue drops, and counts what it dropped: neither may hold up the engine.
 */
public final class NicEvents {
    private static final int CAPACITY = 4096;

    private final ManyToManyConcurrentArrayQueue<AsyncEvent> events = new ManyToManyConcurrentArrayQueue<>(CAPACITY);
    private final ManyToManyConcurrentArrayQueue<Datagram> datagrams = new ManyToManyConcurrentArrayQueue<>(CAPACITY);
    private final AtomicLongArray counters;

    /** Creates empty queues. */
    public NicEvents(AtomicLongArray counters) {
        this.counters = counters;
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

    /** The next asynchronous event, or null. Any thread. */
    public @Nullable AsyncEvent pollEvent() {
        return events.poll();
    }

    /** The next management datagram, or null. Any thread. */
    public @Nullable Datagram pollDatagram() {
        return datagrams.poll();
    }

    /** Whether {@link #pollDatagram} or {@link #pollEvent} would find something. */
    public boolean isEmpty() {
        return datagrams.isEmpty() && events.isEmpty();
    }

    void event(AsyncEvent event) {
        if (!events.offer(event)) {
            counters.incrementAndGet(NicCounter.EVENTS_DROPPED.ordinal());
        }
    }

    void datagram(long peerNic, DirectBuffer b, int offset, int length) {
        byte[] bytes = new byte[length];
        b.getBytes(offset, bytes);
        if (!datagrams.offer(new Datagram(peerNic, bytes))) {
            counters.incrementAndGet(NicCounter.DATAGRAMS_DROPPED.ordinal());
        }
    }
}
