package io.verbena.papers.rdmabox;

import io.verbena.nic.Completion;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;

/**
 * The load of RDMAbox's figure 2: a cluster of WRITEs, each with a doorbell of its own; when all have ended, a gap, and
 * the next. It spins while it waits, so that who polls is the only one that sleeps.
 */
final class ClusterThread implements SimTask {
    private final BoxWorld world;
    private final HostQueuePair qp;
    private final int cluster;
    private final long gapNanos;
    private final int bytes;
    private final long lookNanos;
    private int underWay;
    private int posted;
    private long done;

    /**
     * A thread that has not started.
     *
     * @param cluster requests, at least 1
     * @param gapNanos from the last end that it sees to the next post
     * @param bytes of each request
     */
    ClusterThread(BoxWorld world, HostQueuePair qp, int cluster, long gapNanos, int bytes) {
        this.world = world;
        this.qp = qp;
        this.cluster = cluster;
        this.gapNanos = gapNanos;
        this.bytes = bytes;
        this.lookNanos = 2 * world.model().lineNanos(); // there and back
    }

    @Override
    public void step(SimThread self) {
        if (posted < cluster) {
            posted++;
            underWay++;
            qp.post(self, world.write(0, 0, bytes, 0));
            qp.doorbell(self);
            return;
        }
        if (underWay > 0) {
            self.run(lookNanos);
            return;
        }
        posted = 0;
        self.run(gapNanos);
    }

    /** One of its requests has ended. */
    void ended(Completion completion) {
        BoxWorld.check(completion);
        underWay--;
        done++;
    }

    /** Requests that have ended. */
    long done() {
        return done;
    }
}
