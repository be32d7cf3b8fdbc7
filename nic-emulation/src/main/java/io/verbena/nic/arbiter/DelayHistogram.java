package io.verbena.nic.arbiter;

import org.HdrHistogram.AtomicHistogram;
import org.HdrHistogram.Histogram;

/**
 * Counts of delays from 16 ns to 68 s, in steps of 7 % at most; what is shorter or longer counts as these.
 *
 * <p>Concurrency: any thread records or reads at any time, without a lock. A record allocates nothing.
 */
final class DelayHistogram {
    static final long MIN_NANOS = 16;
    static final long MAX_NANOS = (1L << 36) - 1;
    private static final int DIGITS = 1;

    private final AtomicHistogram counts = new AtomicHistogram(MIN_NANOS, MAX_NANOS, DIGITS);

    /** An empty histogram of the same range and steps. */
    static Histogram empty() {
        return new Histogram(MIN_NANOS, MAX_NANOS, DIGITS);
    }

    /** Counts a delay. */
    void record(long nanos) {
        counts.recordValue(Math.max(MIN_NANOS, Math.min(nanos, MAX_NANOS)));
    }

    /** Adds the counts to others. */
    void addTo(Histogram sum) {
        sum.add(counts);
    }
}
