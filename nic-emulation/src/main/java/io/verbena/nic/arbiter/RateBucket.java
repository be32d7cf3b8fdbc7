package io.verbena.nic.arbiter;

import java.util.concurrent.TimeUnit;

/**
 * A token bucket that keeps its tokens as time, as the generic cell rate algorithm does: it is empty at {@link #until},
 * full a burst's time after that, and in debt before. Exact: the remainder of a division is carried. Whoever finds it
 * empty waits for a lot, not for one token. A lot is a part of the burst, so a flow that is served late, because others
 * had their turns or the thread had no core, loses nothing.
 */
final class RateBucket {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final long BURSTS_PER_SECOND = 500;
    private static final int LOTS_PER_BURST = 4;
    private static final long MAX_LOT = 64 * 1024;
    private static final long MAX_DEBT = 1L << 61; // nanoseconds

    private long rate; // tokens a second; 0 for unlimited
    private long burstNanos;
    private long lotNanos;
    private long until;
    private long carry; // billionths of a token that are charged and not in until

    /** Sets the rate, and the burst, 0 for the default. What the bucket holds or owes stays; a new one is full. */
    void set(long perSecond, long givenBurst, long now) {
        double tokens = rate == 0 ? RateLimit.MAX_BURST : (double) (now - from(now)) * rate / SECOND;
        long burst = givenBurst != 0
                ? givenBurst
                : Math.max(1, Math.min(RateLimit.MAX_BURST, perSecond / BURSTS_PER_SECOND));
        rate = perSecond;
        carry = 0;
        if (perSecond != 0) {
            burstNanos = nanos(burst);
            lotNanos = nanos(Math.max(1, Math.min(MAX_LOT, burst / LOTS_PER_BURST)));
            double saved = Math.max(-(double) MAX_DEBT, Math.min((double) burstNanos, tokens * SECOND / perSecond));
            until = now - (long) saved;
        }
    }

    private long nanos(long tokens) {
        return (tokens * SECOND + rate - 1) / rate;
    }

    private long from(long now) {
        return now - until > burstNanos ? now - burstNanos : until;
    }

    /** Tokens that are there. */
    long available(long now) {
        if (rate == 0) {
            return Long.MAX_VALUE;
        }
        long nanos = now - from(now);
        return nanos <= 0 ? 0 : nanos * rate / SECOND;
    }

    /** When there is a lot, for one that is empty now. */
    long lotAt() {
        return rate == 0 ? Long.MIN_VALUE : until + lotNanos;
    }

    /** Takes tokens, also such as are not there. */
    void take(long tokens, long now) {
        if (rate == 0 || tokens == 0) {
            return;
        }
        long cost = tokens * SECOND + carry;
        carry = cost % rate;
        until = Math.min(from(now) + cost / rate, now + MAX_DEBT);
    }
}
