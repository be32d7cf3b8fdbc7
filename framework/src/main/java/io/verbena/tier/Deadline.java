package io.verbena.tier;

import io.verbena.fabric.Nanos;
import java.time.Duration;

/** The end of what an application's thread waits for, in real time. Immutable. */
final class Deadline {
    private final Duration limit;
    private final long end;

    private Deadline(Duration limit) {
        this.limit = limit;
        this.end = Nanos.fromNow(limit);
    }

    static Deadline in(Duration limit) {
        return new Deadline(limit);
    }

    /** What is left, at most so long; never below 0. */
    Duration left(long mostNanos) {
        return Duration.ofNanos(Math.max(0, Math.min(end - System.nanoTime(), mostNanos)));
    }

    boolean isOver() {
        return end - System.nanoTime() <= 0;
    }

    @Override
    public String toString() {
        return "within " + limit.toMillis() + " ms";
    }
}
