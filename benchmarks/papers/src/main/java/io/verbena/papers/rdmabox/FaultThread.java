package io.verbena.papers.rdmabox;

import io.verbena.nic.Completion;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread of an application that computes and pages, as {@link PagingThread} does: each fault reads a cluster of pages
 * from a peer, a request each, some write as many first; it sleeps until all have ended. Pages go through registered
 * memory: written ones are copied to it by this thread, read ones from it by who takes the completion.
 */
final class FaultThread implements SimTask {
    /** Bytes of a page. */
    static final int PAGE = 4096;

    private static final int CLUSTER = 8;
    private static final double WRITES = 0.25; // SYS
    private static final long LONGEST = TimeUnit.SECONDS.toNanos(1);

    private final BoxWorld world;
    private final List<HostQueuePair> qps; // one a peer
    private final int number;
    private final long computeNanos;
    private final long copyNanos;
    private final SimRandom random;
    private @Nullable SimThread self;
    private boolean reads; // what it waits for
    private boolean computes = true;
    private int underWay;
    private long faults;

    /**
     * A thread that has not started.
     *
     * @param qps one a peer
     * @param number that its requests have as {@code wr_id}
     * @param computeNanos between two faults
     */
    FaultThread(BoxWorld world, List<HostQueuePair> qps, int number, long computeNanos) {
        this.world = world;
        this.qps = List.copyOf(qps);
        this.number = number;
        this.computeNanos = computeNanos;
        this.copyNanos = world.model().copyNanos(PAGE);
        this.random = world.simulation.newRandom();
    }

    @Override
    public void step(SimThread thread) {
        self = thread;
        if (underWay > 0) {
            thread.park(LONGEST);
        } else if (computes) {
            computes = false;
            thread.run(random.nextLong(2 * computeNanos));
            if (random.nextInt(CLUSTER) < WRITES * CLUSTER) {
                reads = false;
                post(thread);
            }
        } else if (!reads) {
            reads = true;
            post(thread);
        } else {
            reads = false;
            computes = true;
            faults++;
            thread.run(0);
        }
    }

    private void post(SimThread thread) {
        int peer = random.nextInt(qps.size());
        underWay = CLUSTER;
        for (int i = 0; i < CLUSTER; i++) {
            long offset = (long) i * PAGE;
            if (reads) {
                qps.get(peer).post(thread, world.read(peer, offset, PAGE, number));
            } else {
                thread.run(copyNanos);
                qps.get(peer).post(thread, world.write(peer, offset, PAGE, number));
            }
            qps.get(peer).doorbell(thread);
        }
    }

    /**
     * One of its requests has ended.
     *
     * @param by the thread that has found it, and goes on with it
     * @param isHandedOn does not copy
     */
    void ended(Completion completion, SimThread by, boolean isHandedOn) {
        BoxWorld.check(completion);
        if (reads && !isHandedOn) {
            by.run(copyNanos);
        }
        by.then(() -> {
            if (--underWay == 0 && self != null) {
                self.wake();
            }
        });
    }

    /** Faults that are over. */
    long faults() {
        return faults;
    }
}
