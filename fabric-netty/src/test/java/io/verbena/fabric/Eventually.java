package io.verbena.fabric;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;

/** Waits for what other threads do, and looks at once and often: what is waited for takes a few milliseconds. */
public final class Eventually {
    private static final Duration PAUSE = Duration.ofMillis(1);

    private Eventually() {}

    public static ConditionFactory await() {
        return Awaitility.await().pollDelay(Duration.ZERO).pollInterval(PAUSE);
    }
}
