package io.verbena.rate;

import java.util.Arrays;

/**
 * The one-sided problem of a host by the alternating direction method of multipliers: DRUM's algorithm 1, put right.
 *
 * <pre>
 *   host         x:  w x^-alpha - R x + p = 0,  R = rho a^2,  p = rho a z - a u - l k     l: sum k x &lt;= q     (7)
 *   coordinator  z:  2 beta z^-3 - rho z + (rho y + u - m) = 0                            m: sum z   &lt;= c     (8)
 *                u += rho (y - z),              y = r a x + (1 - r) z of the last round                       (9)
 * </pre>
 *
 * <p>(9) prints {@code + z}, with which the residual grows from round to round; u is local here, a number an
 * application, where the paper collects one from all hosts. {@link ExactHost} solves the same problem without rounds:
 * this one is for comparison, and for a coordinator that is not where the host is.
 *
 * <p>Messages may be lost between the two. The coordinator answers a report only if it was made from its latest (z, u),
 * and the host repeats its own until it gets them: a loss is then a delay and nothing else. To reuse the last value and
 * integrate u on, as the paper does, overshoots.
 *
 * <p>Not thread-safe. Allocates nothing once it has seen a problem of the largest size. Knows linear capacities alone:
 * a problem with preemption is refused.
 */
public final class HostSolver {
    private static final double TOLERANCE = 1e-12;
    private static final double RELATIVE_RESIDUAL = 1e-3;

    private final AdmmSettings settings;
    private final MultiplierSearch requestSearch = new MultiplierSearch(TOLERANCE);
    private final MultiplierSearch completionSearch = new MultiplierSearch(TOLERANCE);
    private final BestSoFar best = new BestSoFar();
    double[] x = {};
    double[] z = {};
    double[] u = {};
    double[] penalty = {};
    private HostProblem problem;
    private double requestPrice;
    private double completionPrice;
    private int rounds;
    private int steps;
    private boolean isReported;
    private boolean isAnswered;
    private double primal;
    private double dual;
    private double size;
    private double dualSize;

    /**
     * Begins.
     *
     * @param settings how it is run
     * @param problem the first one
     */
    public HostSolver(AdmmSettings settings, HostProblem problem) {
        this.settings = settings;
        this.problem = problem;
        begin(problem);
    }

    /**
     * Begins a problem from nothing: z = u = 0.
     *
     * @throws IllegalArgumentException if it has preemption, or beta 0
     */
    public void begin(HostProblem problem) {
        if (x.length < problem.applications) {
            x = new double[problem.applications];
            z = new double[problem.applications];
            u = new double[problem.applications];
            penalty = new double[problem.applications];
        }
        Arrays.fill(z, 0);
        Arrays.fill(u, 0);
        Arrays.fill(x, 0, problem.applications, problem.equalShare());
        requestPrice = 0;
        completionPrice = 0;
        resume(problem);
    }

    /**
     * Begins a problem where the last one ended: for an epoch in which little has changed.
     *
     * @param problem with the applications of the last one, in their order
     * @throws IllegalArgumentException if it has preemption, or beta 0
     */
    public void resume(HostProblem problem) {
        if (problem.isPreemptible) {
            throw new IllegalArgumentException("preemption needs the exact solver");
        }
        if (problem.beta == 0) {
            throw new IllegalArgumentException("beta 0: without latency there is nothing to iterate on");
        }
        if (problem.applications > x.length) {
            throw new IllegalArgumentException(
                    problem.applications + " applications where the last problem had at most " + x.length);
        }
        this.problem = problem;
        rounds = 0;
        steps = 0;
        isReported = false;
        isAnswered = true;
        best.begin(1, problem.applications);
    }

    /** A round in which no message is lost. */
    public void round() {
        round(true, true);
    }

    /**
     * A round: the host reports, the coordinator answers.
     *
     * @param isReportDelivered whether the rates get to the coordinator
     * @param isAnswerDelivered whether its answer gets to the host
     */
    public void round(boolean isReportDelivered, boolean isAnswerDelivered) {
        if (isAnswered) {
            if (settings.refreshes(steps)) {
                refresh();
            }
            requestStep();
            isAnswered = false;
            isReported = false;
        }
        if (isReportDelivered && !isReported) {
            completionStep();
            isReported = true;
            steps++;
        }
        isAnswered = isReported && isAnswerDelivered;
        rounds++;
    }

    private void refresh() {
        double equal = problem.equalShare();
        for (int j = 0; j < problem.applications; j++) {
            double a = problem.perRequest[j];
            double at = AdmmSettings.clip(x[j], equal);
            double polled = a * at;
            double alpha = problem.alpha[j];
            double f = alpha * problem.weight[j] * Utility.power(1 / at, alpha) / at / (a * a);
            penalty[j] = settings.penalty(f, 6 * problem.beta / (polled * polled * polled * polled));
        }
    }

    private void requestStep() {
        boolean more = requestSearch.begin(requestPrice, problem.requests);
        while (more) {
            double l = requestSearch.price();
            double sum = 0;
            double fall = 0;
            for (int j = 0; j < problem.applications; j++) {
                double a = problem.perRequest[j];
                double k = problem.cost[j];
                double r = penalty[j] * a * a;
                double p = penalty[j] * a * z[j] - a * u[j] - l * k;
                double root = ScalarRoot.near(x[j], problem.weight[j], problem.alpha[j], 0, r, p);
                if (root > problem.minimum[j]) {
                    // w x^-alpha is R x - p at the root, which saves the power
                    fall += k * k / (problem.alpha[j] * (r * root - p) / root + r);
                } else {
                    root = problem.minimum[j];
                }
                x[j] = root;
                sum += k * root;
            }
            more = requestSearch.next(sum, fall);
        }
        requestPrice = requestSearch.price();
    }

    private void completionStep() {
        double relaxation = steps == 0 ? 1 : settings.relaxation();
        boolean more = completionSearch.begin(completionPrice, problem.completions);
        primal = 0;
        dual = 0;
        size = 0;
        dualSize = 0;
        while (more) {
            double m = completionSearch.price();
            double sum = 0;
            double fall = 0;
            for (int j = 0; j < problem.applications; j++) {
                double rho = penalty[j];
                double p = rho * relaxed(j, relaxation) + u[j] - m;
                double root = ScalarRoot.solve(0, 1, 2 * problem.beta, rho, p);
                fall += 1 / (3 * (rho * root - p) / root + rho);
                sum += root;
            }
            more = completionSearch.next(sum, fall);
        }
        completionPrice = completionSearch.price();
        for (int j = 0; j < problem.applications; j++) {
            update(j, relaxed(j, relaxation), completionPrice);
        }
    }

    private double relaxed(int j, double relaxation) {
        return relaxation * problem.perRequest[j] * x[j] + (1 - relaxation) * z[j];
    }

    private void update(int j, double relaxed, double m) {
        double a = problem.perRequest[j];
        double rho = penalty[j];
        double next = ScalarRoot.solve(0, 1, 2 * problem.beta, rho, rho * relaxed + u[j] - m);
        double r = a * x[j] - next;
        double s = rho * a * (next - z[j]);
        primal += r * r;
        dual += s * s;
        size += Math.max(a * x[j] * a * x[j], next * next);
        u[j] += rho * (settings.isDualAsPrinted() ? relaxed + next : relaxed - next);
        dualSize += a * u[j] * a * u[j];
        z[j] = next;
    }

    /** Length of a x - z, in millions a second. */
    public double primalResidual() {
        return Math.sqrt(primal);
    }

    /** Length of rho a (z - z of the round before). */
    public double dualResidual() {
        return Math.sqrt(dual);
    }

    /**
     * The stopping rule of Boyd et al., 3.3.1: both residuals are small by the size of what they belong to. The paper's
     * (31) compares them with n times a tolerance of which it says nothing.
     *
     * @param absolute what is small where sizes are 0, an application, in millions a second
     */
    public boolean isConverged(double absolute) {
        double least = absolute * Math.sqrt(problem.applications);
        return steps > 0
                && primalResidual() <= least + RELATIVE_RESIDUAL * Math.sqrt(size)
                && dualResidual() <= least + RELATIVE_RESIDUAL * Math.sqrt(dualSize);
    }

    /** Puts the best feasible allocation so far, and the least bound so far, into an answer. */
    public void publish(Allocation answer) {
        current(best.candidate());
        best.publish(answer);
    }

    /** Puts the rates of the last round, made feasible, into an answer, with what its prices prove of them. */
    public void current(Allocation answer) {
        answer.resize(1, problem.applications);
        System.arraycopy(x, 0, answer.x, 0, problem.applications);
        problem.makeFeasible(answer.x);
        for (int j = 0; j < problem.applications; j++) {
            answer.z[j] = problem.perRequest[j] * answer.x[j];
        }
        answer.requestPrice[0] = requestPrice;
        answer.completionPrice[0] = completionPrice;
        answer.rounds = rounds;
        Certificate.certify(problem, answer, null);
    }
}
