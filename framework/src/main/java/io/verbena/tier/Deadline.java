package io.verbena.tier;

import io.verbena.fabric.Nanos;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** The end of what an application's thread waits for, in real time, or once nobody wants it. Immutable. */
final class Deadline {
    private final Duration limit;
    private final BooleanSupplier abandoned;
    private final long end;

    private Deadline(Duration limit, BooleanSupplier abandoned) {
        this.limit = limit;
        this.abandoned = abandoned;
        this.end = Nanos.fromNow(limit);
    }

    static Deadline in(Duration limit) {
        return in(limit, () -> false);
    }

    static Deadline in(Duration limit, BooleanSupplier abandoned) {
        return new Deadline(limit, abandoned);
    }

    /** What is left, at most so long; never below 0. */
    Duration left(long mostNanos) {
        return Duration.ofNanos(Math.max(0, Math.min(end - System.nanoTime(), mostNanos)));
    }

    boolean isOver() {
        return end - System.nanoTime() <= 0 || abandoned.getAsBoolean();
    }

    @Override
    public String toString() {
        return abandoned.getAsBoolean() ? "before it was abandoned" : "within " + limit.toMillis() + " ms";
    }
}
