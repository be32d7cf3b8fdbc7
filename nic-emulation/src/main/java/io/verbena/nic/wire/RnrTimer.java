package io.verbena.nic.wire;

/**
 * How long a requester waits after an RNR NAK: the 32 codes of InfiniBand's table (volume 1, 9.7.5.2.8), from 10
 * microseconds (code 1) to 655.36 milliseconds (code 0, the longest).
 */
public final class RnrTimer {
    /** The largest code. */
    public static final int MAX_CODE = 31;

    /**
     * Longest that a requester of this NIC holds back a request without a retry limit, in nanoseconds, unless
     * the receiver asks for longer.
     */
    public static final long MAX_BACK_OFF = 40_000_000;

    private static final long[] NANOS = {
        655_360_000L,
        10_000L,
        20_000L,
        30_000L,
        40_000L,
        60_000L,
        80_000L,
        120_000L,
        160_000L,
        240_000L,
        320_000L,
        480_000L,
        640_000L,
        960_000L,
        1_280_000L,
        1_920_000L,
        2_560_000L,
        3_840_000L,
        5_120_000L,
        7_680_000L,
        10_240_000L,
        15_360_000L,
        20_480_000L,
        30_720_000L,
        40_960_000L,
        61_440_000L,
        81_920_000L,
        122_880_000L,
        163_840_000L,
        245_760_000L,
        327_680_000L,
        491_520_000L
    };

    private RnrTimer() {}

    /**
     * The delay of a code.
     *
     * @param code 0 to 31
     * @return nanoseconds
     * @throws IllegalArgumentException if the code is out of range
     */
    public static long nanos(int code) {
        if (code < 0 || code > MAX_CODE) {
            throw new IllegalArgumentException("RNR timer code " + code + " outside 0..31");
        }
        return NANOS[code];
    }

    /**
     * Nanoseconds after which a requester that was told a code has sent its request again at the latest, if it does.
     */
    public static long longest(int code) {
        return Math.max(nanos(code), MAX_BACK_OFF);
    }
}
