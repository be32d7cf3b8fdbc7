package io.verbena.bench.check.redis;

import java.util.SplittableRandom;

/** Random numbers that are a function of the seed and of whose they are. Static. */
final class Seeds {
    private Seeds() {}

    /** A generator for one purpose. */
    static SplittableRandom random(long seed, long purpose) {
        return new SplittableRandom(mix(seed ^ mix(purpose + 1)));
    }

    /** SplitMix64's finalizer. */
    static long mix(long value) {
        long z = value + 0x9E3779B97F4A7C15L;
        z = (z ^ z >>> 30) * 0xBF58476D1CE4E5B9L;
        z = (z ^ z >>> 27) * 0x94D049BB133111EBL;
        return z ^ z >>> 31;
    }
}
