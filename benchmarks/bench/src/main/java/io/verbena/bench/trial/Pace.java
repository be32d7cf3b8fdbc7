package io.verbena.bench.trial;

import io.verbena.verification.RunException;
import java.util.concurrent.TimeUnit;

/**
 * How long a measurement takes.
 *
 * @param warmupSeconds before it
 * @param seconds itself
 */
public record Pace(double warmupSeconds, double seconds) {
    /** Checks the ranges. */
    public Pace {
        if (!(seconds >= 0.01) || !(seconds <= 3600)) {
            throw new RunException("seconds " + seconds + " not between 0.01 and 3600");
        }
        if (!(warmupSeconds >= 0) || !(warmupSeconds <= 3600)) {
            throw new RunException("seconds of warm-up " + warmupSeconds + " not between 0 and 3600");
        }
    }

    long nanos() {
        return (long) (seconds * TimeUnit.SECONDS.toNanos(1));
    }

    long warmupNanos(int factor) {
        return (long) (warmupSeconds * factor * TimeUnit.SECONDS.toNanos(1));
    }

    /** Both together. */
    public double total(int warmupFactor) {
        return warmupSeconds * warmupFactor + seconds;
    }
}
