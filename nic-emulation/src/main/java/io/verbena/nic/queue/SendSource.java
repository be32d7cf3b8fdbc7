package io.verbena.nic.queue;

import io.verbena.nic.verbs.WcStatus;
import org.jspecify.annotations.Nullable;

/**
 * What fills a queue pair's send ring where many post to queues of their own: the engine asks it when it has sent all
 * that the ring holds. So which request is next is decided as late as possible.
 *
 * <p>Used under the engine's baton. Nothing here blocks or throws.
 */
public interface SendSource {
    /**
     * Lays requests into a ring, as many as it likes and as there is room for, and publishes them.
     *
     * @param ring whose published requests have all been sent
     */
    void fill(SendRing ring);

    /**
     * Requests are complete, or were flushed: those that are not signaled have no completion of their own then.
     *
     * @param before the number of the first request of the ring that is not
     */
    void completed(long before);

    /** Whether it takes back what the peer refuses, so that others go on. If not, an error is the queue pair's. */
    default boolean takesBack() {
        return false;
    }

    /** Whether others would go on if it took back what a receiver is not ready for. If not, all wait for that one. */
    default boolean waitsApart() {
        return false;
    }

    /**
     * Requests have left the ring again, and none of them was executed: the oldest, which the peer did not take, and
     * all behind it. They are laid into it again when the source sees fit.
     *
     * @param first number of the oldest
     * @param end number after the last
     * @param why the oldest was refused for good; null if its receiver is not ready
     * @param now by the engine's clock
     * @param delayNanos after which a receiver that is not ready may be asked again, the least
     * @param begun whether the oldest belongs to a message of which the peer has forgotten what it had
     */
    default void takenBack(long first, long end, @Nullable WcStatus why, long now, long delayNanos, boolean begun) {
        throw new UnsupportedOperationException("a source that takes nothing back");
    }

    /** When it looks again for something to lay into the ring, or {@link Long#MAX_VALUE}. */
    default long deadline() {
        return Long.MAX_VALUE;
    }

    /** That time may have come. */
    default void onTimer(long now) {}

    /** The queue pair's weight among those of its group while these have something to send, at least 1. */
    int weight();
}
