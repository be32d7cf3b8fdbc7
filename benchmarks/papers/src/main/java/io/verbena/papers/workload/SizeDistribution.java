package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/**
 * How long messages are: a distribution over whole bytes, from which sizes can be drawn and whose shares are known
 * exactly. Immutable; any thread. The draws are a function of the given sequence alone.
 */
public interface SizeDistribution {
    /** The next size in bytes, 0 to {@link #max}. */
    int next(SimRandom random);

    /**
     * The share of messages that are no longer than this.
     *
     * @param bytes any value
     * @return 0 to 1
     */
    double cdf(long bytes);

    /** The largest size in bytes; at most 2^31 - 1. */
    long max();

    /**
     * The mean size in bytes: the sum of the shares that are longer than 0, 1, 2 and so on. Takes a while; not for
     * loops.
     */
    default double mean() {
        double sum = 0;
        for (long bytes = max() - 1; bytes >= 0; bytes--) {
            sum += 1 - cdf(bytes); // the smallest first
        }
        return sum;
    }

    /**
     * The least size that so large a share of messages does not exceed.
     *
     * @param share 0 to 1
     * @return bytes
     */
    default long quantile(double share) {
        if (!(share >= 0 && share <= 1)) {
            throw new IllegalArgumentException("share " + share + " outside 0..1");
        }
        long low = 0;
        long high = max();
        while (low < high) {
            long middle = (low + high) >>> 1;
            if (cdf(middle) >= share) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return low;
    }

    /**
     * The same messages, each so many times as long, rounded up. Shares stay what they were.
     *
     * @param factor above 0
     */
    default SizeDistribution scaled(double factor) {
        return new ScaledSizes(this, factor);
    }

    /**
     * The same messages, those above a limit cut to it. Shares below stay what they were.
     *
     * @param limit the largest size, at least 1; no effect if it is above {@link #max}
     */
    default SizeDistribution truncated(long limit) {
        return new TruncatedSizes(this, limit);
    }

    /**
     * The same messages, but one in so many, by chance, is of one given size.
     *
     * @param size in bytes, 0 to 2^31 - 1
     * @param oneIn at least 1
     */
    default SizeDistribution injecting(long size, long oneIn) {
        return new InjectedSizes(this, size, oneIn);
    }
}
