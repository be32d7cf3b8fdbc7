package io.verbena.papers.rdmabox;

import io.verbena.nic.Completion;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.SimLock;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * An I/O thread of RDMAbox's figure 1: it keeps its WRITEs under way at places that it draws, each with a doorbell of
 * its own, on a queue pair that all threads share, behind a lock if there is one. It spins while it may not have more
 * under way.
 */
final class WriterThread implements SimTask {
    private final BoxWorld world;
    private final HostQueuePair qp;
    private final @Nullable SimLock lock;
    private final SimRandom random;
    private final int number;
    private final int depth;
    private final int bytes;
    private final int places;
    private final long lookNanos;
    private final ArrayDeque<Long> posted = new ArrayDeque<>();
    private int underWay;
    private long done;
    private long sumNanos;

    /**
     * A thread that has not started.
     *
     * @param number that its requests have as {@code wr_id}
     * @param depth requests under way, at least 1
     * @param bytes of a request
     */
    WriterThread(BoxWorld world, HostQueuePair qp, @Nullable SimLock lock, int number, int depth, int bytes) {
        this.world = world;
        this.qp = qp;
        this.lock = lock;
        this.number = number;
        this.depth = depth;
        this.bytes = bytes;
        this.places = world.bytes() / bytes;
        this.lookNanos = 2 * world.model().lineNanos(); // there and back
        this.random = world.simulation.newRandom();
    }

    @Override
    public void step(SimThread self) {
        if (underWay == depth) {
            self.run(lookNanos);
            return;
        }
        underWay++;
        if (lock != null) {
            self.acquire(lock);
        }
        qp.post(self, world.write(0, (long) random.nextInt(places) * bytes, bytes, number));
        qp.doorbell(self);
        self.then(() -> posted.add(world.now()));
        if (lock != null) {
            self.release(lock);
        }
    }

    /** One of its requests has ended. */
    void ended(Completion completion) {
        BoxWorld.check(completion);
        underWay--;
        done++;
        sumNanos += world.now() - posted.remove();
    }

    /** Counts from now on. */
    void record() {
        done = 0;
        sumNanos = 0;
    }

    /** Requests that have ended. */
    long done() {
        return done;
    }

    /** Time from doorbells to ends, summed up. */
    long sumNanos() {
        return sumNanos;
    }
}
