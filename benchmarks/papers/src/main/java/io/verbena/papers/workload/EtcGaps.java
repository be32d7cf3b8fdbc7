package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/**
 * Gaps between the requests of one source in Facebook's ETC pool: a generalised Pareto distribution of microseconds
 * with location 0, scale 16.0292 and shape 0.154971 (Atikoglu et al., SIGMETRICS 2012, section 5). Mean 18.97 us, that
 * is 52,700 requests a second; its variance is finite. Another load is the same gaps times a factor. Immutable; any
 * thread.
 */
public final class EtcGaps {
    private static final double SCALE_NANOS = 16_029.2;
    private static final double SHAPE = 0.154971;
    private static final double MEAN_NANOS = SCALE_NANOS / (1 - SHAPE);
    private static final double NANOS_PER_SECOND = 1e9;

    private final double factor;

    /** The gaps as published. */
    public EtcGaps() {
        this(1);
    }

    private EtcGaps(double factor) {
        this.factor = factor;
    }

    /**
     * The same gaps, stretched or shrunk to another load.
     *
     * @param messagesPerSecond mean rate, above 0
     */
    public static EtcGaps ofRate(double messagesPerSecond) {
        if (!(messagesPerSecond > 0) || Double.isInfinite(messagesPerSecond)) {
            throw new IllegalArgumentException("messages per second " + messagesPerSecond + " not above 0");
        }
        return new EtcGaps(NANOS_PER_SECOND / messagesPerSecond / MEAN_NANOS);
    }

    /** The next gap in nanoseconds, rounded to the nearest: at high loads 0 is frequent, and the mean stays. */
    public long next(SimRandom random) {
        double rest = 1 - random.nextDouble(); // above 0
        return StrictMath.round(factor * SCALE_NANOS * (StrictMath.pow(rest, -SHAPE) - 1) / SHAPE);
    }

    /** The share of gaps that are no longer than this, before rounding; the argument in nanoseconds. */
    public double cdf(double nanos) {
        return nanos <= 0 ? 0 : 1 - StrictMath.pow(1 + SHAPE * nanos / (factor * SCALE_NANOS), -1 / SHAPE);
    }

    /** The mean gap in nanoseconds. */
    public double mean() {
        return factor * MEAN_NANOS;
    }
}
