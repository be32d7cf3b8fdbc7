package io.verbena.bench.path;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** An end's wait, as {@link Waiting} says: the same for every path, whatever a turn of it costs. For one thread. */
public final class Idle {
    private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long YIELD_NANOS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int CLOCK_MASK = 15;

    private final Waiting waiting;
    private int spins;
    private boolean yields;
    private long began;
    private long parkNanos = 1;

    /** One that spins and then yields. */
    public Idle() {
        this(Waiting.SPIN_THEN_YIELD);
    }

    /** One that waits as told. */
    public Idle(Waiting waiting) {
        this.waiting = waiting;
    }

    /** There was something. */
    public void reset() {
        spins = 0;
        yields = false;
        parkNanos = 1;
    }

    /** There was nothing. */
    public void idle() {
        if (yields) {
            giveWay();
            return;
        }
        Thread.onSpinWait();
        if (waiting != Waiting.SPIN && (++spins & CLOCK_MASK) == 0) {
            long now = System.nanoTime();
            if (spins == CLOCK_MASK + 1) {
                began = now;
            } else {
                yields = now - began > SPIN_NANOS;
            }
        }
    }

    private void giveWay() {
        if (waiting == Waiting.BACK_OFF && (parkNanos > 1 || System.nanoTime() - began > YIELD_NANOS)) {
            parkNanos = Math.min(2 * parkNanos, MAX_PARK_NANOS);
            LockSupport.parkNanos(parkNanos);
        } else {
            Thread.yield();
        }
    }
}
