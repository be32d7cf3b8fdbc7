package io.verbena.papers.rdmabox;

import java.util.Arrays;
import java.util.SplittableRandom;

/** Which cluster of pages is missing, by Zipf's law as YCSB draws records; popular ones lie anywhere. */
final class PageChoice {
    private static final double EXPONENT = 0.99; // YCSB's

    private final double[] cumulative;
    private final int[] places;

    /**
     * Creates a choice.
     *
     * @param clusters of pages that there are
     * @param seed of where the popular ones lie
     */
    PageChoice(int clusters, long seed) {
        cumulative = new double[clusters];
        places = new int[clusters];
        double sum = 0;
        for (int i = 0; i < clusters; i++) {
            sum += Math.pow(i + 1, -EXPONENT);
            cumulative[i] = sum;
            places[i] = i;
        }
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = clusters - 1; i > 0; i--) {
            int other = random.nextInt(i + 1);
            int place = places[i];
            places[i] = places[other];
            places[other] = place;
        }
    }

    /** The first page of one. */
    int next(SplittableRandom random) {
        double at = random.nextDouble() * cumulative[cumulative.length - 1];
        int found = Arrays.binarySearch(cumulative, at);
        return places[Math.min(found < 0 ? -found - 1 : found, places.length - 1)] * PagingThread.CLUSTER;
    }
}
