package io.verbena.rate;

/**
 * Solves small two-sided problems by Newton's method on a logarithmic barrier, with nothing in common with the code
 * under test but the problem: z is eliminated, all rates of all hosts are one vector.
 */
final class BarrierOracle {
    private final PeerProblem problem;
    private final int n;
    private final double[][] p;

    BarrierOracle(PeerProblem problem) {
        this.problem = problem;
        n = problem.applications();
        p = new double[n][n];
        for (int link = 0; link < problem.target.length; link++) {
            p[problem.target[link]][problem.source[link]] += problem.part[link];
        }
    }

    /**
     * Solves.
     *
     * @param gap by which the answer is at most worse than the best
     */
    double[] solve(double gap) {
        double[] x = new double[n];
        for (int s = 0; s < n; s++) {
            int i = problem.hostOf[s];
            double free = Double.POSITIVE_INFINITY;
            for (int other = 0; other < problem.hosts(); other++) {
                free = Math.min(free, problem.equalShare(other));
            }
            x[s] = Math.max(1.01 * problem.minimum(s), 0.9 * Math.min(free, problem.equalShare(i)));
        }
        int barriers = n + 2 * problem.hosts();
        for (double t = 1; barriers / t > gap; t *= 8) {
            double decrement = Double.POSITIVE_INFINITY;
            for (int step = 0; step < 100 && decrement > 1e-10; step++) {
                decrement = newton(x, t);
            }
        }
        return x;
    }

    private double value(double[] x, double t) {
        double sum = 0;
        for (int i = 0; i < problem.hosts(); i++) {
            HostProblem host = problem.hosts[i];
            double requests = host.requests;
            double completions = host.completions;
            for (int s = problem.first[i]; s < problem.first[i + 1]; s++) {
                int j = s - problem.first[i];
                double above = x[s] - problem.minimum(s);
                if (above <= 0) {
                    return Double.NEGATIVE_INFINITY;
                }
                double z = completions(s, x);
                sum += t * (host.weight[j] * Utility.value(host.alpha[j], x[s]) - host.beta / (z * z));
                sum += Math.log(above);
                requests -= host.cost[j] * x[s];
                completions -= z;
            }
            if (requests <= 0 || completions <= 0) {
                return Double.NEGATIVE_INFINITY;
            }
            sum += Math.log(requests) + Math.log(completions);
        }
        return sum;
    }

    private double completions(int t, double[] x) {
        double z = 0;
        for (int s = 0; s < n; s++) {
            z += p[t][s] * x[s];
        }
        return z;
    }

    /** A damped step; returns the Newton decrement before it. */
    private double newton(double[] x, double t) {
        double[] gradient = new double[n];
        double[][] hessian = new double[n][n];
        for (int i = 0; i < problem.hosts(); i++) {
            derive(i, x, t, gradient, hessian);
        }
        double[] step = solve(hessian, gradient);
        double decrement = 0;
        for (int s = 0; s < n; s++) {
            decrement += gradient[s] * step[s];
        }
        double before = value(x, t);
        double[] tried = new double[n];
        for (double length = 1; length > 1e-12; length /= 2) {
            for (int s = 0; s < n; s++) {
                tried[s] = x[s] + length * step[s];
            }
            if (value(tried, t) > before) {
                System.arraycopy(tried, 0, x, 0, n);
                return decrement;
            }
        }
        return 0;
    }

    /** Adds what a host has of the gradient, and of the negative Hessian. */
    private void derive(int i, double[] x, double t, double[] gradient, double[][] hessian) {
        HostProblem host = problem.hosts[i];
        double[] cost = new double[n];
        double[] polled = new double[n];
        double requests = host.requests;
        double completions = host.completions;
        for (int target = problem.first[i]; target < problem.first[i + 1]; target++) {
            int j = target - problem.first[i];
            double above = x[target] - problem.minimum(target);
            double falling = t * host.weight[j] * StrictMath.pow(x[target], -host.alpha[j]);
            gradient[target] += falling + 1 / above;
            hessian[target][target] += host.alpha[j] * falling / x[target] + 1 / (above * above);
            double z = completions(target, x);
            cost[target] = host.cost[j];
            requests -= host.cost[j] * x[target];
            completions -= z;
            for (int s = 0; s < n; s++) {
                polled[s] += p[target][s];
                gradient[s] += t * 2 * host.beta / (z * z * z) * p[target][s];
            }
            rankOne(hessian, p[target], t * 6 * host.beta / (z * z * z * z));
        }
        for (int s = 0; s < n; s++) {
            gradient[s] -= cost[s] / requests + polled[s] / completions;
        }
        rankOne(hessian, cost, 1 / (requests * requests));
        rankOne(hessian, polled, 1 / (completions * completions));
    }

    private void rankOne(double[][] hessian, double[] vector, double factor) {
        for (int r = 0; r < n; r++) {
            for (int s = 0; s < n; s++) {
                hessian[r][s] += factor * vector[r] * vector[s];
            }
        }
    }

    /** By Cholesky's factors, in place. */
    private static double[] solve(double[][] matrix, double[] right) {
        int n = right.length;
        double[] x = right.clone();
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                double sum = matrix[i][j];
                for (int k = 0; k < j; k++) {
                    sum -= matrix[i][k] * matrix[j][k];
                }
                matrix[i][j] = i == j ? Math.sqrt(sum) : sum / matrix[j][j];
            }
        }
        for (int i = 0; i < n; i++) {
            for (int k = 0; k < i; k++) {
                x[i] -= matrix[i][k] * x[k];
            }
            x[i] /= matrix[i][i];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) {
                x[i] -= matrix[k][i] * x[k];
            }
            x[i] /= matrix[i][i];
        }
        return x;
    }
}
