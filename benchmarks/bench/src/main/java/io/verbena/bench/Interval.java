package io.verbena.bench;

import java.util.Arrays;
import java.util.Collection;
import java.util.Optional;

/**
 * Median, least and greatest of some values.
 *
 * @param median of an even number: the mean of the two in the middle
 * @param min the least
 * @param max the greatest
 * @param count how many
 */
public record Interval(double median, double min, double max, int count) {
    /** Of the values, if there are any. */
    public static Optional<Interval> of(Collection<Double> values) {
        return values.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        of(values.stream().mapToDouble(Double::doubleValue).toArray()));
    }

    /**
     * Of the values.
     *
     * @param values at least one, in any order; they stay as they are
     */
    public static Interval of(double... values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        int middle = sorted.length / 2;
        double median = sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Interval(median, sorted[0], sorted[sorted.length - 1], sorted.length);
    }
}
