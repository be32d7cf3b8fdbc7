package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/**
 * Lengths of values in Facebook's ETC pool (Atikoglu et al., SIGMETRICS 2012, section 5): the shortest, 0 to 14 bytes,
 * by a table; the others by a generalised Pareto distribution with scale 214.476 and shape 0.348238, a heavy tail, here
 * from 15 bytes on so that the two do not overlap; at most {@value #MAX} bytes, memcached's own limit. Of the tail's
 * draws one in some three billion is longer than that: who needs the maximum has to inject it.
 *
 * <pre>
 *   V = 15 + 214.476 ((1 - U)^-0.348238 - 1) / 0.348238, rounded up: P(V &lt;= b) is the published function at b
 * </pre>
 */
public final class EtcValueSizes implements SizeDistribution {
    /** Longest value in bytes. */
    public static final int MAX = 1 << 20;

    /** The share of values that are in the table, as published. */
    static final double TABLE_SHARE = 0.44155;

    private static final double[] TABLE = {
        0.00536, 0.00047, 0.17820, 0.09239, 0.00018, 0.02740, 0.00065, 0.00606, 0.00023, 0.00837, 0.00837, 0.08989,
        0.00092, 0.00326, 0.01980
    };

    private static final int LOCATION = TABLE.length;
    private static final double SCALE = 214.476;
    private static final double SHAPE = 0.348238;

    private final double tailShare;
    private final double[] cumulated = new double[TABLE.length];

    /** The distribution as published. */
    public EtcValueSizes() {
        this(1 - TABLE_SHARE);
    }

    /**
     * The distribution with another weight of its tail; the short values keep their shares among each other.
     *
     * @param tailShare the share of values that are drawn from the tail, 0 to 1
     */
    public EtcValueSizes(double tailShare) {
        if (!(tailShare >= 0 && tailShare <= 1)) {
            throw new IllegalArgumentException("share of the tail " + tailShare + " outside 0..1");
        }
        this.tailShare = tailShare;
        double sum = 0;
        for (int i = 0; i < TABLE.length; i++) {
            sum += TABLE[i];
            cumulated[i] = sum / TABLE_SHARE * (1 - tailShare);
        }
    }

    @Override
    public int next(SimRandom random) {
        double u = random.nextDouble();
        for (int i = 0; i < LOCATION; i++) {
            if (u < cumulated[i]) {
                return i;
            }
        }
        double rest = 1 - random.nextDouble(); // above 0
        double length = LOCATION + SCALE * (StrictMath.pow(rest, -SHAPE) - 1) / SHAPE;
        return length >= MAX ? MAX : (int) StrictMath.ceil(length);
    }

    @Override
    public double cdf(long bytes) {
        if (bytes < 0) {
            return 0;
        }
        if (bytes < LOCATION) {
            return cumulated[(int) bytes];
        }
        if (bytes >= MAX) {
            return 1;
        }
        return 1 - tailShare * StrictMath.pow(1 + SHAPE * (bytes - LOCATION) / SCALE, -1 / SHAPE);
    }

    @Override
    public long max() {
        return MAX;
    }
}
