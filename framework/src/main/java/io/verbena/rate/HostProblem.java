package io.verbena.rate;

import java.util.Arrays;

/**
 * How the operations of one host are to be shared by its applications. Immutable, but for what the agent of a node
 * says of demands ({@link #demand}).
 *
 * <pre>
 *   max  sum_j U_j(x_j) - beta sum_j z_j^-2          x_j requests, z_j = a_j x_j completions of application j
 *   s.t. sum_j k_j x_j + |(pi_j x_j)|_2 &lt;= q          what the NIC takes
 *        sum_j z_j                      &lt;= c          what is polled
 *        x_j &gt;= min_j, x_j &lt;= max_j       max_j: what it wants, for {@link ExactHost} alone
 * </pre>
 *
 * <p>This is DRUM (6) for one-sided operations with capacities that are linear. Its own, {@code sum log x <= q} with
 * {@code q = beta q^m}, is the complement of a convex set: for alpha below 1 the printed problem has no bound, at alpha
 * = 1 and equal weights its objective is constant, and the power overflows. The norm is (12), the preemption option:
 * what tenants may overdraw together when some of them are urgent. It is 0 unless an application says otherwise.
 *
 * <p>Rates are in operations a second where they come in and go out, and in millions of them inside; beta is for
 * completions in millions a second.
 */
public final class HostProblem {
    static final double MEGA = 1e6;

    /** The part of an equal share below which no rate falls unless something else is said. */
    public static final double DEFAULT_FLOOR = 0.02;

    /** The part of a capacity that minimum rates may take together. */
    private static final double MAX_FOR_MINIMUMS = 0.9;

    final int applications;
    final double requests;
    final double completions;
    final double beta;
    final double[] alpha;
    final double[] weight;
    final double[] cost;
    final double[] perRequest;
    final double[] preemptible;
    final double[] minimum;
    final double[] maximum;

    /** Completions a second from one more round of requests, one of each application; requests likewise below. */
    final double evenCompletions;

    final double evenRequests;
    final boolean isPreemptible;

    private HostProblem(Builder from) {
        applications = from.count;
        requests = from.requests / MEGA;
        completions = from.completions / MEGA;
        beta = from.beta;
        alpha = Arrays.copyOf(from.alpha, applications);
        weight = Arrays.copyOf(from.weight, applications);
        cost = Arrays.copyOf(from.cost, applications);
        perRequest = Arrays.copyOf(from.perRequest, applications);
        preemptible = Arrays.copyOf(from.preemptible, applications);
        minimum = Arrays.copyOf(from.minimum, applications);
        maximum = new double[applications];
        Arrays.fill(maximum, Double.POSITIVE_INFINITY);
        double[] ones = new double[applications];
        Arrays.fill(ones, 1);
        isPreemptible = norm(ones) > 0;
        evenRequests = requestsUsed(ones);
        evenCompletions = completionsUsed(ones);
        double floor = DEFAULT_FLOOR * equalShare();
        for (int j = 0; j < applications; j++) {
            minimum[j] = Double.isNaN(minimum[j]) ? floor : minimum[j] / MEGA;
        }
        check("requests", requestsUsed(minimum), requests);
        check("completions", completionsUsed(minimum), completions);
    }

    private static void check(String what, double used, double capacity) {
        if (used > capacity) {
            throw new IllegalArgumentException(
                    "minimum rates need " + used * MEGA + " of " + capacity * MEGA + " " + what + " a second");
        }
    }

    /**
     * Begins a problem.
     *
     * @param requests that the NIC takes, operations a second, above 0
     * @param completions that are polled, operations a second, above 0
     * @param beta what latency weighs against utility, for completions in millions a second; from 0 on
     * @throws IllegalArgumentException if one is out of its range
     */
    public static Builder builder(double requests, double completions, double beta) {
        return new Builder(requests, completions, beta);
    }

    /** What minimum rates are to be multiplied by to leave a tenth of a capacity for utility: 1 if they do. */
    public static double cutOfMinimums(double needed, double capacity) {
        return Math.min(1, MAX_FOR_MINIMUMS * capacity / Math.max(needed, Double.MIN_NORMAL));
    }

    /** Number of applications. */
    public int applications() {
        return applications;
    }

    /**
     * Sets what an application wants: its rate is not above that, and what it leaves is for others. For the thread that
     * solves.
     *
     * @param perSecond requests a second, infinite for as many as it can get; its minimum if that is more
     * @param part by which it has to move for anything to be done
     * @return whether it has
     */
    public boolean demand(int application, double perSecond, double part) {
        double before = maximum[application];
        double now = Math.max(minimum[application], perSecond / MEGA);
        if (before == now || (before < Double.POSITIVE_INFINITY && Math.abs(now - before) <= part * before)) {
            return false;
        }
        maximum[application] = now;
        return true;
    }

    /** Requests a second that an allocation leaves. */
    public double spareRequests(Allocation of) {
        return Math.max(0, requests - requestsUsed(of.x)) * MEGA;
    }

    /** Completions a second that an allocation leaves. */
    public double spareCompletions(Allocation of) {
        return Math.max(0, completions - completionsUsed(of.x)) * MEGA;
    }

    /** What the capacity that another million requests a second of an application would take is worth. */
    public double price(Allocation of, int application) {
        int j = application;
        double norm = norm(of.x);
        double drawn = norm > 0 ? preemptible[j] * preemptible[j] * of.x[j] / norm : 0;
        return of.requestPrice[0] * (cost[j] + drawn) + of.completionPrice[0] * perRequest[j];
    }

    /** Whether it is completions rather than requests that an application has too few of. */
    public boolean isBoundByCompletions(Allocation of, int application) {
        return of.completionPrice[0] * perRequest[application] > of.requestPrice[0] * cost[application];
    }

    /** Whether an application has no more than its minimum. */
    public boolean isAtMinimum(Allocation of, int application) {
        return of.x[application] <= minimum[application];
    }

    /** Whether an application has all that it wants. */
    public boolean isAtDemand(Allocation of, int application) {
        return of.x[application] >= maximum[application];
    }

    /** The objective, latency included. */
    double objective(double[] x) {
        double sum = 0;
        for (int j = 0; j < applications; j++) {
            double z = perRequest[j] * x[j];
            sum += weight[j] * Utility.value(alpha[j], x[j]) - beta / (z * z);
        }
        return sum;
    }

    /** Sum of what utilities and latencies weigh, whatever their sign: what a gap is measured by. */
    double magnitude(double[] x) {
        double sum = 0;
        for (int j = 0; j < applications; j++) {
            double z = perRequest[j] * x[j];
            sum += Math.abs(weight[j] * Utility.value(alpha[j], x[j])) + beta / (z * z);
        }
        return sum;
    }

    double requestsUsed(double[] x) {
        double sum = 0;
        for (int j = 0; j < applications; j++) {
            sum += cost[j] * x[j];
        }
        return sum + norm(x);
    }

    /** How much of the capacity is set aside for preemption. */
    double norm(double[] x) {
        double sum = 0;
        for (int j = 0; j < applications; j++) {
            double part = preemptible[j] * x[j];
            sum += part * part;
        }
        return Math.sqrt(sum);
    }

    double completionsUsed(double[] x) {
        double sum = 0;
        for (int j = 0; j < applications; j++) {
            sum += perRequest[j] * x[j];
        }
        return sum;
    }

    /** Rate of each application if all had the same, in millions a second. */
    double equalShare() {
        return Math.min(requests / evenRequests, completions / evenCompletions);
    }

    /** What all applications can have in equal parts above their minimum, in millions a second. */
    double evenRate() {
        return Math.max(
                0,
                Math.min(
                        (requests - requestsUsed(minimum)) / evenRequests,
                        (completions - completionsUsed(minimum)) / evenCompletions));
    }

    /**
     * Shrinks what lies above the minimum until both capacities are kept, to the last bit. The norm is convex, so what
     * is shrunk so uses no more than in proportion.
     *
     * @param x from the minimum on; becomes feasible
     */
    void makeFeasible(double[] x) {
        double floorRequests = requestsUsed(minimum);
        double floorCompletions = completionsUsed(minimum);
        double nudge = 0;
        for (double more = requestsUsed(x), polled = completionsUsed(x);
                more > requests || polled > completions;
                more = requestsUsed(x), polled = completionsUsed(x)) {
            double part = Math.min(
                    more > requests ? (requests - floorRequests) / (more - floorRequests) : 1,
                    polled > completions ? (completions - floorCompletions) / (polled - floorCompletions) : 1);
            part = Math.max(0, part - nudge);
            for (int j = 0; j < applications; j++) {
                x[j] = minimum[j] + part * (x[j] - minimum[j]);
            }
            nudge = Math.max(2 * nudge, 0x1p-50);
        }
    }

    /** Collects a problem; what {@code application} adds, the calls after it describe further. Not thread-safe. */
    public static final class Builder {
        private final double requests;
        private final double completions;
        private final double beta;
        private int count;
        private double[] alpha = new double[8];
        private double[] weight = new double[8];
        private double[] cost = new double[8];
        private double[] perRequest = new double[8];
        private double[] preemptible = new double[8];
        private double[] minimum = new double[8];

        Builder(double requests, double completions, double beta) {
            this.requests = positive("requests a second", requests);
            this.completions = positive("completions a second", completions);
            this.beta = notNegative("beta", beta);
        }

        /**
         * Adds an application: each request costs the NIC one operation, its minimum is {@link #DEFAULT_FLOOR} of an
         * equal share, and none of it may be preempted.
         *
         * @param utility of its requests
         * @param perRequest completions that a request causes: 1 / (requests in a batch), above 0
         * @throws IllegalArgumentException if it is out of its range
         */
        public Builder application(Utility utility, double perRequest) {
            if (count == alpha.length) {
                int more = 2 * count;
                alpha = Arrays.copyOf(alpha, more);
                weight = Arrays.copyOf(weight, more);
                cost = Arrays.copyOf(cost, more);
                this.perRequest = Arrays.copyOf(this.perRequest, more);
                preemptible = Arrays.copyOf(preemptible, more);
                minimum = Arrays.copyOf(minimum, more);
            }
            alpha[count] = utility.alpha();
            weight[count] = utility.weight();
            cost[count] = 1;
            this.perRequest[count] = positive("completions per request", perRequest);
            preemptible[count] = 0;
            minimum[count] = Double.NaN;
            count++;
            return this;
        }

        /** What a request of the last application costs, in the NIC's operations; above 0. */
        public Builder cost(double operations) {
            cost[last()] = positive("cost", operations);
            return this;
        }

        /** Requests a second that the last application always gets; above 0, for utility falls without end at 0. */
        public Builder minimum(double requestsPerSecond) {
            minimum[last()] = positive("minimum rate", requestsPerSecond);
            return this;
        }

        /** How far the last application may overdraw its rate when it is urgent, as a part of it; 0 to 1. */
        public Builder preemptible(double part) {
            if (!(part >= 0 && part <= 1)) {
                throw new IllegalArgumentException(subject() + "preemptible part " + part + " is not from 0 to 1");
            }
            preemptible[last()] = part;
            return this;
        }

        /**
         * The problem.
         *
         * @throws IllegalArgumentException if there is no application, or the minimum rates exceed a capacity
         */
        public HostProblem build() {
            last();
            return new HostProblem(this);
        }

        private int last() {
            if (count == 0) {
                throw new IllegalArgumentException("a host problem without an application");
            }
            return count - 1;
        }

        private String subject() {
            return count == 0 ? "" : "application " + (count - 1) + ": ";
        }

        private double positive(String what, double value) {
            if (!(value > 0 && value < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(subject() + what + " " + value + " is not above 0 and finite");
            }
            return value;
        }

        private double notNegative(String what, double value) {
            if (!(value >= 0 && value < Double.POSITIVE_INFINITY)) {
                throw new IllegalArgumentException(subject() + what + " " + value + " is not from 0 on and finite");
            }
            return value;
        }
    }
}
