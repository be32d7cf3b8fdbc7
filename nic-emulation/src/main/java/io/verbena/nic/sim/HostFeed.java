package io.verbena.nic.sim;

import io.verbena.nic.QueuePair;
import io.verbena.nic.SendFeed;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.queue.SendWqeDescriptor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A queue pair that a {@link SendSource} fills, on a host whose NIC is of silicon. Such a NIC asks no source: a thread
 * of the host does, which moves requests to the send queue, pays for each of them and for a doorbell, and learns from
 * the completion queue what is complete. So what shares a queue pair costs what it would cost there.
 *
 * <pre>
 *   posters ─▶ SendSource ── move ──▶ [ moved ] ── doorbell ──▶ send queue ─▶ NicModel
 *                  ▲                     a line and a post a request
 *                  └── complete ── completions, polled by the thread
 * </pre>
 *
 * <p>All requests have to be signaled, and to travel. One thread at a time moves and completes. Not thread-safe.
 */
public final class HostFeed implements SendSource {
    private final QueuePair qp;
    private final SendSource source;
    private final NicModel nic;
    private final HostModel host;
    private final SendFeed feed;
    private final SendRing moved;
    private final long[] lengths;
    private int mtu;
    private long rung; // requests before it are the NIC's
    private long bytes;

    /**
     * Takes the place of a source that the queue pair has.
     *
     * @param qp of type RC, in RESET
     * @param source asked by a thread from here on; what it moved before is its own affair
     * @param depth requests that may be under way, at most as many as the queue pair may send
     * @param nic of the NIC that it is on
     * @param cores whose thread moves
     */
    public HostFeed(QueuePair qp, SendSource source, int depth, NicModel nic, SimCores cores) {
        if (depth < 1 || depth > qp.maxSend()) {
            throw new IllegalArgumentException("depth " + depth + " outside 1.." + qp.maxSend());
        }
        this.qp = qp;
        this.source = source;
        this.nic = nic;
        this.host = cores.host();
        feed = qp.feed(this);
        moved = feed.queue(depth);
        lengths = new long[moved.capacity()];
    }

    /** The queue pair. */
    public QueuePair queuePair() {
        return qp;
    }

    /** Bytes of what was moved and is not complete, as far as the thread knows. */
    public long bytes() {
        return bytes;
    }

    /**
     * A thread moves what the source gives now, as far as there is room, and rings. It pays for each request the line
     * that its poster has written and a post, and for one doorbell; then the NIC has them.
     *
     * @return requests moved
     * @throws IllegalArgumentException if a request is not signaled
     */
    public int move(SimThread thread) {
        long before = moved.number();
        source.fill(moved);
        long after = moved.number();
        if (after == before) {
            return 0;
        }
        if (!moved.hasNext()) {
            throw new IllegalStateException("the source has not published what it gave");
        }
        for (long i = before; i < after; i++) {
            long header = moved.buffer().getLong(moved.slot(i) + SendWqeDescriptor.HEADER);
            if ((SendWqeDescriptor.flags(header) & SendWqeDescriptor.SIGNALED) == 0) {
                throw new IllegalArgumentException("request " + i + " is not signaled: its end would not be seen");
            }
            lengths[at(i)] = SendWqeDescriptor.length(header);
            bytes += lengths[at(i)];
        }
        int count = (int) (after - before);
        thread.run(count * (host.line + host.post) + host.mmio).then(() -> ring(after));
        return count;
    }

    private int at(long request) {
        return (int) request & (lengths.length - 1);
    }

    private void ring(long before) {
        if (mtu == 0) {
            mtu = qp.query().pathMtu();
        }
        for (long i = rung; i < before; i++) {
            nic.post(qp.number(), true, mtu, true);
        }
        rung = before;
        nic.ring(qp.number());
        feed.ring();
    }

    /** The thread has taken so many completions: the source hears of it, and there is room again. */
    public void complete(int requests) {
        for (int i = 0; i < requests; i++) {
            if (moved.head() == rung) {
                throw new IllegalStateException(requests + " requests complete, " + i + " were under way");
            }
            bytes -= lengths[at(moved.head())];
            moved.advanceHead();
        }
        moved.releaseConsumed();
        source.completed(moved.head());
    }

    @Override
    public void fill(SendRing ring) {
        while (moved.next() < rung && moved.hasNext()) {
            int slot = ring.claim();
            if (slot < 0) {
                break;
            }
            UnsafeBuffer from = moved.buffer();
            int at = moved.slot(moved.next());
            long header = from.getLong(at + SendWqeDescriptor.HEADER);
            int data = (SendWqeDescriptor.flags(header) & SendWqeDescriptor.INLINE) != 0
                    ? SendWqeDescriptor.length(header)
                    : SendWqeDescriptor.entries(header) * SendWqeDescriptor.SGE_LENGTH;
            ring.buffer().putBytes(slot, from, at, SendWqeDescriptor.DATA + data);
            ring.posted();
            moved.advanceNext();
        }
        ring.publish();
    }

    @Override
    public void completed(long before) {
        // The thread hears of it by the completion queue.
    }

    @Override
    public int weight() {
        return source.weight();
    }
}
