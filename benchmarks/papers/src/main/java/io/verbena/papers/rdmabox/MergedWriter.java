package io.verbena.papers.rdmabox;

import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.List;

/**
 * An I/O thread of RDMAbox's figure 8: as {@link WriterThread}, but its WRITEs go through merge queues, of which each
 * has blocks of the memory. It draws the places, or writes its own part of the memory from end to end.
 */
final class MergedWriter implements SimTask {
    private static final int BLOCK = 128 << 10;

    private final List<MergingPair> pairs;
    private final SimRandom random;
    private final boolean draws;
    private final int depth;
    private final int bytes;
    private final int first; // of its places
    private final int places;
    private final long lookNanos;
    private final RemoteAccess.Ending onEnd = this::onEnd;
    private int next;
    private int underWay;
    private long done;

    /**
     * A thread that has not started.
     *
     * @param number of it, from 0
     * @param threads that there are
     * @param draws its places from all of the memory
     * @param depth requests under way, at least 1
     * @param bytes of a request
     */
    MergedWriter(
            BoxWorld world, List<MergingPair> pairs, int number, int threads, boolean draws, int depth, int bytes) {
        this.pairs = List.copyOf(pairs);
        this.draws = draws;
        this.depth = depth;
        this.bytes = bytes;
        this.places = world.bytes() / bytes / (draws ? 1 : threads);
        this.first = draws ? 0 : number * places;
        this.lookNanos = 2 * world.model().lineNanos(); // there and back
        this.random = world.simulation.newRandom();
        this.next = random.nextInt(places); // else all begin at the same queue pair
    }

    @Override
    public void step(SimThread self) {
        if (underWay == depth) {
            self.run(lookNanos);
            return;
        }
        underWay++;
        int place = draws ? random.nextInt(places) : first + next++ % places;
        long offset = (long) place * bytes;
        pairs.get((int) (offset / BLOCK % pairs.size())).move(self, false, offset, bytes, 1, onEnd);
    }

    private void onEnd(SimThread by) {
        underWay--;
        done++;
    }

    /** Counts from now on. */
    void record() {
        done = 0;
    }

    /** Requests that have ended. */
    long done() {
        return done;
    }
}
