package io.verbena.bench.perftest;

/** The average rate of a stream, and the best of about {@value #WINDOWS} windows of it. */
final class RateMeter {
    private static final int WINDOWS = 20;
    private static final long MIN_WINDOW_NANOS = 100_000;

    private long start;
    private long nanos;
    private long messages;
    private final long windowMessages;
    private long windowStart;
    private long windowBegan;
    private double peak;

    /**
     * Creates one.
     *
     * @param expected messages, or an estimate
     */
    RateMeter(long expected) {
        this.windowMessages = Math.max(1, expected / WINDOWS);
    }

    void start(long now) {
        start = now;
        windowStart = now;
    }

    void completed(long count, long now) {
        long inWindow = count - windowBegan;
        if (inWindow >= windowMessages && now - windowStart >= MIN_WINDOW_NANOS) {
            peak = Math.max(peak, inWindow * 1e9 / (now - windowStart));
            windowBegan = count;
            windowStart = now;
        }
    }

    void end(long count, long now) {
        messages = count;
        nanos = Math.max(1, now - start);
    }

    /** The other side measured too; the slower of both counts. */
    void atMost(long count, long otherNanos) {
        if (count > 0 && otherNanos > 0 && count * 1e9 / otherNanos < rate()) {
            nanos = (long) (messages * ((double) otherNanos / count));
        }
    }

    /** Counts another stream, before or after this one, as part of this one. */
    RateMeter add(RateMeter other) {
        peak = Math.max(peak(), other.peak());
        messages += other.messages;
        nanos += other.nanos;
        return this;
    }

    long messages() {
        return messages;
    }

    /** Messages a second. */
    double rate() {
        return messages * 1e9 / nanos;
    }

    /** Messages a second in the best window. */
    double peak() {
        return Math.max(peak, rate());
    }
}
