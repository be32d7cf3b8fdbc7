package io.verbena.nic.wire;

/**
 * How long a requester waits for an acknowledgement before it sends again: 4.096 microseconds times 2 to the power of
 * the code, and infinite with code 0 (InfiniBand volume 1, 9.7.6.1.3).
 */
public final class AckTimeout {
    /** The largest code: 2.4 hours. */
    public static final int MAX_CODE = 31;

    /** The delay of code 0. */
    public static final long FOREVER = Long.MAX_VALUE;

    private static final long UNIT_NANOS = 4_096L;

    private AckTimeout() {}

    /**
     * The delay of a code.
     *
     * @param code 0 to 31
     * @return nanoseconds, or {@link #FOREVER} for 0
     * @throws IllegalArgumentException if the code is out of range
     */
    public static long nanos(int code) {
        if (code < 0 || code > MAX_CODE) {
            throw new IllegalArgumentException("ack timeout " + code + " outside 0..31");
        }
        return code == 0 ? FOREVER : UNIT_NANOS << code;
    }
}
