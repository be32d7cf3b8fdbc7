package io.verbena.bench.check.redis;

import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** Times from handing a command to its connection to the end of its reply, by group. Information only. Thread-safe. */
final class Latencies {
    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);

    private final Map<String, Histogram> groups = new ConcurrentHashMap<>();

    /** The histogram of a group, in nanoseconds. */
    Histogram of(String group) {
        return groups.computeIfAbsent(group, key -> new ConcurrentHistogram(1000, MAX_NANOS, 2));
    }

    static void record(Histogram histogram, long nanos) {
        histogram.recordValue(Math.min(nanos, MAX_NANOS));
    }

    /** A line a group. */
    Map<String, String> lines() {
        Map<String, String> lines = new TreeMap<>();
        groups.forEach((group, histogram) -> lines.put(
                group,
                String.format(
                        Locale.ROOT,
                        "%,d commands, p50 %.2f ms, p99 %.2f ms, p99.9 %.2f ms, largest %.1f ms",
                        histogram.getTotalCount(),
                        histogram.getValueAtPercentile(50) / 1e6,
                        histogram.getValueAtPercentile(99) / 1e6,
                        histogram.getValueAtPercentile(99.9) / 1e6,
                        histogram.getMaxValue() / 1e6)));
        return lines;
    }
}
