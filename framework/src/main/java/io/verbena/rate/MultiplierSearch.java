package io.verbena.rate;

/**
 * Finds the price of a capacity: the least multiplier from 0 on at which a use that falls with it is not above the
 * capacity. Newton's method inside a bracket that each evaluation narrows; a step that leaves the bracket is a
 * bisection, or a doubling while nothing bounds it above. Where use is convex in the price, which it is for linear
 * capacities, steps climb from the left and never bisect.
 *
 * <pre>
 *   for (boolean more = search.begin(guess, capacity); more; more = search.next(use, slope)) {
 *       use, slope = ... at search.price();
 *   }
 * </pre>
 */
final class MultiplierSearch {
    private static final int MAX_EVALUATIONS = 200;

    /** Where doubling begins if nothing else is known. */
    private static final double SMALLEST_PRICE = 1e-9;

    private final double tolerance;
    private double price;
    private double capacity;
    private double low;
    private double high;
    private boolean isZeroKnown;
    private int evaluations;

    /**
     * A search.
     *
     * @param tolerance how far use may be from the capacity, relative to it, unless the price is 0
     */
    MultiplierSearch(double tolerance) {
        this.tolerance = tolerance;
    }

    /**
     * Starts.
     *
     * @param guess from 0 on, such as the last price
     * @param capacity above 0
     * @return true: the first price is to be evaluated
     */
    boolean begin(double guess, double capacity) {
        this.capacity = capacity;
        price = guess;
        low = 0;
        high = Double.POSITIVE_INFINITY;
        isZeroKnown = false;
        evaluations = 0;
        return true;
    }

    /** The price to evaluate; the result once there is no more. */
    double price() {
        return price;
    }

    /**
     * Takes what was found at the price.
     *
     * @param use at the price
     * @param slope of the use there, by which it falls: from 0 on
     * @return whether another price is to be evaluated
     */
    boolean next(double use, double slope) {
        double excess = use - capacity;
        boolean isSlack = price == 0 && excess <= 0;
        if (isSlack || Math.abs(excess) <= tolerance * capacity || ++evaluations == MAX_EVALUATIONS) {
            return false;
        }
        isZeroKnown |= price == 0;
        if (excess > 0) {
            low = price;
        } else {
            high = price;
        }
        double step = price + excess / slope;
        if (step <= 0 && !isZeroKnown) {
            step = 0;
        } else if (!(step > low && step < high)) {
            step = high == Double.POSITIVE_INFINITY ? Math.max(2 * price, SMALLEST_PRICE) : low + (high - low) / 2;
        }
        boolean isMoved = step != price && (step == 0 || step > low) && step < high;
        price = step;
        return isMoved;
    }
}
