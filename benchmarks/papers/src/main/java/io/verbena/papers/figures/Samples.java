package io.verbena.papers.figures;

import java.util.Arrays;

/** Times in nanoseconds. Not thread-safe. */
public final class Samples {
    private static final int PERCENT = 100;

    private long[] nanos = new long[1024];
    private int size;

    /** Creates it, empty. */
    public Samples() {}

    /** Adds one. */
    public void add(long value) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * size);
        }
        nanos[size++] = value;
    }

    /** Adds all of others. */
    public void addAll(Samples others) {
        for (int i = 0; i < others.size; i++) {
            add(others.nanos[i]);
        }
    }

    /** Forgets all. */
    public void clear() {
        size = 0;
    }

    /** How many there are. */
    public int size() {
        return size;
    }

    /**
     * What so many in a hundred do not exceed, in microseconds.
     *
     * @throws IllegalStateException if there are none
     */
    public double micros(int percentile) {
        if (size == 0) {
            throw new IllegalStateException("nothing has completed");
        }
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        int rank = (int) (((long) size * percentile + PERCENT - 1) / PERCENT);
        return sorted[Math.max(rank, 1) - 1] / 1e3;
    }

    /**
     * The mean, in microseconds.
     *
     * @throws IllegalStateException if there are none
     */
    public double meanMicros() {
        if (size == 0) {
            throw new IllegalStateException("nothing has completed");
        }
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += nanos[i];
        }
        return sum / size / 1e3;
    }

    /**
     * The standard deviation by the mean.
     *
     * @throws IllegalStateException if there are none
     */
    public double variation() {
        double mean = meanMicros();
        double squares = 0;
        for (int i = 0; i < size; i++) {
            double distance = nanos[i] / 1e3 - mean;
            squares += distance * distance;
        }
        return Math.sqrt(squares / size) / mean;
    }
}
