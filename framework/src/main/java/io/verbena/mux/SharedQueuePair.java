package io.verbena.mux;

import io.verbena.nic.GroupAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.wire.AppendEthFlyweight;
import org.jspecify.annotations.Nullable;

/**
 * A queue pair that many channels send by, each from a queue of its own; the number of a stream tells them apart at the
 * peer. Those that have something to send take turns by deficit round robin in bytes, as their weights say, whenever
 * the queue pair's ring is empty. That is the work of whoever holds the engine's baton.
 *
 * <p>A stream's number is given once: what still lies in the peer's inbox when a channel is gone is never another's.
 * When all are given away the queue pair takes no more channels, and goes with the last of them.
 *
 * <p>Concurrency: {@link #fill}, {@link #completed} and {@link #weight} under the engine's baton; streams and members
 * under the lock of whoever makes and ends channels.
 */
public final class SharedQueuePair implements SendSource {
    /** Bytes that a channel of weight 1 may send in a round. */
    static final int QUANTUM = 16 << 10;

    /** What a message costs beyond its bytes. */
    static final int OVERHEAD = 64;

    /** Requests that are moved at a time: enough for a packet of short ones, and no more than need be decided early. */
    private static final int MAX_MOVED = 64;

    private static final int MAX_MOVED_BYTES = 16 << 10;

    private final QueuePair queuePair;
    private final SendFeed feed;
    private final ReadyList ready = new ReadyList();
    private final int queueDepth;
    private final int fullDepth;

    // The engine's: the round of those that have something to send, and who sent what lies in the ring.
    private @Nullable EgressQueue first;
    private @Nullable EgressQueue last;
    private int waiting; // queues in the round
    private @Nullable EgressQueue[] senders = new EgressQueue[64];
    private long done;
    private int weight; // of those that have something outstanding

    // Under the lock of whoever makes and ends channels.
    private int streams;
    private int members;
    private int live;
    private int peerQp; // 0 while that is not known
    private boolean broken;
    private boolean complete; // takes no more channels

    /**
     * Lets channels share a queue pair, which is in RESET.
     *
     * @param queueDepth requests that a channel may have outstanding at first, a power of two
     * @param fullDepth requests that it may have outstanding as soon as it needs to, a power of two
     */
    public SharedQueuePair(QueuePair queuePair, int queueDepth, int fullDepth) {
        this.queuePair = queuePair;
        this.queueDepth = Math.min(queueDepth, fullDepth);
        this.fullDepth = fullDepth;
        this.feed = queuePair.feed(this);
    }

    /** The queue pair. */
    public QueuePair queuePair() {
        return queuePair;
    }

    // ---- members ----------------------------------------------------------------------------------------------------

    /** Whether it takes another channel, now or when its peer is known. */
    public boolean hasRoom() {
        return !broken && !complete && streams < AppendEthFlyweight.MAX_STREAM && (streams == 0 || live > 0);
    }

    /**
     * Takes another channel.
     *
     * @return its path
     * @throws IllegalStateException if it has no room
     */
    public SharedPath join(int channelWeight) {
        if (!hasRoom()) {
            throw new IllegalStateException("queue pair " + queuePair.number() + " takes no more channels");
        }
        streams++;
        members++;
        live++;
        return new SharedPath(this, new EgressQueue(channelWeight, queueDepth), streams);
    }

    /** Streams that were given, from 1 on. */
    public int streams() {
        return streams;
    }

    /** Channels that have not {@linkplain #left left}. */
    public int members() {
        return members;
    }

    /** A channel begins to close: the peer may have forgotten this queue pair when all have, so nobody joins then. */
    void parts() {
        live--;
    }

    /** A channel is gone. @return whether it was the last */
    public boolean left() {
        return --members == 0;
    }

    /** The peer's queue pair is known: from here on others may join it there. */
    public void open(int peer) {
        peerQp = peer;
    }

    /** Number of the peer's queue pair; 0 while that is not known. */
    public int peerQp() {
        return peerQp;
    }

    /** No more channels join it: the peer has said so. */
    public void complete() {
        complete = true;
    }

    /** It has met an error, or is not shared after all. @return false if that was known */
    public boolean breakOff() {
        boolean was = broken;
        broken = true;
        return !was;
    }

    // ---- for paths --------------------------------------------------------------------------------------------------

    SendFeed feed() {
        return feed;
    }

    ReadyList ready() {
        return ready;
    }

    int fullDepth() {
        return fullDepth;
    }

    // ---- under the baton --------------------------------------------------------------------------------------------

    @Override
    public void fill(SendRing ring) {
        takeReady();
        int moved = 0;
        int bytes = 0;
        int passed = 0; // queues in a row that owe
        while (first != null && moved < MAX_MOVED && bytes < MAX_MOVED_BYTES) {
            EgressQueue queue = first;
            if (!queue.hasNext()) {
                leave(queue);
                continue;
            }
            if (queue.credit <= 0) {
                nextRound(queue);
                if (++passed >= waiting) {
                    skipRounds();
                    passed = 0;
                }
                continue;
            }
            int slot = ring.claim();
            if (slot < 0) {
                break;
            }
            int length = queue.move(ring.buffer(), slot);
            remember(ring, queue);
            ring.posted();
            queue.credit -= length + OVERHEAD;
            bytes += length + OVERHEAD;
            moved++;
            passed = 0;
        }
        ring.publish();
    }

    private void takeReady() {
        ReadyList.Entry entry = ready.takeAll();
        while (entry != null) {
            ReadyList.Entry next = entry.next();
            enter((EgressQueue) entry);
            entry = next;
        }
    }

    /** A queue that was empty has something to send. */
    private void enter(EgressQueue queue) {
        queue.next = null;
        queue.waits = true;
        queue.credit = (long) QUANTUM * queue.weight();
        if (!queue.counted) {
            queue.counted = true;
            weight += queue.weight();
        }
        append(queue);
    }

    private void append(EgressQueue queue) {
        EgressQueue before = last;
        if (before == null) {
            first = queue;
        } else {
            before.next = queue;
        }
        last = queue;
        waiting++;
    }

    private void removeFirst(EgressQueue queue) {
        first = (EgressQueue) queue.next;
        queue.next = null;
        waiting--;
        if (first == null) {
            last = null;
        }
    }

    /** The first has had its share: it is the last now, and owes nothing if it is alone. */
    private void nextRound(EgressQueue queue) {
        long share = (long) QUANTUM * queue.weight();
        if (queue == last) {
            queue.credit = share;
        } else {
            queue.credit += share;
            removeFirst(queue);
            append(queue);
        }
    }

    /** All owe more than a round gives, after long messages: the rounds in which none could send are given at once. */
    private void skipRounds() {
        long rounds = Long.MAX_VALUE;
        for (EgressQueue queue = first; queue != null; queue = (EgressQueue) queue.next) {
            rounds = Math.min(rounds, -queue.credit / ((long) QUANTUM * queue.weight()));
        }
        if (rounds > 0) {
            for (EgressQueue queue = first; queue != null; queue = (EgressQueue) queue.next) {
                queue.credit += rounds * QUANTUM * queue.weight();
            }
        }
    }

    /** The first is empty, or closed; unless its poster has just published something, it goes. */
    private void leave(EgressQueue queue) {
        removeFirst(queue);
        queue.waits = false;
        queue.unlist();
        if (queue.hasNext() && queue.list()) {
            enter(queue);
        } else {
            uncount(queue);
        }
    }

    private void remember(SendRing ring, EgressQueue queue) {
        if (senders.length < ring.capacity()) {
            grow(ring);
        }
        senders[(int) ring.number() & (senders.length - 1)] = queue;
    }

    /** As many places as the ring has: the requests in it are those from {@code done} on. */
    private void grow(SendRing ring) {
        @Nullable EgressQueue[] more = new EgressQueue[ring.capacity()];
        for (long i = done; i < ring.number(); i++) {
            more[(int) i & (more.length - 1)] = senders[(int) i & (senders.length - 1)];
        }
        senders = more;
    }

    @Override
    public void completed(long before) {
        while (done < before) {
            int at = (int) done++ & (senders.length - 1);
            EgressQueue queue = senders[at];
            senders[at] = null;
            if (queue != null && queue.complete()) {
                uncount(queue);
            }
        }
    }

    /** A queue may have nothing outstanding any more: then its weight does not count. */
    private void uncount(EgressQueue queue) {
        if (queue.counted && !queue.waits && !queue.isUnderWay()) {
            queue.counted = false;
            weight -= queue.weight();
        }
    }

    @Override
    public int weight() {
        return Math.max(1, Math.min(weight, GroupAttributes.MAX_WEIGHT));
    }

    void reweigh(EgressQueue queue, int value) {
        if (queue.counted) {
            weight += value - queue.weight();
        }
        queue.reweigh(value);
    }

    @Override
    public String toString() {
        return queuePair + ", shared by " + members;
    }
}
