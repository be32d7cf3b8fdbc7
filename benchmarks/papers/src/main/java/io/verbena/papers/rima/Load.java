package io.verbena.papers.rima;

import io.verbena.nic.PostResult;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.sim.Actor;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;
import java.util.ArrayList;
import java.util.List;

/**
 * What the clients send: messages of a workload's sizes, at its gaps scaled to a rate (open loop), or as fast as a
 * window lets them (closed loop).
 */
final class Load implements Actor {
    /** Of so many messages one has the largest size, so that what a queue must be ready for comes. */
    static final int INJECT_EVERY = 100_000;

    private static final int NOTHING = -1;
    private static final int WINDOW = 64;
    private static final int DEEP = 1024;

    private final IncastWorld world;
    private final ServedQueue queue;
    private final int largest;
    private final boolean open;
    private final List<Source> sources = new ArrayList<>();
    private final SendRequest request = new SendRequest();
    private long posted;
    private long bytes;

    private static final class Source {
        final QueuePair[] lanes;
        final int key;
        final EtcWorkload workload;
        long nextNanos;
        int due; // messages whose time has come
        int drawn = NOTHING; // length of the next one, drawn while its lane had no room

        Source(QueuePair[] lanes, int key, EtcWorkload workload) {
            this.lanes = lanes;
            this.key = key;
            this.workload = workload;
        }
    }

    /**
     * A load on a world's clients.
     *
     * @param sizes of messages; the largest of them is injected
     * @param rate messages a second of all clients together; 0 for as many as can be
     */
    Load(IncastWorld world, ServedQueue queue, SizeDistribution sizes, double rate, long seed) {
        this.world = world;
        this.queue = queue;
        largest = (int) sizes.max();
        open = rate > 0;
        int count = world.clients().size();
        for (int i = 0; i < count; i++) {
            IncastWorld.Client client = world.clients().get(i);
            QueuePair[] lanes = new QueuePair[queue.lanes()];
            for (int lane = 0; lane < lanes.length; lane++) {
                lanes[lane] = world.connect(
                        client, new QueuePairAttributes().maxSend(open ? DEEP : WINDOW), queue.serverEnd(lane));
            }
            EtcWorkload workload = new EtcWorkload(EtcVariant.ETC_RIMA, seed * count + i)
                    .sizes(sizes)
                    .load(open ? rate / count : 1);
            Source source = new Source(lanes, client.source.key(), workload);
            source.nextNanos = world.simulation.nowNanos() + (open ? workload.gapNanos() : 0);
            sources.add(source);
        }
    }

    @Override
    public int step() {
        long now = world.simulation.nowNanos();
        int work = 0;
        for (Source source : sources) {
            while (open && source.nextNanos <= now) {
                source.nextNanos += source.workload.gapNanos();
                source.due++;
            }
            while ((!open || source.due > 0) && post(source)) {
                source.due--;
                work++;
            }
        }
        return work;
    }

    private boolean post(Source source) {
        if (source.drawn == NOTHING) {
            source.drawn = (posted + INJECT_EVERY / 2) % INJECT_EVERY == 0 ? largest : source.workload.messageBytes();
        }
        QueuePair qp = source.lanes[queue.laneOf(source.drawn)];
        if (qp.outstanding() == qp.maxSend()) {
            return false;
        }
        queue.address(request).local(source.key, 0, source.drawn).signaled(false);
        if (qp.postSend(request) != PostResult.POSTED) {
            throw new IllegalStateException("no room with " + qp.outstanding() + " outstanding");
        }
        posted++;
        bytes += source.drawn;
        source.drawn = NOTHING;
        return true;
    }

    @Override
    public long nextDeadlineNanos() {
        long next = NO_DEADLINE;
        for (Source source : sources) {
            next = Math.min(next, open ? source.nextNanos : NO_DEADLINE);
        }
        return next;
    }

    /** Messages that have arrived: acknowledged, since they are posted unsignaled in order. */
    long arrived() {
        long outstanding = 0;
        for (Source source : sources) {
            for (QueuePair lane : source.lanes) {
                outstanding += lane.outstanding();
            }
        }
        return posted - outstanding;
    }

    /** Mean length of what was posted. */
    double meanBytes() {
        return posted == 0 ? 0 : (double) bytes / posted;
    }
}
