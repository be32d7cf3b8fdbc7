package io.verbena.papers.srq;

import io.verbena.papers.workload.SizeDistribution;

/**
 * Finds the classes that need least memory: which of the candidates' limits to keep. Exact, by dynamic programming over
 * the last class, k n^2 steps for k classes of n candidates.
 *
 * <p>Several processes with a reserve each share the messages that wait between them: the best for p processes with N
 * messages together is that of one process with N / p. With no messages only reserves count.
 */
public final class SizeClassOptimizer {
    /** How the costs of classes are put together. */
    @FunctionalInterface
    interface Sum {
        double of(double before, double last);
    }

    private SizeClassOptimizer() {}

    /**
     * The best of so many classes.
     *
     * @param link at worst
     * @param sizes of the messages
     * @param messagesInQueue N, messages that wait
     * @param candidates whose adjacent classes may be put together
     * @param count of classes, 1 to as many as there are candidates
     */
    public static SizeClasses least(
            LinkModel link, SizeDistribution sizes, long messagesInQueue, SizeClasses candidates, int count) {
        return merge(link, sizes, messagesInQueue, candidates, count, Double::sum);
    }

    /** The best of any number of classes. */
    public static SizeClasses least(
            LinkModel link, SizeDistribution sizes, long messagesInQueue, SizeClasses candidates) {
        SizeClasses best = candidates;
        for (int count = 1; count < candidates.count(); count++) {
            SizeClasses merged = least(link, sizes, messagesInQueue, candidates, count);
            if (SrqFootprint.of(link, sizes, messagesInQueue, merged).totalBytes()
                    < SrqFootprint.of(link, sizes, messagesInQueue, best).totalBytes()) {
                best = merged;
            }
        }
        return best;
    }

    static SizeClasses merge(
            LinkModel link, SizeDistribution sizes, long messagesInQueue, SizeClasses candidates, int count, Sum sum) {
        int n = candidates.count();
        if (count < 1 || count > n) {
            throw new IllegalArgumentException(count + " classes outside 1.." + n);
        }
        double[] cost = new double[n]; // of the first i + 1 candidates in the number of classes so far
        int[][] before = new int[count][n]; // the last candidate of the class before
        for (int last = 0; last < n; last++) {
            cost[last] = SrqFootprint.ofClass(link, sizes, messagesInQueue, 0, candidates.limit(last))
                    .totalBytes();
        }
        for (int classes = 1; classes < count; classes++) {
            double[] next = new double[n];
            for (int last = classes; last < n; last++) {
                next[last] = Double.POSITIVE_INFINITY;
                for (int split = classes - 1; split < last; split++) {
                    double own = SrqFootprint.ofClass(
                                    link, sizes, messagesInQueue, candidates.limit(split), candidates.limit(last))
                            .totalBytes();
                    double all = sum.of(cost[split], own);
                    if (all < next[last]) {
                        next[last] = all;
                        before[classes][last] = split;
                    }
                }
            }
            cost = next;
        }
        int[] ends = new int[count];
        ends[count - 1] = n - 1;
        for (int classes = count - 1; classes > 0; classes--) {
            ends[classes - 1] = before[classes][ends[classes]];
        }
        return candidates.endingAt(ends);
    }
}
