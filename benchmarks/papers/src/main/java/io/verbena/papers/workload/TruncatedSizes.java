package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/** Sizes with all above a limit cut to it. */
record TruncatedSizes(SizeDistribution origin, long limit) implements SizeDistribution {
    TruncatedSizes {
        if (limit < 1) {
            throw new IllegalArgumentException("limit " + limit + " < minimum 1");
        }
    }

    @Override
    public int next(SimRandom random) {
        return (int) Math.min(origin.next(random), limit);
    }

    @Override
    public double cdf(long bytes) {
        return bytes >= limit ? 1 : origin.cdf(bytes);
    }

    @Override
    public long max() {
        return Math.min(origin.max(), limit);
    }
}
