package io.verbena.nic.wire;

/**
 * Serial arithmetic on 24-bit packet sequence numbers. Two numbers compare as intended while they are less than 2^23
 * apart. Arguments are taken modulo 2^24, results lie in 0 to {@link #MASK}.
 */
public final class Psn {
    /** The bits of a PSN. */
    public static final int MASK = 0xFF_FFFF;

    /** Numbers that are this far apart, or farther, do not compare. */
    public static final int HALF = 1 << 23;

    private static final int SHIFT = 8;

    private Psn() {}

    /**
     * A PSN some packets later (or earlier, if negative).
     *
     * @return 0 to {@link #MASK}
     */
    public static int add(int psn, int packets) {
        return (psn + packets) & MASK;
    }

    /** The PSN that follows. */
    public static int next(int psn) {
        return (psn + 1) & MASK;
    }

    /**
     * How many packets {@code a} is ahead of {@code b}.
     *
     * @return -2^23 to 2^23 - 1; negative if {@code a} is behind
     */
    public static int diff(int a, int b) {
        return ((a - b) << SHIFT) >> SHIFT;
    }

    /** Whether {@code a} comes before {@code b}. */
    public static boolean before(int a, int b) {
        return diff(a, b) < 0;
    }

    /** Whether {@code a} comes after {@code b}. */
    public static boolean after(int a, int b) {
        return diff(a, b) > 0;
    }

    /** Whether {@code first <= psn <= last}, in serial order. */
    public static boolean within(int psn, int first, int last) {
        return diff(psn, first) >= 0 && diff(psn, last) <= 0;
    }
}
