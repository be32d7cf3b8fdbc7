package io.verbena.nic.arbiter;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * What a group's {@link OperationRate} lets it send yet on one engine. Tokens of an old rate are not used at a new one;
 * what is owed stays owed.
 *
 * <p>Used under the engine's baton.
 */
final class OperationTokens {
    /** Who waits looks again after so long: another rate may have been set, which nobody tells an engine. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final int FEW = 16;
    private static final long SHORT_MESSAGE = 64; // bytes
    private static final long LONG_MESSAGE = 4096; // about a packet

    private final OperationRate rate;
    private long seen; // the rate that the tokens are of
    private long tokens;

    OperationTokens(OperationRate rate) {
        this.rate = rate;
    }

    private boolean isLimited() {
        return rate.perSecond() != 0;
    }

    /** Whether more operations are left than a budget in bytes can take, however short they are. */
    boolean isPlenty(int bytes) {
        return tokens >= FEW && tokens * SHORT_MESSAGE >= bytes;
    }

    /**
     * Whether a visit may send one packet, for more would be many more operations than are left.
     *
     * @param mean bytes of an operation
     */
    boolean isFew(long mean) {
        return isLimited() && tokens < FEW && mean < LONG_MESSAGE;
    }

    /**
     * What a visit may send of a budget in bytes: about as many messages as operations are left.
     *
     * @param mean bytes of an operation
     */
    int budget(int bytes, long mean) {
        return isLimited() ? (int) Math.min(bytes, Math.max(1, tokens) * Math.max(SHORT_MESSAGE, mean)) : bytes;
    }

    /** Whether the group may send now. */
    boolean admits(NanoClock clock) {
        long current = rate.perSecond();
        if (current == 0) {
            return true;
        }
        if (current != seen) {
            seen = current;
            tokens = Math.min(tokens, 0);
        }
        if (tokens <= 0) {
            tokens += rate.take(rate.lot() - tokens, clock.nanoTime());
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
