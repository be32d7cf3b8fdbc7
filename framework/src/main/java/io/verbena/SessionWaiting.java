package io.verbena;

import io.verbena.dispatch.NodeDriver;
import io.verbena.fabric.Nanos;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** How threads wait for what the handlers of a {@link RemoteSession} do. Any number of threads; one of them polls. */
final class SessionWaiting {
    private static final int POLL_LIMIT = 64;
    private static final int SPINS = 1_000;
    private static final long MAX_WAIT = TimeUnit.MILLISECONDS.toNanos(10);

    private final RemoteSession session;
    private final NodeDriver driver;

    SessionWaiting(RemoteSession session, NodeDriver driver) {
        this.session = session;
        this.driver = driver;
    }

    boolean await(BooleanSupplier condition, Duration timeout) {
        if (session.isPolledByThisThread()) {
            throw new IllegalStateException(session + ": a handler of it cannot wait for others");
        }
        driver.refuseInCallback("await");
        long deadline = Nanos.fromNow(timeout);
        BooleanSupplier mayGoOn = () -> condition.getAsBoolean() || session.hasCompletion();
        int spins = 0;
        while (!condition.getAsBoolean()) {
            boolean polled = session.poll(POLL_LIMIT) > 0;
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                return condition.getAsBoolean();
            }
            if (polled) {
                continue;
            }
            if (++spins < SPINS) {
                Thread.onSpinWait();
            } else {
                spins = 0;
                driver.workOrWait(Math.min(left, MAX_WAIT), mayGoOn);
            }
        }
        return true;
    }
}
