package io.verbena.rate;

/**
 * What a rate is worth to an application: alpha-fair utility, {@code w (x^(1-alpha) - 1) / (1 - alpha)}, which is
 * {@code w ln x} at alpha = 1, with x in millions of operations a second.
 *
 * <p>Alpha says how much is given up for evenness: 1/2 favours throughput, 1 is proportional fairness, 2 is least
 * delay, and the greater it is the nearer to equal rates. At a common price, rates stand as {@code w^(1/alpha)}.
 *
 * <p>DRUM (2) prints {@code x^(1-alpha) / (1-alpha)}, of which (3) is not the limit, and for alpha = 2 the text has the
 * wrong sign. With the constant term the limit is right, and all alphas agree that a rate of one is worth nothing.
 *
 * @param alpha above 0, at most {@link #MAX_ALPHA}
 * @param weight above 0 and finite
 */
public record Utility(double alpha, double weight) {
    /** Above this, powers of rates leave the range of a double; rates are equal within a few percent long before. */
    public static final double MAX_ALPHA = 32;

    /**
     * Checks the ranges.
     *
     * @throws IllegalArgumentException if one is left
     */
    public Utility {
        if (!(alpha > 0 && alpha <= MAX_ALPHA)) {
            throw new IllegalArgumentException("alpha " + alpha + " is not above 0 and at most " + MAX_ALPHA);
        }
        if (!(weight > 0 && weight < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("weight " + weight + " is not above 0 and finite");
        }
    }

    /** Worth of a rate in millions a second. */
    public double of(double rate) {
        return weight * value(alpha, rate);
    }

    /** The same for a weight of one; near alpha = 1 nothing cancels. */
    static double value(double alpha, double rate) {
        double log = StrictMath.log(rate);
        double power = 1 - alpha;
        return power == 0 ? log : StrictMath.expm1(power * log) / power;
    }

    /** The inverse rate to the power of alpha, by a multiplication or a root for the usual alphas. */
    static double power(double inverse, double alpha) {
        if (alpha == 1) {
            return inverse;
        }
        if (alpha == 2) {
            return inverse * inverse;
        }
        return alpha == 0.5 ? Math.sqrt(inverse) : pow(inverse, alpha);
    }

    /** The same on all machines; unlike {@code StrictMath.pow}, it allocates nothing. */
    static double pow(double base, double exponent) {
        return StrictMath.exp(exponent * StrictMath.log(base));
    }
}
