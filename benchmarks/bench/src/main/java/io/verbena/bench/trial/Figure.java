package io.verbena.bench.trial;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.Locale;

/** What a measurement says. */
public enum Figure {
    /** Median, nanoseconds. */
    P50("p50", Unit.NANOS),
    /** Nanoseconds. */
    P90("p90", Unit.NANOS),
    /** Nanoseconds. */
    P99("p99", Unit.NANOS),
    /** Nanoseconds. */
    P999("p99.9", Unit.NANOS),
    /** Nanoseconds. */
    MAX("max", Unit.NANOS),
    /** Messages a second. */
    RATE("messages/s", Unit.MESSAGES),
    /** Bytes of messages a second. */
    BYTES("bytes/s", Unit.BYTES_PER_SECOND),
    /** Share of one processor, 1 is all of it. */
    PROCESSOR("processor", Unit.SHARE),
    /** Bytes. */
    MEMORY("memory", Unit.MEMORY);

    /** In what it is counted, and how a person reads it. */
    private enum Unit {
        NANOS(1000, "ns", "us", "ms", "s"),
        MESSAGES(1000, "/s", "k/s", "M/s", "G/s"),
        BYTES_PER_SECOND(1000, "B/s", "kB/s", "MB/s", "GB/s"),
        SHARE(1000, "%"),
        MEMORY(1024, "B", "KiB", "MiB", "GiB");

        private final double step;
        private final String[] names;

        Unit(double step, String... names) {
            this.step = step;
            this.names = names;
        }
    }

    private final String title;
    private final Unit unit;

    Figure(String title, Unit unit) {
        this.title = title;
        this.unit = unit;
    }

    /** Its name in tables and in {@code results.json}. */
    @JsonValue
    public String title() {
        return title;
    }

    /** Whether it is a time. */
    public boolean isLatency() {
        return unit == Unit.NANOS;
    }

    /** A value with its unit, three or four digits: {@code 412 ns}, {@code 6.05 us}, {@code 24.5 M/s}. */
    public String text(double value) {
        double scaled = unit == Unit.SHARE ? 100 * value : value;
        int name = 0;
        while (Math.abs(scaled) >= unit.step - 0.5 && name < unit.names.length - 1) {
            scaled /= unit.step;
            name++;
        }
        double size = Math.abs(scaled);
        String format = size >= 99.95 ? "%.0f %s" : size >= 9.995 ? "%.1f %s" : "%.2f %s";
        return String.format(Locale.ROOT, format, scaled, unit.names[name]);
    }

    /** What a plot divides values by, to show them in {@link #plotUnit}. */
    public double plotScale() {
        switch (unit) {
            case NANOS:
                return 1e3;
            case MESSAGES:
                return 1e6;
            case BYTES_PER_SECOND:
                return 1e9;
            case SHARE:
                return 0.01;
            default:
                return 1 << 20;
        }
    }

    /** The unit of a plot's axis. */
    public String plotUnit() {
        switch (unit) {
            case NANOS:
                return "us";
            case MESSAGES:
                return "M messages/s";
            case BYTES_PER_SECOND:
                return "GB/s";
            case SHARE:
                return "%";
            default:
                return "MiB";
        }
    }
}
