package io.verbena.papers.drum;

import java.util.Arrays;

/** Times in nanoseconds. */
final class Samples {
    private static final int PERCENT = 100;

    private long[] nanos = new long[1024];
    private int size;

    void add(long value) {
        if (size == nanos.length) {
            nanos = Arrays.copyOf(nanos, 2 * size);
        }
        nanos[size++] = value;
    }

    void addAll(Samples other) {
        for (int i = 0; i < other.size; i++) {
            add(other.nanos[i]);
        }
    }

    void clear() {
        size = 0;
    }

    int size() {
        return size;
    }

    /** Their mean, in microseconds. */
    double meanMicros() {
        double sum = 0;
        for (int i = 0; i < size; i++) {
            sum += nanos[i];
        }
        return sum / size / 1e3;
    }

    /**
     * What so many in a hundred do not exceed, in microseconds.
     *
     * @throws IllegalStateException if there are none
     */
    double micros(int percentile) {
        if (size == 0) {
            throw new IllegalStateException("nothing has completed");
        }
        long[] sorted = Arrays.copyOf(nanos, size);
        Arrays.sort(sorted);
        int rank = (int) (((long) size * percentile + PERCENT - 1) / PERCENT);
        return sorted[Math.max(rank, 1) - 1] / 1e3;
    }
}
