package io.verbena.bench;

import org.HdrHistogram.Histogram;

/**
 * Percentiles of what took a time, in nanoseconds; all 0 if there was nothing.
 *
 * @param count how often
 */
public record Latency(long count, long p50, long p99, long p999, long max) {
    /** Of nothing. */
    public static final Latency NONE = new Latency(0, 0, 0, 0, 0);

    /** What a histogram says. */
    public static Latency of(Histogram histogram) {
        return histogram.getTotalCount() == 0
                ? NONE
                : new Latency(
                        histogram.getTotalCount(),
                        histogram.getValueAtPercentile(50),
                        histogram.getValueAtPercentile(99),
                        histogram.getValueAtPercentile(99.9),
                        histogram.getMaxValue());
    }
}
