package io.verbena.papers.avatar;

import io.verbena.nic.Completion;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostFeed;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Avatar's Worker (3.1, 3.4): the thread that moves requests from egress queues to the queue pairs to one node, and
 * takes their completions. It polls until there has been nothing for an interval, then it sleeps until a connection or
 * the NIC wakes it.
 */
final class Worker implements SimTask {
    /** Bytes of a queue pair under way from which on nothing more is moved: what a round trip carries at 100 Gb/s. */
    static final int WINDOW = 64 << 10;

    /** Requests of a queue pair under way. */
    static final int DEPTH = 64;

    /** Nanoseconds without work after which it sleeps. */
    static final long IDLE_NANOS = 50_000;

    private static final int POLLED = 32;
    private static final int EVENTS = 16; // of one epoll_wait
    private static final long MAX_SLEEP_NANOS = 1_000_000_000;

    private final AvatarWorld world;
    private final HostCompletionQueue completions;
    private final boolean byEvents;
    private final long systemCall;
    private final List<HostFeed> feeds = new ArrayList<>();
    private final List<@Nullable Connection> connections = new ArrayList<>();
    private @Nullable SimThread thread;
    private final BitSet readable = new BitSet(); // eventfds that were written and not read since
    private long posted;
    private long moved;
    private long workedAt;

    /**
     * Creates one that is not started.
     *
     * @param completions of all its queue pairs
     * @param byEvents whether connections tell it by an eventfd each, which it waits for with epoll, as printed; else
     *     by a list in memory
     */
    Worker(AvatarWorld world, HostCompletionQueue completions, boolean byEvents) {
        this.world = world;
        this.completions = completions;
        this.byEvents = byEvents;
        this.systemCall = world.host.systemCallNanos();
    }

    /** Serves a queue pair from here on; all of them before it starts. */
    void add(HostFeed feed) {
        feeds.add(feed);
    }

    /** Tells a connection what is complete. */
    void add(Connection connection) {
        while (connections.size() <= connection.number()) {
            connections.add(null);
        }
        connections.set(connection.number(), connection);
    }

    /** What a connection's thread pays to tell of something new, beside what it does in memory. */
    long tellNanos() {
        return byEvents ? systemCall : 0;
    }

    /** A connection has so many requests more. */
    void tell(Connection connection, int requests) {
        posted += requests;
        readable.set(connection.number());
        SimThread sleeper = thread;
        if (sleeper != null) {
            sleeper.wake();
        }
    }

    @Override
    public void step(SimThread self) {
        thread = self;
        int work = completions.poll(self, this::completed, POLLED);
        takeEvents(self);
        for (int i = 0; i < feeds.size(); i++) {
            work += fill(feeds.get(i), self);
        }
        long now = world.now();
        if (work > 0) {
            workedAt = now;
        } else if (now - workedAt < IDLE_NANOS) {
            self.run(AvatarWorld.LOOK_NANOS);
        } else {
            self.awaitEvent(() -> posted > moved || !completions.queue().isEmpty(), MAX_SLEEP_NANOS);
            self.then(() -> workedAt = world.now());
        }
    }

    private int fill(HostFeed feed, SimThread self) {
        int all = 0;
        while (feed.bytes() < WINDOW) {
            int taken = feed.move(self);
            if (taken == 0) {
                break;
            }
            all += taken;
        }
        moved += all;
        return all;
    }

    /** epoll_wait, and a read of each eventfd that it names. */
    private void takeEvents(SimThread self) {
        if (byEvents) {
            int read = 0;
            for (int fd = readable.nextSetBit(0); fd >= 0 && read < EVENTS; fd = readable.nextSetBit(fd + 1)) {
                readable.clear(fd);
                read++;
            }
            self.run(systemCall * (1 + read));
        }
    }

    private void completed(Completion completion) {
        int data = (int) Wire.checked(completion).wrId();
        feed(completion.qpNumber()).complete(1);
        Connection connection = connections.get(Wire.connection(data));
        if (connection == null) {
            throw new IllegalStateException("a completion of no connection: " + completion);
        }
        if (Wire.isLast(data)) {
            connection.finish(1);
        }
    }

    private HostFeed feed(int qpNumber) {
        for (HostFeed feed : feeds) {
            if (feed.queuePair().number() == qpNumber) {
                return feed;
            }
        }
        throw new IllegalStateException("no queue pair " + qpNumber);
    }
}
