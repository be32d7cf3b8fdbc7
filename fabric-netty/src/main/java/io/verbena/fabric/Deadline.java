package io.verbena.fabric;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Ends what takes too long, by a clock of the JVM's own, so that a wait is bounded even if nobody drives the loop.
 *
 * <p>Stateless; any thread.
 */
public final class Deadline {
    private Deadline() {}

    /** The longer of two times. */
    public static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? other : one;
    }

    /**
     * Runs something if a future is not done in time. A future that is done keeps nothing: the clock lets go of both at
     * once.
     *
     * @param future to be watched
     * @param timeout from now
     * @param action run on the clock's thread; must not block
     */
    public static void set(CompletableFuture<?> future, Duration timeout, Runnable action) {
        CompletableFuture<Void> clock =
                new CompletableFuture<Void>().completeOnTimeout(null, Nanos.of(timeout), TimeUnit.NANOSECONDS);
        clock.thenRun(action);
        future.whenComplete((done, failure) -> clock.cancel(false));
    }
}
