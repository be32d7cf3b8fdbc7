package io.verbena;

import java.time.Duration;

/** Checks the values of settings. What is out of range is named with its limits. Stateless. */
final class Limits {
    private Limits() {}

    /** Checks that a value lies within both limits. */
    static int range(String what, int value, int minimum, int maximum) {
        if (value < minimum || value > maximum) {
            throw new IllegalArgumentException(what + " " + value + " outside " + minimum + ".." + maximum);
        }
        return value;
    }

    /** Checks that a value lies within both limits and is a power of two. */
    static int powerOfTwo(String what, int value, int minimum, int maximum) {
        if (Integer.bitCount(range(what, value, minimum, maximum)) != 1) {
            throw new IllegalArgumentException(
                    what + " " + value + " is not a power of two; next is " + Integer.highestOneBit(value) * 2L);
        }
        return value;
    }

    /** Checks that a value is not below a limit. */
    static long atLeast(String what, long value, long minimum) {
        if (value < minimum) {
            throw new IllegalArgumentException(what + " " + value + " < minimum " + minimum);
        }
        return value;
    }

    /** Checks that a time is not below a limit. */
    static Duration atLeast(String what, Duration value, Duration minimum) {
        if (value.compareTo(minimum) < 0) {
            throw new IllegalArgumentException(what + " " + value + " < minimum " + minimum);
        }
        return value;
    }
}
