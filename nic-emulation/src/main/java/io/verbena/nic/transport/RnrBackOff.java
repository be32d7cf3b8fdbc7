package io.verbena.nic.transport;

import io.verbena.nic.wire.RnrTimer;

/**
 * How long a requester waits for a receiver that was not ready, and how often, until there is progress. Used under the
 * engine's baton.
 */
final class RnrBackOff {
    /** How long a receiver is asked at its own pace, in nanoseconds: more than it takes to make memory. */
    private static final long PATIENCE = 2_000_000;

    private static final int FOREVER = 7; // rnr_retry; a retry_cnt of seven is seven

    private final RetryPolicy policy;

    private int retries;
    private long waited;

    RnrBackOff(RetryPolicy policy) {
        this.policy = policy;
    }

    /** The receiver has taken something. */
    void progress() {
        retries = 0;
        waited = 0;
    }

    /** It was not ready. Returns false if that was once too often. */
    boolean mayTryAgain() {
        return policy.rnrRetry() == FOREVER || ++retries <= policy.rnrRetry();
    }

    /**
     * How long to wait before a request without a retry limit is sent again: what the receiver has said, which is the
     * least; when that has not helped for long, as long again as it has waited so far. So a receiver that stays away
     * costs the link little, and one that comes back is found in twice the time.
     *
     * @param said by the receiver, in nanoseconds
     */
    long delay(long said) {
        if (policy.rnrRetry() != FOREVER) {
            return said;
        }
        long wait = waited < PATIENCE ? said : Math.max(said, Math.min(waited, RnrTimer.MAX_BACK_OFF));
        waited += wait;
        return wait;
    }
}
