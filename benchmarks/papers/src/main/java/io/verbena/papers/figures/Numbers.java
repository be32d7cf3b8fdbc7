package io.verbena.papers.figures;

import java.math.BigDecimal;
import java.util.Locale;

/** Numbers for people: four digits that count, whatever the size. */
public final class Numbers {
    private static final double MANY = 1_000;
    private static final double FEW = 1e-3;

    private Numbers() {}

    /** A number with its unit; a dash for NaN. */
    public static String text(double value, String unit) {
        if (Double.isNaN(value)) {
            return "-";
        }
        String number = text(value);
        return unit.isEmpty() ? number : number + ' ' + unit;
    }

    /** A number. */
    public static String text(double value) {
        double size = Math.abs(value);
        if (value == Math.rint(value) && size < 1e15) {
            return String.format(Locale.ROOT, "%,d", (long) value);
        }
        if (size >= MANY) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        if (size < FEW) {
            return String.format(Locale.ROOT, "%.2e", value);
        }
        int decimals = size >= 100 ? 1 : size >= 10 ? 2 : 3;
        BigDecimal exact = BigDecimal.valueOf(value); // what was given with fewer digits gets no more
        return exact.scale() < decimals
                ? exact.toPlainString()
                : String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** Nanoseconds as a number of microseconds. */
    public static String micros(double nanos) {
        return text(nanos / 1e3);
    }

    /** Nanoseconds as a number of microseconds. */
    public static String micros(long nanos) {
        return micros((double) nanos);
    }

    /** A number as a tick of an axis: {@code 10k}, {@code 1M}, {@code 0.01}. */
    public static String tick(double value) {
        double size = Math.abs(value);
        if (size >= 1e9) {
            return text(value / 1e9) + 'G';
        }
        if (size >= 1e6) {
            return text(value / 1e6) + 'M';
        }
        return size >= 1e3 ? text(value / 1e3) + 'k' : text(value);
    }

    /** Bytes in decimal units and, beside them, in binary ones, which papers mix. */
    public static String bytes(double bytes) {
        double size = Math.abs(bytes);
        if (size >= 1e9) {
            return text(bytes / 1e9) + " GB (" + text(bytes / (1 << 30)) + " GiB)";
        }
        if (size >= 1e6) {
            return text(bytes / 1e6) + " MB (" + text(bytes / (1 << 20)) + " MiB)";
        }
        return text(bytes / 1e3) + " kB (" + text(bytes / (1 << 10)) + " KiB)";
    }
}
