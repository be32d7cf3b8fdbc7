package io.verbena.papers.model;

import io.verbena.nic.sim.HostModel;
import io.verbena.nic.sim.SimCores;
import io.verbena.nic.sim.SimLock;
import io.verbena.nic.sim.SimThread;
import io.verbena.nic.sim.Simulation;

/**
 * What two threads on simulated cores take for what {@link BellRoundTrip} and {@link LockedRing} do on real ones, in
 * nanoseconds.
 */
final class Predictions {
    private static final long SPAN_NANOS = 10_000_000;
    private static final long LOOK_NANOS = 15; // Thread.onSpinWait
    private static final long HEAD_START_NANOS = 50_000;
    private static final int TRACE_LINES = 16;

    private final HostModel host;

    /** Of a host whose cache lines go from core to core in so long, one way. */
    Predictions(long lineNanos) {
        host = HostModel.virtualMachine().line(lineNanos);
    }

    /** One thread stores into a line that the other loads, and back by another line. */
    double spinning() {
        World world = new World(2);
        long[] words = new long[2];
        long[] rounds = new long[1];
        for (int i = 0; i < 2; i++) {
            int own = i;
            world.cores.start("spinner " + i, self -> {
                if (words[1 - own] < words[own] + own) {
                    self.run(LOOK_NANOS);
                    return;
                }
                // The other's line comes here, then the own one is taken from the other.
                self.run(host.lineNanos()).run(host.lineNanos()).then(() -> {
                    words[own]++;
                    rounds[0] += own;
                });
            });
        }
        return world.nanosPer(rounds);
    }

    /**
     * One thread wakes the other and sleeps, and back.
     *
     * @param count cores
     * @param calls system calls after each sleep, before the thread goes on
     */
    double sleeping(int count, int calls) {
        World world = new World(count);
        SimThread[] threads = new SimThread[2];
        long[] rounds = new long[1];
        boolean[] started = new boolean[1];
        for (int i = 0; i < 2; i++) {
            int own = i;
            threads[i] = world.cores.start("sleeper " + i, self -> {
                if (own == 0) {
                    // Who is to be woken sleeps at first: two that are awake would meet each other so for ever.
                    self.run(started[0] ? 0 : HEAD_START_NANOS);
                    started[0] = true;
                    self.wake(threads[1]).park(SPAN_NANOS);
                } else {
                    self.park(SPAN_NANOS);
                }
                self.run(calls * host.systemCallNanos()).then(() -> rounds[0] += 1 - own);
                if (own == 1) {
                    self.wake(threads[0]);
                }
            });
        }
        return world.nanosPer(rounds);
    }

    /** Threads that take a lock in turn for so long each: time from one to the next. */
    double locked(int threads, SimLock.Kind kind, int dataLines, long holdNanos) {
        World world = new World(2);
        SimLock lock = world.cores.lock(kind, dataLines);
        long[] posts = new long[1];
        for (int i = 0; i < threads; i++) {
            world.cores.start(
                    "poster " + i,
                    self -> self.acquire(lock)
                            .run(holdNanos)
                            .then(() -> posts[0]++)
                            .release(lock));
        }
        return world.nanosPer(posts);
    }

    private final class World {
        final Simulation simulation = new Simulation(1, TRACE_LINES);
        final SimCores cores;

        World(int count) {
            cores = new SimCores(simulation, count, host);
        }

        double nanosPer(long[] counted) {
            simulation.runFor(2 * HEAD_START_NANOS);
            long before = counted[0];
            simulation.runFor(SPAN_NANOS);
            return (double) SPAN_NANOS / (counted[0] - before);
        }
    }
}
