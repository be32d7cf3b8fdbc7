package io.verbena.mux;

import io.verbena.MuxScheduler;
import io.verbena.nic.QueuePair;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.wire.AppendEthFlyweight;

/**
 * A queue pair that many channels send by, each from a queue of its own; the number of a stream tells them apart at the
 * peer. Whose turn it is says the {@link EgressScheduler}.
 *
 * <p>A stream's number is given once: what still lies in the peer's inbox when a channel is gone is never another's.
 * When all are given away the queue pair takes no more channels, and goes with the last of them.
 *
 * <p>Concurrency: streams and members under the lock of whoever makes and ends channels; the rest never changes.
 */
public final class SharedQueuePair {
    private final QueuePair queuePair;
    private final EgressScheduler scheduler;
    private final int firstDepth;
    private final int fullDepth;

    private int streams;
    private int members;
    private int live;
    private int peerQp; // 0 while that is not known
    private boolean broken;
    private boolean complete; // takes no more channels

    /**
     * Lets channels share a queue pair, which is in RESET.
     *
     * @param firstDepth requests that a channel may have outstanding at first, a power of two
     * @param fullDepth requests that it may have outstanding as soon as it needs to, a power of two
     * @param segment bytes of a long message that go at a time
     * @param discipline which channel sends next
     */
    public SharedQueuePair(QueuePair queuePair, int firstDepth, int fullDepth, int segment, MuxScheduler discipline) {
        this.queuePair = queuePair;
        this.firstDepth = Math.min(firstDepth, fullDepth);
        this.fullDepth = fullDepth;
        this.scheduler = new EgressScheduler(queuePair, segment, discipline);
    }

    /** The queue pair. */
    public QueuePair queuePair() {
        return queuePair;
    }

    /** What fills the queue pair's ring, under the engine's baton. */
    public SendSource source() {
        return scheduler;
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
        return new SharedPath(this, streams, channelWeight, firstDepth);
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

    /** The inbox of the peer is known that a channel leads to. */
    public void leadsTo(int queueId) {
        scheduler.leadsTo(queueId);
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

    EgressScheduler scheduler() {
        return scheduler;
    }

    int firstDepth() {
        return firstDepth;
    }

    int fullDepth() {
        return fullDepth;
    }

    @Override
    public String toString() {
        return queuePair + ", shared by " + members;
    }
}
