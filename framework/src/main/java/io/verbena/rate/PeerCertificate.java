package io.verbena.rate;

/**
 * Measures an answer for hosts that send to each other, by its prices alone: l and m of hosts, v of {@code S = z}.
 *
 * <pre>
 *   sum_s max_x { U_s(x) - (l k_s + sum_t p_ts v_t) x } + sum_t max_z { (v_t - m) z - beta z^-2 } + sum l q + sum m c
 * </pre>
 *
 * <p>is above all allocations' worth, with x and z bounded by what a host can have alone, so that it is always finite.
 */
final class PeerCertificate {
    private PeerCertificate() {}

    /** Fills in objective, bound, magnitude and residual of a feasible answer. */
    static void certify(PeerProblem problem, double[] v, Allocation answer) {
        answer.objective = 0;
        answer.bound = 0;
        answer.magnitude = 0;
        answer.residual = 0;
        for (int i = 0; i < problem.hosts.length; i++) {
            host(problem, i, v, answer);
        }
    }

    private static void host(PeerProblem problem, int i, double[] v, Allocation answer) {
        HostProblem host = problem.hosts[i];
        double l = answer.requestPrice[i];
        double m = answer.completionPrice[i];
        double used = 0;
        double polled = 0;
        for (int j = 0; j < host.applications; j++) {
            int s = problem.first[i] + j;
            double x = answer.x[s];
            used += host.cost[j] * x;
            polled += answer.z[s];
            double price = l * host.cost[j];
            for (int link = problem.fromSource[s]; link < problem.fromSource[s + 1]; link++) {
                price += problem.part[link] * v[problem.target[link]];
            }
            double most = host.requests / host.cost[j];
            double best = price > 0
                    ? Math.min(
                            most,
                            Math.max(host.minimum[j], ScalarRoot.near(x, host.weight[j], host.alpha[j], 0, 0, -price)))
                    : most;
            double worth = host.weight[j] * Utility.value(host.alpha[j], x);
            answer.objective += worth;
            answer.magnitude += Math.abs(worth);
            answer.bound += host.weight[j] * Utility.value(host.alpha[j], best) - price * best;
            double marginal = host.weight[j] * Utility.power(1 / x, host.alpha[j]);
            double error = (marginal - price) / Math.max(marginal, Math.abs(price));
            answer.residual = Math.max(answer.residual, x > host.minimum[j] ? Math.abs(error) : error);
            completions(host, m - v[s], answer.z[s], answer);
        }
        double budget = l * host.requests + m * host.completions;
        answer.bound += budget;
        if (budget > 0) {
            double slack = l * (host.requests - used) + m * (host.completions - polled);
            answer.residual = Math.max(answer.residual, slack / budget);
        }
    }

    private static void completions(HostProblem host, double price, double z, Allocation answer) {
        double best = price > 0 ? Math.min(host.completions, StrictMath.cbrt(2 * host.beta / price)) : host.completions;
        double latency = host.beta / (z * z);
        answer.objective -= latency;
        answer.magnitude += latency;
        answer.bound -= host.beta / (best * best) + price * best;
        double marginal = 2 * latency / z;
        answer.residual = Math.max(answer.residual, Math.abs(marginal - price) / Math.max(marginal, Math.abs(price)));
    }
}
