package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/**
 * Lengths of keys in Facebook's ETC pool: a generalised extreme value distribution with location 30.7984, scale 8.20449
 * and shape 0.078688 (Atikoglu et al., SIGMETRICS 2012, section 5), rounded to whole bytes and held between 1 and
 * {@value #MAX}, memcached's own limit. Mean 36.2, median 34.
 *
 * <pre>
 *   K = 30.7984 + 8.20449 ((-ln U)^-0.078688 - 1) / 0.078688
 * </pre>
 */
public final class EtcKeySizes implements SizeDistribution {
    /** Longest key in bytes. */
    public static final int MAX = 250;

    private static final int MIN = 1;
    private static final double LOCATION = 30.7984;
    private static final double SCALE = 8.20449;
    private static final double SHAPE = 0.078688;

    /** Creates the distribution. */
    public EtcKeySizes() {}

    @Override
    public int next(SimRandom random) {
        double u = random.nextDouble();
        double length = LOCATION + SCALE * (StrictMath.pow(-StrictMath.log(u), -SHAPE) - 1) / SHAPE;
        return (int) Math.max(MIN, Math.min(MAX, StrictMath.round(length)));
    }

    @Override
    public double cdf(long bytes) {
        if (bytes < MIN) {
            return 0;
        }
        if (bytes >= MAX) {
            return 1;
        }
        double reduced = 1 + SHAPE * (bytes + 0.5 - LOCATION) / SCALE; // what rounds to this is below half a byte more
        return reduced <= 0 ? 0 : StrictMath.exp(-StrictMath.pow(reduced, -1 / SHAPE));
    }

    @Override
    public long max() {
        return MAX;
    }
}
