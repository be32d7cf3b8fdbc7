package io.verbena.nic.arbiter;

import java.util.concurrent.TimeUnit;

/**
 * What a group's {@link OperationRate} lets it send yet on one engine. Tokens of an old rate are not used at a new one;
 * what is owed stays owed.
 *
 * <p>Used under the engine's baton.
 */
final class OperationTokens {
    /** Who waits looks again after so long: another rate may have been set, which nobody tells an engine. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final OperationRate rate;
    private long seen; // the rate that the tokens are of
    private long tokens;

    OperationTokens(OperationRate rate) {
        this.rate = rate;
    }

    /** Whether there is a rate: a budget in bytes does not say how many operations a visit may send. */
    boolean isLimited() {
        return rate.perSecond() != 0;
    }

    /** Whether the group may send now. */
    boolean admits(long now) {
        long current = rate.perSecond();
        if (current == 0) {
            return true;
        }
        if (current != seen) {
            seen = current;
            tokens = Math.min(tokens, 0);
        }
        if (tokens <= 0) {
            tokens += rate.take(rate.lot() - tokens, now);
        }
        return tokens > 0;
    }

    /** Whether a group that was not admitted is so for its operations. */
    boolean isSpent() {
        return tokens <= 0 && isLimited();
    }

    /** When it asks again. */
    long admitsAt(long now) {
        return isSpent() ? Math.max(now, Math.min(rate.admitsAtNanos(), now + LOOK_NANOS)) : now;
    }

    /** The group has sent. */
    void charge(int operations) {
        if (isLimited()) {
            tokens -= operations;
        }
    }
}
