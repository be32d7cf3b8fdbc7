package io.verbena.rate;

import java.util.Arrays;

/**
 * The paper's baseline: dual decomposition of (1), requests alone, by subgradients with steps of {@code step /
 * sqrt(k)}.
 *
 * <pre>
 *   x = (w / (l k))^(1/alpha),    l += step / sqrt(round) (sum k x - q)
 * </pre>
 *
 * <p>It knows no completions, and its rates exceed the capacity until it has converged: what is compared is this
 * iterate as it is. Scaled down to the capacity it would be optimal from the first round on, wherever all have the same
 * alpha.
 */
public final class DualDecomposition {
    private static final double MIN_PRICE = 1e-9;

    private final HostProblem problem;
    private final double step;
    private final double[] x;
    private double price = 1;
    private int rounds;

    /**
     * Begins at a price of one.
     *
     * @param problem of which only utilities, costs and requests count
     * @param step in the paper 1e-3, in units of millions a second
     */
    public DualDecomposition(HostProblem problem, double step) {
        this.problem = problem;
        this.step = step;
        x = new double[problem.applications];
    }

    /** A round. */
    public void round() {
        rounds++;
        double used = 0;
        for (int j = 0; j < x.length; j++) {
            x[j] = Utility.pow(problem.weight[j] / (price * problem.cost[j]), 1 / problem.alpha[j]);
            used += problem.cost[j] * x[j];
        }
        price = Math.max(MIN_PRICE, price + step / Math.sqrt(rounds) * (used - problem.requests));
    }

    /** Sum of utilities of the last round's rates, feasible or not. */
    public double objective() {
        double sum = 0;
        for (int j = 0; j < x.length; j++) {
            sum += problem.weight[j] * Utility.value(problem.alpha[j], x[j]);
        }
        return sum;
    }

    /** By how much the last round's requests exceed the capacity, relative to it; negative if they do not. */
    public double excess() {
        double used = 0;
        for (int j = 0; j < x.length; j++) {
            used += problem.cost[j] * x[j];
        }
        return used / problem.requests - 1;
    }

    /** The last round's rates, requests a second. */
    public double[] requests() {
        double[] rates = Arrays.copyOf(x, x.length);
        for (int j = 0; j < rates.length; j++) {
            rates[j] *= HostProblem.MEGA;
        }
        return rates;
    }
}
