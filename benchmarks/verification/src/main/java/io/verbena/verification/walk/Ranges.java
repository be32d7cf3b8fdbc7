package io.verbena.verification.walk;

import java.util.BitSet;

/** Sets of numbers as people write them: {@code 3,7-9}. */
public final class Ranges {
    private static final int MAX = 100_000;

    private Ranges() {}

    /** Writes a set. */
    public static String format(BitSet set) {
        StringBuilder out = new StringBuilder();
        for (int from = set.nextSetBit(0); from >= 0; ) {
            int end = set.nextClearBit(from);
            out.append(out.length() == 0 ? "" : ",").append(from);
            if (end - from > 1) {
                out.append('-').append(end - 1);
            }
            from = set.nextSetBit(end);
        }
        return out.toString();
    }

    /**
     * Reads a set.
     *
     * @throws IllegalArgumentException if it is none; names what is wrong
     */
    public static BitSet parse(String text) {
        BitSet set = new BitSet();
        if (text.isEmpty()) {
            return set;
        }
        for (String part : text.split(",", -1)) {
            int dash = part.indexOf('-');
            int from = number(dash < 0 ? part : part.substring(0, dash), part);
            int to = dash < 0 ? from : number(part.substring(dash + 1), part);
            if (to < from) {
                throw new IllegalArgumentException("steps \"" + part + "\": " + to + " < " + from);
            }
            set.set(from, to + 1);
        }
        return set;
    }

    private static int number(String digits, String part) {
        try {
            int value = Integer.parseInt(digits);
            if (value < 0 || value > MAX) {
                throw new IllegalArgumentException("steps \"" + part + "\": " + value + " outside 0.." + MAX);
            }
            return value;
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("steps \"" + part + "\" is neither a number nor a range", e);
        }
    }
}
