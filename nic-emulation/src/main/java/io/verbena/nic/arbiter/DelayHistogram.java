package io.verbena.nic.arbiter;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A histogram of delays with four cells to a power of two, so that a percentile is right within 19 %. From 16 ns; what
 * is shorter stands in the first cell, what is longer than 68 s in the last.
 *
 * <p>Concurrency: one thread at a time records, any reads. A record is one opaque add, and allocates nothing.
 */
public final class DelayHistogram {
    /** Number of cells. */
    public static final int CELLS = 128;

    private static final int STEPS = 4;
    private static final int FIRST_EXPONENT = 4;
    private static final int FRACTION_BITS = 31;
    private static final long[] FRACTIONS = fractions();

    private final AtomicLongArray cells = new AtomicLongArray(CELLS);

    /** Creates an empty histogram. */
    public DelayHistogram() {}

    /** Counts a delay. */
    public void record(long nanos) {
        int cell = cell(nanos);
        cells.setOpaque(cell, cells.getOpaque(cell) + 1);
    }

    /** Number of delays counted. */
    public long count() {
        long count = 0;
        for (int i = 0; i < CELLS; i++) {
            count += cells.getOpaque(i);
        }
        return count;
    }

    /**
     * A percentile.
     *
     * @param percent above 0, at most 100
     * @return nanoseconds that so many of the delays did not exceed, as the upper end of a cell; 0 without delays
     */
    public long percentile(double percent) {
        long[] copy = new long[CELLS];
        copyTo(copy);
        return percentile(copy, percent);
    }

    /** Adds the counts to others, of {@value #CELLS} cells: histograms are merged so, and differences made. */
    public void addTo(long[] counts) {
        for (int i = 0; i < CELLS; i++) {
            counts[i] += cells.getOpaque(i);
        }
    }

    /** Copies the counts. */
    public void copyTo(long[] counts) {
        for (int i = 0; i < CELLS; i++) {
            counts[i] = cells.getOpaque(i);
        }
    }

    /** {@link #percentile(double)} of counts that were copied. */
    public static long percentile(long[] counts, double percent) {
        if (!(percent > 0 && percent <= 100)) {
            throw new IllegalArgumentException("percentile " + percent + " outside 0..100");
        }
        long total = 0;
        for (long count : counts) {
            total += count;
        }
        long rank = Math.max(1, (long) Math.ceil(total * percent / 100));
        long seen = 0;
        for (int i = 0; i < CELLS && total > 0; i++) {
            seen += counts[i];
            if (seen >= rank) {
                return upperEnd(i);
            }
        }
        return 0;
    }

    static int cell(long nanos) {
        if (nanos < 1 << FIRST_EXPONENT) {
            return 0;
        }
        int exponent = 63 - Long.numberOfLeadingZeros(nanos);
        long fraction = (nanos << (62 - exponent)) >>> (62 - FRACTION_BITS);
        int step = fraction < FRACTIONS[2] ? (fraction < FRACTIONS[1] ? 0 : 1) : (fraction < FRACTIONS[3] ? 2 : 3);
        return Math.min((exponent - FIRST_EXPONENT) * STEPS + step, CELLS - 1);
    }

    private static long upperEnd(int cell) {
        return (long) Math.ceil(Math.pow(2, FIRST_EXPONENT + (cell + 1) / (double) STEPS));
    }

    private static long[] fractions() {
        long[] fractions = new long[STEPS];
        for (int i = 0; i < STEPS; i++) {
            fractions[i] = (long) Math.ceil(Math.pow(2, FRACTION_BITS + i / (double) STEPS));
        }
        return fractions;
    }
}
