package io.verbena.papers.workload;

import io.verbena.nic.sim.SimRandom;

/**
 * Lengths of a key and its value together, the two drawn independently. Its shares are a table, made when first asked
 * for.
 */
final class EtcPairSizes implements SizeDistribution {
    private static final EtcKeySizes KEYS = new EtcKeySizes();
    private static final EtcValueSizes VALUES = new EtcValueSizes();

    /** Shares by size: each key length's own share of the values that still fit beside it. */
    private static final class Shares {
        static final double[] CDF = convolve();

        private static double[] convolve() {
            double[] values = new double[EtcValueSizes.MAX + 1];
            for (int i = 0; i < values.length; i++) {
                values[i] = VALUES.cdf(i);
            }
            double[] sums = new double[EtcKeySizes.MAX + EtcValueSizes.MAX + 1];
            for (int key = 1; key <= EtcKeySizes.MAX; key++) {
                double share = KEYS.cdf(key) - KEYS.cdf(key - 1L);
                for (int i = 0; i < values.length; i++) {
                    sums[key + i] += share * values[i];
                }
                for (int i = key + values.length; i < sums.length; i++) {
                    sums[i] += share;
                }
            }
            return sums;
        }
    }

    @Override
    public int next(SimRandom random) {
        return KEYS.next(random) + VALUES.next(random);
    }

    @Override
    public double cdf(long bytes) {
        if (bytes < 0) {
            return 0;
        }
        return bytes >= max() ? 1 : Shares.CDF[(int) bytes];
    }

    @Override
    public long max() {
        return EtcKeySizes.MAX + EtcValueSizes.MAX;
    }

    @Override
    public double mean() {
        return KEYS.mean() + VALUES.mean();
    }
}
