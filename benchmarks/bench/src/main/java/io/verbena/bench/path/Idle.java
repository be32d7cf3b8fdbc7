package io.verbena.bench.path;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.jspecify.annotations.Nullable;

/** An end's wait, as {@link Waiting} says: the same for every path, whatever a turn of it costs. For one thread. */
public final class Idle {
    private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final Duration MAX_WAIT = Duration.ofMillis(1);
    private static final int CLOCK_MASK = 15;

    private final Waiting waiting;
    private final @Nullable End end;
    private final BackoffIdleStrategy backoff = new BackoffIdleStrategy();
    private int spins;
    private boolean yields;
    private long spinUntil;

    /** One that spins and then yields. */
    public Idle() {
        this(Waiting.SPIN_THEN_YIELD);
    }

    /** One that waits as told, without an API to ask. */
    public Idle(Waiting waiting) {
        this.waiting = waiting;
        this.end = null;
    }

    /** One that waits as the end was told when it was opened. */
    public Idle(End end) {
        this.waiting = end.settings().waiting();
        this.end = end;
    }

    /** There was something. */
    public void reset() {
        spins = 0;
        yields = false;
        if (waiting == Waiting.BACK_OFF || waiting == Waiting.API) {
            backoff.reset();
        }
    }

    /** There was nothing. */
    public void idle() {
        switch (waiting) {
            case SPIN:
                Thread.onSpinWait();
                break;
            case YIELD:
                Thread.yield();
                break;
            case BACK_OFF:
                backoff.idle();
                break;
            case API:
                if (end == null || !end.await(MAX_WAIT)) {
                    backoff.idle();
                }
                break;
            default:
                spinThenYield();
        }
    }

    private void spinThenYield() {
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
