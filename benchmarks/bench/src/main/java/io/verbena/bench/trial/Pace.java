package io.verbena.bench.trial;

import io.verbena.bench.cores.SlicedRun;
import io.verbena.verification.RunException;
import java.util.concurrent.TimeUnit;

/**
 * How long a measurement takes.
 *
 * @param warmupSeconds before it at least, of a path in memory
 * @param seconds itself, in slices of about one
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

    int slices() {
        return (int) Math.max(1, Math.round(seconds));
    }

    long sliceNanos() {
        return (long) (seconds / slices() * TimeUnit.SECONDS.toNanos(1));
    }

    long warmupNanos(int factor) {
        return (long) (warmupSeconds * factor * TimeUnit.SECONDS.toNanos(1));
    }

    /** Both together, if the compilers rest soon and no slice is void. */
    public double total(int warmupFactor) {
        return warmupSeconds * warmupFactor + seconds;
    }

    /** Both together at most. */
    double longest(int warmupFactor) {
        return warmupSeconds * warmupFactor * SlicedRun.MAX_WARM_UP
                + seconds * (slices() + SlicedRun.MAX_REPEATS) / slices();
    }
}
