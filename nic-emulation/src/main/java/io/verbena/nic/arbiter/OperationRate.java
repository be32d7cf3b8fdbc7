package io.verbena.nic.arbiter;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Operations a second of several threads together, in lots: the time up to which what may be done is used up (generic
 * cell rate algorithm). Another rate keeps the operations that are owed, not the time that they took at the old one,
 * so that a rate may change every millisecond and be kept all the same.
 *
 * <p>Concurrency: one thread sets the rate, any thread takes. What is taken while it is set counts at either rate.
 * Lock-free; allocates nothing.
 */
public final class OperationRate {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long LOTS_PER_SECOND = 1_000;
    private static final long LOT_NANOS = SECOND / LOTS_PER_SECOND;
    private static final double MAX_OWED_NANOS = 1L << 61;

    private final AtomicLong usedUntil = new AtomicLong(Long.MIN_VALUE); // nothing was ever taken
    private volatile long perSecond; // 0 for no bound

    /** Creates one without a bound. */
    public OperationRate() {}

    /** Operations a second, 0 for no bound. */
    public long perSecond() {
        return perSecond;
    }

    /**
     * Sets it. By one thread at a time.
     *
     * @param operations a second, 0 for no bound; at most {@link RateLimit#MAX_PER_SECOND}
     * @param nowNanos of the clock of those who take
     * @throws IllegalArgumentException if it is out of range
     */
    public void set(long operations, long nowNanos) {
        if (operations < 0 || operations > RateLimit.MAX_PER_SECOND) {
            throw new IllegalArgumentException(
                    "operations a second " + operations + " outside 0.." + RateLimit.MAX_PER_SECOND);
        }
        long before = perSecond;
        perSecond = operations;
        if (before == operations) {
            return;
        }
        long until;
        long next;
        do {
            until = usedUntil.get();
            if (until <= nowNanos) {
                return;
            }
            double owed = before == 0 || operations == 0 ? 0 : (double) (until - nowNanos) * before / operations;
            next = nowNanos + (long) Math.min(owed, MAX_OWED_NANOS);
        } while (!usedUntil.compareAndSet(until, next));
    }

    /** Operations that are to be taken at a time: those of a millisecond, at least 1. */
    public long lot() {
        return Math.max(1, perSecond / LOTS_PER_SECOND);
    }

    /** Whether something may be taken now. */
    public boolean admits(long nowNanos) {
        return perSecond == 0 || usedUntil.get() <= nowNanos;
    }

    /** When something may be taken again; before now if that is now. */
    public long admitsAtNanos() {
        return perSecond == 0 ? Long.MIN_VALUE : usedUntil.get();
    }

    /**
     * Takes operations, if something may be taken.
     *
     * @return what was wanted, or 0
     */
    public long take(long want, long nowNanos) {
        while (true) {
            long until = usedUntil.get();
            if (until > nowNanos && perSecond != 0) {
                return 0;
            }
            if (use(until, want, nowNanos)) {
                return want;
            }
        }
    }

    /** Takes operations that have been done, also such as were not there: they are waited for afterwards. */
    public void charge(long operations, long nowNanos) {
        while (operations > 0 && !use(usedUntil.get(), operations, nowNanos)) {}
    }

    /** Who was idle has saved up no more than a millisecond of the rate. */
    private boolean use(long until, long operations, long nowNanos) {
        long rate = perSecond;
        if (rate == 0) {
            return true;
        }
        long from = Math.max(until, nowNanos - LOT_NANOS);
        return usedUntil.compareAndSet(until, from + (operations * SECOND + rate - 1) / rate);
    }
}
