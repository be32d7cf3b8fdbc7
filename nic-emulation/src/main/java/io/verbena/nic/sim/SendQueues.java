package io.verbena.nic.sim;

import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import io.verbena.nic.wire.RethFlyweight;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.collections.Int2ObjectHashMap;

/**
 * The work queue elements of the queue pairs whose host tells the NIC what it posts ({@link HostQueuePair}), and the
 * cache that holds some of them. An element has a slot of its own:
 *
 * <pre>
 *   doorbell      the first element since the last one comes with it and is in the cache; the others stay in memory
 *   start         an element that stayed in memory is fetched; one that was pushed out of the cache is fetched again
 *   completion    the element is needed once more, may be fetched again, and leaves the cache
 * </pre>
 *
 * <p>So a queue pair whose requests under way are more than the cache holds pays a fetch or two a request, also if it
 * is the only one (RDMAbox III-A). Requests complete in order, by what their peer acknowledges; unreliable ones when
 * they have been sent. What no host tells of is one batch a queue pair, which is one entry. Not thread-safe.
 */
final class SendQueues {
    private final NicCache cache;
    private final Int2ObjectHashMap<SendQueue> queues = new Int2ObjectHashMap<>();
    private long missNanos;
    private long fetchNanos;
    private long completionNanos;
    private long posted;
    private long doorbells;
    private long fetches;
    private long misses;
    private long completions;
    private int transfers;

    SendQueues(NicCache cache, long missNanos, long fetchNanos, long completionNanos) {
        this.cache = cache;
        this.missNanos = missNanos;
        this.fetchNanos = fetchNanos;
        this.completionNanos = completionNanos;
    }

    /** The same costs and counts with another cache, which is empty. */
    SendQueues with(NicCache other, long nanosOfMiss) {
        return new SendQueues(other, nanosOfMiss, fetchNanos, completionNanos);
    }

    void fetch(long nanos) {
        fetchNanos = nanos;
    }

    void completion(long nanos) {
        completionNanos = nanos;
    }

    /** A host has put an element into a send queue. */
    void post(int qp, boolean reliable, int mtu, boolean signaled) {
        SendQueue queue = queues.get(qp);
        if (queue == null) {
            queue = new SendQueue(qp, reliable, mtu);
            queues.put(qp, queue);
        }
        queue.add(signaled);
        posted++;
    }

    /** A host has rung: the first element since the last doorbell comes with it. */
    void ring(int qp) {
        doorbells++;
        SendQueue queue = queues.get(qp);
        if (queue != null && queue.rung < queue.posted) {
            queue.flags[queue.at(queue.rung)] |= SendQueue.PUSHED;
            cache.put(queue.key(queue.rung));
            queue.rung = queue.posted;
        }
    }

    /** What it takes to start or end the requests of a packet that is sent, in nanoseconds. */
    long send(int qp, Opcode opcode, DirectBuffer b, int offset) {
        SendQueue queue = queues.get(qp);
        int psn = BthFlyweight.psn(b, offset);
        long cost = 0;
        if (opcode.startsMessage()) {
            int requests =
                    opcode == Opcode.APPEND_RUN ? AppendEthFlyweight.messages(b, offset + opcode.appendEthOffset()) : 1;
            if (queue == null) {
                return lookUp(qp);
            }
            int packets = opcode == Opcode.READ_REQUEST
                    ? packets(RethFlyweight.length(b, offset + opcode.rethOffset()), queue.mtu)
                    : 1;
            for (int i = 0; i < requests; i++) {
                int first = Psn.add(psn, i);
                cost += start(queue, first, Psn.add(first, packets - 1), opcode.endsMessage());
            }
        } else if (queue != null) {
            queue.sent(psn, opcode.endsMessage());
        }
        if (queue != null && !queue.reliable && opcode.endsMessage()) {
            cost += complete(queue, psn);
        }
        return cost;
    }

    /** What it takes to complete the requests that a packet from the peer answers, in nanoseconds. */
    long answered(int qp, Opcode opcode, DirectBuffer b, int offset) {
        SendQueue queue = queues.get(qp);
        if (queue == null) {
            return 0;
        }
        int psn = BthFlyweight.psn(b, offset);
        boolean all = opcode == Opcode.ACKNOWLEDGE
                ? AethSyndrome.isAck(AethFlyweight.syndrome(b, offset + opcode.aethOffset()))
                : opcode.endsMessage();
        return complete(queue, all ? psn : Psn.add(psn, Psn.MASK));
    }

    /** What it takes to write a completion into the host's memory, in nanoseconds. */
    long completion() {
        completions++;
        if (completionNanos > 0) {
            transfers++;
        }
        return completionNanos;
    }

    /** Elements and completions that have gone over PCIe since the last call. */
    int takeTransfers() {
        int taken = transfers;
        transfers = 0;
        return taken;
    }

    long posted() {
        return posted;
    }

    long doorbells() {
        return doorbells;
    }

    long fetches() {
        return fetches;
    }

    long misses() {
        return misses;
    }

    long completions() {
        return completions;
    }

    private long start(SendQueue queue, int first, int last, boolean ends) {
        if (queue.hasSent(first)) {
            long again = queue.underWay(first);
            return again < 0 ? 0 : lookUp(queue.key(again));
        }
        if (queue.started == queue.rung) {
            return lookUp(queue.number); // went past the host
        }
        long element = queue.start(first, last, ends);
        if ((queue.flags[queue.at(element)] & SendQueue.PUSHED) != 0) {
            return lookUp(queue.key(element));
        }
        cache.put(queue.key(element));
        fetches++;
        if (fetchNanos > 0) {
            transfers++;
        }
        return fetchNanos;
    }

    private long complete(SendQueue queue, int psn) {
        long cost = 0;
        while (queue.isDone(psn)) {
            long element = queue.completed++;
            if (!cache.take(queue.key(element))) {
                cost += missed();
            }
            if ((queue.flags[queue.at(element)] & SendQueue.SIGNALED) != 0) {
                cost += completion();
            }
        }
        return cost;
    }

    private long lookUp(long key) {
        return cache.use(key) ? 0 : missed();
    }

    private long missed() {
        misses++;
        return missNanos;
    }

    private static int packets(int length, int mtu) {
        return Math.max(1, (length + mtu - 1) / mtu);
    }

    /** The elements of a queue pair from the oldest that is not complete to the youngest that is posted. */
    private static final class SendQueue {
        static final int SIGNALED = 1;
        static final int PUSHED = 2;
        static final int ENDED = 4;
        private static final int KEY_SHIFT = 32;
        private static final long SLOT_MASK = (1L << KEY_SHIFT) - 1;

        final int number;
        final boolean reliable;
        final int mtu;
        long posted;
        long rung;
        long started;
        long completed;
        int[] firstPsn = new int[16];
        int[] lastPsn = new int[16];
        int[] flags = new int[16];

        SendQueue(int number, boolean reliable, int mtu) {
            this.number = number;
            this.reliable = reliable;
            this.mtu = mtu;
        }

        int at(long element) {
            return (int) element & (flags.length - 1);
        }

        /** No other element's, nor a queue pair's number. */
        long key(long element) {
            return (number + 1L) << KEY_SHIFT | (element & SLOT_MASK);
        }

        void add(boolean signaled) {
            if (posted - completed == flags.length) {
                grow();
            }
            flags[at(posted++)] = signaled ? SIGNALED : 0;
        }

        private void grow() {
            int[] first = firstPsn;
            int[] last = lastPsn;
            int[] old = flags;
            firstPsn = Arrays.copyOf(first, first.length * 2);
            lastPsn = Arrays.copyOf(last, last.length * 2);
            flags = Arrays.copyOf(old, old.length * 2);
            for (long element = completed; element < posted; element++) {
                int from = (int) element & (old.length - 1);
                firstPsn[at(element)] = first[from];
                lastPsn[at(element)] = last[from];
                flags[at(element)] = old[from];
            }
        }

        /** Whether a PSN is one of a request that has started. */
        boolean hasSent(int psn) {
            return started > 0 && !Psn.after(psn, lastPsn[at(started - 1)]);
        }

        /** The element under way that a PSN belongs to; -1 if it is complete. */
        long underWay(int psn) {
            for (long element = started - 1; element >= completed; element--) {
                if (!Psn.after(firstPsn[at(element)], psn)) {
                    return element;
                }
            }
            return -1;
        }

        long start(int first, int last, boolean ends) {
            long element = started++;
            firstPsn[at(element)] = first;
            lastPsn[at(element)] = last;
            flags[at(element)] |= ends ? ENDED : 0;
            return element;
        }

        /** A packet of the request that started last, or an earlier one again. */
        void sent(int psn, boolean ends) {
            if (started > completed && Psn.after(psn, lastPsn[at(started - 1)])) {
                lastPsn[at(started - 1)] = psn;
                flags[at(started - 1)] |= ends ? ENDED : 0;
            }
        }

        /** Whether the oldest element is complete if all up to a PSN is. */
        boolean isDone(int psn) {
            return completed < started
                    && (flags[at(completed)] & ENDED) != 0
                    && !Psn.after(lastPsn[at(completed)], psn);
        }
    }
}
