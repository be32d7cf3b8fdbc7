package io.verbena.nic.transport;

import io.verbena.nic.wire.AckTimeout;

/**
 * How long a queue pair waits for answers, how often it tries a request again, and what it asks of its peers where it
 * is not ready itself. Used under the engine's baton.
 */
public final class RetryPolicy {
    private int retryCount = 7;
    private int rnrRetry = 7;
    private long ackTimeoutNanos = AckTimeout.nanos(18);
    private int minRnrTimer = 12;

    RetryPolicy() {}

    int retryCount() {
        return retryCount;
    }

    int rnrRetry() {
        return rnrRetry;
    }

    long ackTimeoutNanos() {
        return ackTimeoutNanos;
    }

    int minRnrTimer() {
        return minRnrTimer;
    }

    /** Sets the acknowledgement timeout, a code of {@link AckTimeout}. */
    public void timeout(int code) {
        ackTimeoutNanos = AckTimeout.nanos(code);
    }

    /** Sets the retries after a timeout. */
    public void retryCount(int count) {
        retryCount = count;
    }

    /** Sets the retries after "receiver not ready", 7 for no limit. */
    public void rnrRetry(int count) {
        rnrRetry = count;
    }

    /** Sets the RNR timer code that peers are answered with. */
    public void minRnrTimer(int code) {
        minRnrTimer = code;
    }
}
