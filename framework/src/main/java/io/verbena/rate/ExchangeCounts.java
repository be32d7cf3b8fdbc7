package io.verbena.rate;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Counts of a {@link PriceExchange}. One thread writes; any reads, and finds no number torn. */
public final class ExchangeCounts {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    private final long[] counts = new long[ExchangeCount.values().length];

    /** Creates zeros. */
    public ExchangeCounts() {}

    /** Counts one; for the writer. */
    public void increment(ExchangeCount what) {
        COUNT.setRelease(counts, what.ordinal(), counts[what.ordinal()] + 1);
    }

    /** How many there were. Any thread. */
    public long get(ExchangeCount what) {
        return (long) COUNT.getVolatile(counts, what.ordinal());
    }
}
