package io.verbena.papers.avatar;

import io.verbena.MuxScheduler;
import io.verbena.mux.SharedQueuePair;
import io.verbena.nic.QueuePair;
import io.verbena.nic.queue.SendSource;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostFeed;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimLock;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the connections of a world in one {@link Way}. What is shared is shared by those of one class: strict and other
 * traffic never meet on a queue pair.
 */
final class Sharing {
    private static final int DEPTH = 256; // LITE's RECV_DEPTH, and room for all that a thread has under way

    private final AvatarWorld world;
    private final Way way;
    private final int signalEvery;
    private final Lane bulk = new Lane();
    private final Lane urgent = new Lane();
    private @Nullable Worker worker;
    private @Nullable HostCompletionQueue completions; // the Worker's
    private int connections;

    /** What the connections of one class share. */
    private static final class Lane {
        final List<LockedQueuePair> locked = new ArrayList<>();

        @Nullable
        SharedQueuePair mux;

        @Nullable
        PrintedSource printed;
    }

    /**
     * Begins.
     *
     * @param signalEvery where a connection posts itself, one of so many of its requests is signaled, at least 1
     */
    Sharing(AvatarWorld world, Way way, int signalEvery) {
        this.world = world;
        this.way = way;
        this.signalEvery = signalEvery;
    }

    /** Another connection, before {@link #start}. */
    Connection connect(boolean isUrgent) {
        int number = connections++;
        Lane lane = isUrgent ? urgent : bulk;
        if (way == Way.OWN || way == Way.EVENT) {
            HostCompletionQueue own = world.completions(DEPTH);
            QueuePair qp = world.connect(world.queuePair(own.queue(), DEPTH), isUrgent);
            return new OwnConnection(number, world.source, host(qp), own, signalEvery);
        }
        if (way.locked() > 0) {
            while (lane.locked.size() < way.locked()) {
                lane.locked.add(locked(isUrgent));
            }
            return lane.locked.get(number % way.locked()).join(number);
        }
        Worker serves = worker();
        Connection connection = way == Way.MUX
                ? new MuxChannel(number, world.source, mux(lane, isUrgent).join(1), serves, world.host)
                : new PrintedChannel(number, printed(lane, isUrgent), serves, world.host);
        serves.add(connection);
        return connection;
    }

    private HostQueuePair host(QueuePair qp) {
        return new HostQueuePair(qp, world.nic, world.cores);
    }

    private LockedQueuePair locked(boolean isUrgent) {
        HostCompletionQueue shared = world.completions(4 * DEPTH);
        QueuePair qp = world.connect(world.queuePair(shared.queue(), 4 * DEPTH), isUrgent);
        SimLock lock = world.cores.lock(way == Way.MUTEX ? SimLock.Kind.MUTEX : SimLock.Kind.SPIN);
        return new LockedQueuePair(world.source, host(qp), shared, lock, signalEvery);
    }

    private Worker worker() {
        Worker known = worker;
        if (known == null) {
            HostCompletionQueue own = world.completions(4 * DEPTH);
            known = new Worker(world, own, way != Way.MUX);
            worker = known;
            completions = own;
        }
        return known;
    }

    private SharedQueuePair mux(Lane lane, boolean isUrgent) {
        SharedQueuePair known = lane.mux;
        if (known == null) {
            QueuePair qp = shared();
            known = new SharedQueuePair(
                    qp, MuxChannel.DEPTH, MuxChannel.DEPTH, Source.SEGMENT, MuxScheduler.DEFICIT_ROUND_ROBIN);
            lane.mux = known;
            feed(qp, known.source(), isUrgent);
        }
        return known;
    }

    private PrintedSource printed(Lane lane, boolean isUrgent) {
        PrintedSource known = lane.printed;
        if (known == null) {
            QueuePair qp = shared();
            known = new PrintedSource(qp, world.source, way == Way.FAIR);
            lane.printed = known;
            feed(qp, known, isUrgent);
        }
        return known;
    }

    private QueuePair shared() {
        HostCompletionQueue known = completions;
        if (known == null) {
            throw new IllegalStateException("no Worker");
        }
        return world.queuePair(known.queue(), 2 * Worker.DEPTH);
    }

    private void feed(QueuePair qp, SendSource source, boolean isUrgent) {
        worker().add(new HostFeed(qp, source, Worker.DEPTH, world.nic, world.cores));
        world.connect(qp, isUrgent);
    }

    /** Starts the Worker, if there is one. */
    void start() {
        Worker known = worker;
        if (known != null) {
            world.cores.start("worker", known);
        }
    }
}
