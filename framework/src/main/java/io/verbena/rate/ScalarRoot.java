package io.verbena.rate;

/**
 * The positive root of {@code w x^-alpha + b x^-3 - R x + p}, which is all that one application asks of a solver once
 * prices are known: b = 0 in the request step of ADMM, w = 0 in its completion step, R = 0 for a host alone.
 *
 * <p>The function is convex and falls, so Newton's method climbs to the root from anywhere to its left, and needs no
 * safeguard; from its right the first step leads to the left. The start is the larger of the left ends for either power
 * W x^-A alone: with {@code s = (W/R)^(1/(1+A))}, {@code max(p/R, s)} for p from 0 on, and below it
 * {@code min(s, (W/-p)^(1/A)) 2^(-1/A)}.
 *
 * <p>DRUM (14) and (15) print closed forms that are no roots of the stationarity condition: the signs of u and lambda
 * are reversed, the weight and beta are missing, u multiplies z, and (15) as a fixed point goes to zero or to no
 * number.
 */
final class ScalarRoot {
    /** Enough from the left end for full precision over eight decades of R and six of p. */
    static final int MAX_STEPS = 12;

    /** A step that is relatively smaller leaves an error of its square, which no double shows. */
    private static final double SQUARED_AWAY = 1e-9;

    private static final double LATENCY_POWER = 3;

    private ScalarRoot() {}

    /**
     * From the left end of its bracket.
     *
     * @param w from 0 on
     * @param alpha above 0
     * @param b from 0 on; not 0 together with w
     * @param r above 0, or 0 if p is below 0
     * @param p any
     */
    static double solve(double w, double alpha, double b, double r, double p) {
        double left = Math.max(w > 0 ? left(w, alpha, r, p) : 0, b > 0 ? left(b, LATENCY_POWER, r, p) : 0);
        return Math.abs(newton(left, w, alpha, b, r, p));
    }

    /**
     * From a guess, such as the root for other prices; from the left end if the guess is of no use.
     *
     * @param guess above 0, or anything else if there is none
     */
    static double near(double guess, double w, double alpha, double b, double r, double p) {
        if (guess > 0) {
            double inverse = 1 / guess;
            double falling = w * Utility.power(inverse, alpha);
            double latency = b * inverse * inverse * inverse;
            double slope = (alpha * falling + LATENCY_POWER * latency) * inverse + r;
            double first = guess + (falling + latency - r * guess + p) / slope;
            if (first > 0.25 * guess && first < 4 * guess) {
                double root = newton(first, w, alpha, b, r, p);
                if (root > 0) {
                    return root;
                }
            }
        }
        return solve(w, alpha, b, r, p);
    }

    /** Climbs from the left of the root; negative if it has not arrived, which only a bad guess brings about. */
    private static double newton(double start, double w, double alpha, double b, double r, double p) {
        double x = start;
        for (int step = 0; step < MAX_STEPS; step++) {
            double inverse = 1 / x;
            double falling = w * Utility.power(inverse, alpha);
            double latency = b * inverse * inverse * inverse;
            double slope = (alpha * falling + LATENCY_POWER * latency) * inverse + r;
            double next = x + (falling + latency - r * x + p) / slope;
            if (!(next > x)) {
                return x;
            }
            if (next - x < SQUARED_AWAY * x) {
                return next;
            }
            x = next;
        }
        return -x;
    }

    private static double left(double w, double alpha, double r, double p) {
        double balance = r > 0 ? Utility.pow(w / r, 1 / (1 + alpha)) : Double.POSITIVE_INFINITY;
        if (p >= 0) {
            return Math.max(p / r, balance);
        }
        return Math.min(balance, Utility.pow(w / -p, 1 / alpha)) * Utility.pow(0.5, 1 / alpha);
    }
}
