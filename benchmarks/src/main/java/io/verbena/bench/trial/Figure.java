package io.verbena.bench.trial;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a measurement says. */
public enum Figure {
    /** Median, nanoseconds. */
    P50("p50", true),
    /** Nanoseconds. */
    P90("p90", true),
    /** Nanoseconds. */
    P99("p99", true),
    /** Nanoseconds. */
    P999("p99.9", true),
    /** Nanoseconds. */
    MAX("max", true),
    /** Messages a second. */
    RATE("messages/s", false),
    /** Bytes of messages a second. */
    BYTES("bytes/s", false);

    private static final String[] TIMES = {"ns", "us", "ms", "s"};
    private static final String[] COUNTS = {"/s", "k/s", "M/s", "G/s"};
    private static final String[] SIZES = {"B/s", "kB/s", "MB/s", "GB/s"};

    private final String title;
    private final boolean latency;

    Figure(String title, boolean latency) {
        this.title = title;
        this.latency = latency;
    }

    /** Its name in tables and in {@code results.json}. */
    @JsonValue
    public String title() {
        return title;
    }

    /** Whether it is a time, of which less is better; else it is a rate. */
    public boolean isLatency() {
        return latency;
    }

    /** A value with its unit, three or four digits: {@code 412 ns}, {@code 6.05 us}, {@code 24.5 M/s}. */
    public String text(double value) {
        String[] units = latency ? TIMES : this == BYTES ? SIZES : COUNTS;
        double scaled = value;
        int unit = 0;
        while (scaled >= 999.5 && unit < units.length - 1) {
            scaled /= 1000;
            unit++;
        }
        String format = scaled >= 99.95 ? "%.0f %s" : scaled >= 9.995 ? "%.1f %s" : "%.2f %s";
        return String.format(Locale.ROOT, format, scaled, units[unit]);
    }
}
