package io.verbena.rate;

import java.util.concurrent.atomic.AtomicLongArray;

/** Counts of a {@link PriceExchange}. One thread writes; any reads, and finds no number torn. */
public final class ExchangeCounts {
    private final AtomicLongArray counts = new AtomicLongArray(ExchangeCount.values().length);

    /** Creates zeros. */
    public ExchangeCounts() {}

    /** Counts one; for the writer. */
    public void increment(ExchangeCount what) {
        counts.lazySet(what.ordinal(), counts.getPlain(what.ordinal()) + 1);
    }

    /** How many there were. Any thread. */
    public long get(ExchangeCount what) {
        return counts.get(what.ordinal());
    }
}
