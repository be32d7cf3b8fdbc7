package io.verbena.bench.path;

import java.util.concurrent.TimeUnit;

/**
 * How both ends of every path wait: they spin for 20 us, whatever a turn of the path costs, and then yield, so that a
 * machine with other work to do slows them down instead of stopping them for a time slice. For one thread.
 */
public final class Idle {
    private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final int CLOCK_MASK = 15;

    private int spins;
    private boolean yields;
    private long spinUntil;

    /** There was something. */
    public void reset() {
        spins = 0;
        yields = false;
    }

    /** There was nothing. */
    public void idle() {
        if (yields) {
            Thread.yield();
            return;
        }
        Thread.onSpinWait();
        if ((++spins & CLOCK_MASK) == 0) {
            long now = System.nanoTime();
            if (spins == CLOCK_MASK + 1) {
                spinUntil = now + SPIN_NANOS;
            } else {
                yields = now - spinUntil > 0;
            }
        }
    }
}
