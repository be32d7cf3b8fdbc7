package io.verbena.bench.overflow;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Chooses keys by Zipf's law with an exponent of 0.99, as YCSB does; which keys are the frequent ones is random. */
final class Zipf {
    private static final double EXPONENT = 0.99;

    private final double[] sums;
    private final int[] keys;
    private final SplittableRandom random;

    Zipf(int count, SplittableRandom random) {
        this.random = random;
        sums = new double[count];
        keys = new int[count];
        double sum = 0;
        for (int i = 0; i < count; i++) {
            sum += 1 / StrictMath.pow(i + 1, EXPONENT);
            sums[i] = sum;
            keys[i] = i;
        }
        for (int i = count - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int swapped = keys[i];
            keys[i] = keys[other];
            keys[other] = swapped;
        }
    }

    int next() {
        int found = Arrays.binarySearch(sums, random.nextDouble() * sums[sums.length - 1]);
        return keys[Math.min(keys.length - 1, found < 0 ? -found - 1 : found)];
    }
}
