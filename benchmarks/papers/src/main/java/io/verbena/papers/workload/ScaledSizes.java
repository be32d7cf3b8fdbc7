package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/** Sizes times a factor, rounded up: so the share up to b is that of the origin up to b / factor. */
record ScaledSizes(SizeDistribution origin, double factor) implements SizeDistribution {
    ScaledSizes {
        if (!(factor > 0) || origin.max() * factor > Integer.MAX_VALUE) {
            throw new IllegalArgumentException(
                    "factor " + factor + " outside 0.." + (double) Integer.MAX_VALUE / origin.max());
        }
    }

    @Override
    public int next(SimRandom random) {
        return (int) StrictMath.ceil(origin.next(random) * factor);
    }

    @Override
    public double cdf(long bytes) {
        if (bytes >= max()) {
            return 1;
        }
        long unscaled = (long) StrictMath.floor(bytes / factor);
        // The quotient may have been rounded over a whole number, in either direction.
        if (StrictMath.ceil((unscaled + 1) * factor) <= bytes) {
            unscaled++;
        } else if (StrictMath.ceil(unscaled * factor) > bytes) {
            unscaled--;
        }
        return origin.cdf(unscaled);
    }

    @Override
    public long max() {
        return (long) StrictMath.ceil(origin.max() * factor);
    }
}
