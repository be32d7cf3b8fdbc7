package io.verbena.papers.etc;

import io.verbena.nic.sim.SimRandom;
import io.verbena.papers.workload.SizeDistribution;

/** Sizes with a header before each. */
record FramedSizes(SizeDistribution payloads, int header) implements SizeDistribution {
    @Override
    public int next(SimRandom random) {
        return payloads.next(random) + header;
    }

    @Override
    public double cdf(long bytes) {
        return bytes < header ? 0 : payloads.cdf(bytes - header);
    }

    @Override
    public long max() {
        return payloads.max() + header;
    }
}
