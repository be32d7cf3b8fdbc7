package io.verbena.rate;

import org.jspecify.annotations.Nullable;

/**
 * Measures an answer for one host by its prices alone.
 *
 * <p>For prices l and m, and any fixed y of length 1, no allocation is worth more than
 *
 * <pre>
 *   sum_j max_x { U_j(x) - beta (a_j x)^-2 - price_j x } + l q + m c,     price_j = l (k_j + y_j pi_j) + m a_j
 * </pre>
 *
 * <p>since {@code |(pi x)| >= sum y_j pi_j x_j}; y is the direction of the answer, at which the two are equal.
 */
final class Certificate {
    private Certificate() {}

    /**
     * Fills in objective, bound, magnitude and residual of a feasible answer.
     *
     * @param active whose rates are free; the others have their minimum. All, if null
     */
    static void certify(HostProblem problem, Allocation answer, boolean @Nullable [] active) {
        double l = answer.requestPrice[0];
        double m = answer.completionPrice[0];
        double[] x = answer.x;
        double norm = problem.norm(x);
        double bound = l * problem.requests + m * problem.completions;
        double budget = bound;
        double residual = 0;
        for (int j = 0; j < problem.applications; j++) {
            double drawn = problem.preemptible[j] * problem.preemptible[j] * x[j];
            double direction = drawn > 0 ? drawn / norm : 0;
            double a = problem.perRequest[j];
            double price = l * (problem.cost[j] + direction) + m * a;
            double latency = problem.beta / (a * a);
            boolean isFree = active == null || active[j];
            double best = isFree ? best(problem, j, price, x[j]) : x[j];
            bound += problem.weight[j] * Utility.value(problem.alpha[j], best) - latency / (best * best) - price * best;
            double inverse = 1 / x[j];
            double worth = problem.weight[j] * Utility.power(inverse, problem.alpha[j])
                    + 2 * latency * inverse * inverse * inverse;
            double error = (worth - price) / Math.max(worth, price);
            boolean mayFall = x[j] > problem.minimum[j];
            boolean mayRise = x[j] < problem.maximum[j];
            residual = Math.max(residual, !isFree ? 0 : Math.max(mayRise ? error : 0, mayFall ? -error : 0));
        }
        double slackRequests = problem.requests - problem.requestsUsed(x);
        double slackCompletions = problem.completions - problem.completionsUsed(x);
        if (budget > 0) {
            residual = Math.max(residual, Math.abs(l * slackRequests + m * slackCompletions) / budget);
        }
        answer.objective = problem.objective(x);
        answer.magnitude = problem.magnitude(x);
        answer.bound = bound;
        answer.residual = residual;
    }

    /** The rate that is best at a price, no smaller than the minimum and no larger than host and demand. */
    static double best(HostProblem problem, int j, double price, double guess) {
        double most = Math.min(problem.requests / problem.cost[j], problem.maximum[j]);
        if (!(price > 0)) {
            return most;
        }
        double a = problem.perRequest[j];
        double root =
                ScalarRoot.near(guess, problem.weight[j], problem.alpha[j], 2 * problem.beta / (a * a), 0, -price);
        return Math.min(most, Math.max(problem.minimum[j], root));
    }
}
