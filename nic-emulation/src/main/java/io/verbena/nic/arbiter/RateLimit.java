package io.verbena.nic.arbiter;

/**
 * How fast a flow may send at most: bytes per second, operations per second, or both; the lower one holds. Bytes are
 * those that links carry, headers and repeated packets included. Operations are requests and answers, counted when
 * their last packet is sent.
 *
 * <p>A token bucket for each: a flow that has been idle may send a burst at once, and no more. A packet is not cut
 * short, nor an operation on mapped memory. So a flow is ahead of its rate by its burst and one of those at most, and
 * waits for the excess afterwards. While it is above its rate it costs nothing. The ceiling of its group holds besides.
 *
 * @param bytesPerSecond 0 for unlimited, to {@value #MAX_PER_SECOND}
 * @param operationsPerSecond likewise
 * @param burstBytes bytes that it saves up while it is idle, to {@value #MAX_BURST}; 0 for two milliseconds of the rate
 * @param burstOperations likewise
 */
public record RateLimit(long bytesPerSecond, long operationsPerSecond, int burstBytes, int burstOperations) {
    /** Most that a rate may be. */
    public static final long MAX_PER_SECOND = 1_000_000_000_000L;

    /** Most that a burst may be. */
    public static final int MAX_BURST = 1 << 30;

    /** Unlimited. */
    public static final RateLimit NONE = new RateLimit(0, 0, 0, 0);

    /**
     * Checks the values.
     *
     * @throws IllegalArgumentException if one is out of range, or a burst is given without its rate
     */
    public RateLimit {
        check("bytesPerSecond", bytesPerSecond, "burstBytes", burstBytes);
        check("operationsPerSecond", operationsPerSecond, "burstOperations", burstOperations);
    }

    /** A limit of bytes a second alone, 0 for unlimited. */
    public static RateLimit bytes(long perSecond) {
        return new RateLimit(perSecond, 0, 0, 0);
    }

    /** A limit of operations a second alone, 0 for unlimited. */
    public static RateLimit operations(long perSecond) {
        return new RateLimit(0, perSecond, 0, 0);
    }

    /** Whether it limits nothing. */
    public boolean isNone() {
        return bytesPerSecond == 0 && operationsPerSecond == 0;
    }

    private static void check(String rate, long perSecond, String burst, int amount) {
        if (perSecond < 0 || perSecond > MAX_PER_SECOND) {
            throw new IllegalArgumentException(rate + " " + perSecond + " outside 0.." + MAX_PER_SECOND);
        }
        if (amount < 0 || amount > MAX_BURST) {
            throw new IllegalArgumentException(burst + " " + amount + " outside 0.." + MAX_BURST);
        }
        if (amount > 0 && perSecond == 0) {
            throw new IllegalArgumentException(burst + " " + amount + " without " + rate);
        }
    }
}
