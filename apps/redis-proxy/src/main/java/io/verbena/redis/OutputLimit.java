package io.verbena.redis;

import java.util.concurrent.TimeUnit;

/**
 * How much a client may leave unread before it is closed; as Redis' {@code client-output-buffer-limit} of normal
 * clients.
 *
 * @param hardBytes closed at once beyond this; 0 for no limit
 * @param softBytes closed when beyond this for {@code softSeconds}; 0 for no limit
 * @param softSeconds time in seconds
 */
public record OutputLimit(long hardBytes, long softBytes, int softSeconds) {
    /** 1 GiB at once, 256 MiB for 30 s. */
    public static final OutputLimit DEFAULT = new OutputLimit(1L << 30, 256L << 20, 30);

    /** Checks the range. */
    public OutputLimit {
        if (hardBytes < 0 || softBytes < 0 || softSeconds < 0) {
            throw new IllegalArgumentException(
                    "hardBytes " + hardBytes + ", softBytes " + softBytes + " or softSeconds " + softSeconds + " < 0");
        }
    }

    boolean isOverHard(long bytes) {
        return hardBytes > 0 && bytes > hardBytes;
    }

    boolean isOverSoft(long bytes) {
        return isOverHard(bytes) || (softBytes > 0 && bytes > softBytes);
    }

    boolean isOverSoftTime(long nanos) {
        return softSeconds > 0 && nanos > TimeUnit.SECONDS.toNanos(softSeconds);
    }

    @Override
    public String toString() {
        return "normal " + hardBytes + " " + softBytes + " " + softSeconds;
    }
}
