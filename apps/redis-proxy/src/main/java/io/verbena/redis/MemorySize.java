package io.verbena.redis;

import java.util.Locale;

/** Amounts of memory as Redis writes them: {@code 100}, {@code 64mb}, {@code 1g}. */
final class MemorySize {
    private MemorySize() {}

    /**
     * Reads an amount; {@code k}, {@code m} and {@code g} are powers of 1000, {@code kb}, {@code mb} and {@code gb} of
     * 1024.
     *
     * @return bytes, or -1 if it is none
     */
    static long parse(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        int digits = 0;
        while (digits < lower.length() && Character.digit(lower.charAt(digits), 10) >= 0) {
            digits++;
        }
        if (digits == 0) {
            return -1;
        }
        long unit;
        switch (lower.substring(digits)) {
            case "":
            case "b":
                unit = 1;
                break;
            case "k":
                unit = 1000;
                break;
            case "kb":
                unit = 1L << 10;
                break;
            case "m":
                unit = 1000_000;
                break;
            case "mb":
                unit = 1L << 20;
                break;
            case "g":
                unit = 1000_000_000;
                break;
            case "gb":
                unit = 1L << 30;
                break;
            default:
                return -1;
        }
        long number;
        try {
            number = Long.parseLong(lower.substring(0, digits));
        } catch (NumberFormatException e) {
            return -1;
        }
        return number > Long.MAX_VALUE / unit ? -1 : number * unit;
    }

    /** Writes an amount as INFO does for people: {@code 1.50M}. */
    static String human(long bytes) {
        if (bytes < 1L << 10) {
            return bytes + "B";
        }
        if (bytes < 1L << 20) {
            return String.format(Locale.ROOT, "%.2fK", bytes / 1024.0);
        }
        if (bytes < 1L << 30) {
            return String.format(Locale.ROOT, "%.2fM", bytes / (1024.0 * 1024));
        }
        return String.format(Locale.ROOT, "%.2fG", bytes / (1024.0 * 1024 * 1024));
    }
}
