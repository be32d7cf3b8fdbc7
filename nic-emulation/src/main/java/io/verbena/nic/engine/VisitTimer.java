package io.verbena.nic.engine;

import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;

/**
 * How much of the engine a visit takes: what passes on the clock, but for the time in which the thread that runs it
 * waited for a processor. A slice of another thread's is a hundred visits long, and no tenant's doing; whoever was
 * being served would owe it to the others, who have not as much work queued as would make it up.
 *
 * <p>What a thread has waited costs a microsecond to ask, so only visits are looked into that take longer than a turn
 * should; and so that it says something about them it is asked now and then in between.
 *
 * <p>Used under the baton.
 */
final class VisitTimer {
    /** Visits that take less are not looked into, in nanoseconds. */
    static final long BRIEF = 200_000;

    /** How old the last look may be when a visit begins, in nanoseconds. */
    static final long LOOK_INTERVAL = 1_000_000;

    private final NanoClock clock;
    private final LongSupplier waited;
    private long begun;
    private long looked = Long.MIN_VALUE / 2;
    private long waitedThen;

    /**
     * Creates a timer that has not looked yet.
     *
     * @param clock in nanoseconds
     * @param waited nanoseconds that threads have waited for a processor; grows from one look to the next by what the
     *     calling thread has waited, if it has looked last and that is known
     */
    VisitTimer(NanoClock clock, LongSupplier waited) {
        this.clock = clock;
        this.waited = waited;
    }

    /** A visit begins. */
    void begin() {
        long now = clock.nanoTime();
        if (now - looked >= LOOK_INTERVAL) {
            waitedThen = waited.getAsLong();
            now = clock.nanoTime();
            looked = now;
        }
        begun = now;
    }

    /** Nanoseconds that it has taken until now; to be asked once. */
    long end() {
        long now = clock.nanoTime();
        long took = now - begun;
        if (took < BRIEF) {
            return took;
        }
        long before = waitedThen;
        waitedThen = waited.getAsLong();
        looked = now;
        return Math.max(0, took - (waitedThen - before));
    }
}
