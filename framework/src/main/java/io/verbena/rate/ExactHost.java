package io.verbena.rate;

import org.jspecify.annotations.Nullable;

/**
 * The one-sided problem of a host, solved to the last digits: the default, and what other solvers are tested against.
 *
 * <p>With z = a x nothing reaches beyond the host, so DRUM's iterations (7) to (9) are not needed, nor a dual that is
 * collected from all hosts, as it says of u in III-C. For prices l of requests and m of completions each application
 * solves its own equation
 *
 * <pre>
 *   w x^-alpha + 2 beta a^-2 x^-3 = l (k + pi^2 x / N) + m a,     x = min(max(root, min), max)
 * </pre>
 *
 * <p>and the prices are found one inside the other: l until the requests fit, around it m until the completions fit.
 * The outer search knows how l follows m, so the inner one begins next to its end. N is the norm of (12): for a fixed N
 * the capacity {@code k x + (pi x)^2 / 2N <= q - N/2} separates, and it is the norm's where N is the norm; updating one
 * after the other ascends to the joint optimum, for the problem is concave in both.
 *
 * <p>Not thread-safe. Allocates nothing once it has seen a problem of the largest size.
 */
public final class ExactHost {
    private static final double REQUESTS_TOLERANCE = 1e-14;
    private static final double COMPLETIONS_TOLERANCE = 1e-13;
    private static final int MAX_NORMS = 100;

    private final MultiplierSearch requestSearch = new MultiplierSearch(REQUESTS_TOLERANCE);
    private final MultiplierSearch completionSearch = new MultiplierSearch(COMPLETIONS_TOLERANCE);
    private boolean @Nullable [] active;
    private int passes;

    /** What one pass over the applications finds: uses, and how they fall with either price. */
    private double requests;

    private double completions;
    private double fallRequests;
    private double fallBoth;
    private double fallCompletions;

    /** Creates it. */
    public ExactHost() {}

    /**
     * Solves.
     *
     * @param problem of one host
     * @param answer gets rates, prices and certificate
     */
    public void solve(HostProblem problem, Allocation answer) {
        solve(problem, answer, null);
    }

    /** The same if only some have more than their minimum; all, if null. */
    void solve(HostProblem problem, Allocation answer, boolean @Nullable [] active) {
        this.active = active;
        answer.resize(1, problem.applications);
        double[] x = answer.x;
        double even = problem.evenRate();
        for (int j = 0; j < problem.applications; j++) {
            x[j] = problem.minimum[j] + (active == null || active[j] ? even : 0);
        }
        passes = 0;
        answer.requestPrice[0] = firstPrice(problem, x);
        if (!problem.isPreemptible) {
            solve(problem, x, 0, answer);
        } else {
            double norm = problem.norm(x);
            for (int i = 0; i < MAX_NORMS; i++) {
                solve(problem, x, norm, answer);
                double next = problem.norm(x);
                boolean isSettled = Math.abs(next - norm) <= REQUESTS_TOLERANCE * norm;
                norm = next;
                if (isSettled) {
                    break;
                }
            }
        }
        problem.makeFeasible(x);
        for (int j = 0; j < problem.applications; j++) {
            answer.z[j] = problem.perRequest[j] * x[j];
        }
        answer.rounds = passes;
        Certificate.certify(problem, answer, active);
    }

    private static double firstPrice(HostProblem problem, double[] x) {
        double worth = 0;
        for (int j = 0; j < problem.applications; j++) {
            worth += problem.weight[j] * Utility.power(1 / x[j], problem.alpha[j]) * x[j];
        }
        return worth / problem.requests;
    }

    /** For a fixed norm; the prices that are in the answer are where it begins. */
    private void solve(HostProblem problem, double[] x, double norm, Allocation answer) {
        double l = answer.requestPrice[0];
        double m = answer.completionPrice[0];
        fallRequests = 0;
        boolean more = completionSearch.begin(m, problem.completions);
        while (more) {
            double moved = completionSearch.price() - m;
            m = completionSearch.price();
            double follow = fallRequests > 0 && l > 0 ? fallBoth / fallRequests : 0;
            l = requestPrice(problem, x, norm, Math.max(0.5 * l, l - moved * follow), m);
            double slope =
                    l > 0 && fallRequests > 0 ? fallCompletions - fallBoth * fallBoth / fallRequests : fallCompletions;
            more = completionSearch.next(completions, slope);
        }
        answer.requestPrice[0] = l;
        answer.completionPrice[0] = m;
    }

    private double requestPrice(HostProblem problem, double[] x, double norm, double guess, double m) {
        boolean more = requestSearch.begin(guess, problem.requests - norm / 2);
        while (more) {
            pass(problem, x, norm, requestSearch.price(), m);
            more = requestSearch.next(requests, fallRequests);
        }
        return requestSearch.price();
    }

    private void pass(HostProblem problem, double[] x, double norm, double l, double m) {
        double sum = 0;
        double sumCompletions = 0;
        double ll = 0;
        double lm = 0;
        double mm = 0;
        for (int j = 0; j < problem.applications; j++) {
            double a = problem.perRequest[j];
            double price = l * problem.cost[j] + m * a;
            double drawn = norm > 0 ? problem.preemptible[j] * problem.preemptible[j] / norm : 0;
            double alpha = problem.alpha[j];
            double weight = problem.weight[j];
            double latency = 2 * problem.beta / (a * a);
            double rate = active != null && !active[j]
                    ? 0
                    : price > 0
                            ? ScalarRoot.near(x[j], weight, alpha, latency, l * drawn, -price)
                            : problem.requests / problem.cost[j];
            double marginal = problem.cost[j] + drawn * rate;
            if (rate >= problem.maximum[j]) {
                rate = problem.maximum[j];
            } else if (rate > problem.minimum[j]) {
                double inverse = 1 / rate;
                double curvature =
                        (alpha * weight * Utility.power(inverse, alpha) + 3 * latency * inverse * inverse * inverse)
                                        * inverse
                                + l * drawn;
                ll += marginal * marginal / curvature;
                lm += marginal * a / curvature;
                mm += a * a / curvature;
            } else {
                rate = problem.minimum[j];
            }
            x[j] = rate;
            sum += problem.cost[j] * rate + drawn * rate * rate / 2;
            sumCompletions += a * rate;
        }
        requests = sum;
        completions = sumCompletions;
        fallRequests = ll;
        fallBoth = lm;
        fallCompletions = mm;
        passes++;
    }
}
