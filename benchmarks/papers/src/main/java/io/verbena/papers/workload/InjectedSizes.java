package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/** Sizes among which one in so many, by chance, is a given one. */
record InjectedSizes(SizeDistribution origin, long size, long oneIn) implements SizeDistribution {
    InjectedSizes {
        if (size < 0 || size > Integer.MAX_VALUE) {
            throw new IllegalArgumentException("size " + size + " outside 0.." + Integer.MAX_VALUE);
        }
        if (oneIn < 1) {
            throw new IllegalArgumentException("one in " + oneIn + " < minimum 1");
        }
    }

    @Override
    public int next(SimRandom random) {
        return random.nextLong(oneIn) == 0 ? (int) size : origin.next(random);
    }

    @Override
    public double cdf(long bytes) {
        double injected = 1.0 / oneIn;
        return (1 - injected) * origin.cdf(bytes) + (bytes >= size ? injected : 0);
    }

    @Override
    public long max() {
        return Math.max(origin.max(), size);
    }
}
