package io.verbena.nic.sim;

/**
 * The chance of a simulation: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), written out so that a seed means the
 * same on every Java release. Not thread-safe.
 */
public final class SimRandom {
    private static final long GAMMA = 0x9E37_79B9_7F4A_7C15L;
    private static final double UNIT = 0x1.0p-53;

    private long state;

    /**
     * Creates a sequence.
     *
     * @param seed any value
     */
    public SimRandom(long seed) {
        state = seed;
    }

    /** A sequence of its own for one part of the simulation: what one part draws does not shift another's. */
    public static SimRandom forPart(long seed, long part) {
        return new SimRandom(mix(seed) ^ mix(part + GAMMA));
    }

    /** Any value. */
    public long nextLong() {
        state += GAMMA;
        return mix(state);
    }

    /**
     * A value below a bound.
     *
     * @param bound at least 1
     * @return 0 to bound - 1
     */
    public int nextInt(int bound) {
        return (int) nextLong(bound);
    }

    /**
     * A value below a bound.
     *
     * @param bound at least 1
     * @return 0 to bound - 1
     */
    public long nextLong(long bound) {
        if (bound <= 0) {
            throw new IllegalArgumentException("bound " + bound + " < 1");
        }
        return Long.remainderUnsigned(nextLong(), bound);
    }

    /** A value from 0 (inclusive) to 1 (exclusive). */
    public double nextDouble() {
        return (nextLong() >>> 11) * UNIT;
    }

    /** True with the given probability. Draws nothing if that is 0. */
    public boolean chance(double probability) {
        return probability > 0 && nextDouble() < probability;
    }

    private static long mix(long value) {
        long z = (value ^ (value >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }
}
