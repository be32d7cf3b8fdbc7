package io.verbena.rate;

import java.util.Arrays;

/**
 * What a solver answers: rates that keep all capacities and minimums, prices, and a certificate of how good they are.
 * The caller makes one and uses it again; it grows to the largest answer. Not thread-safe.
 *
 * <p>The certificate needs no trust in the solver. Whatever the prices are, no allocation is worth more than {@link
 * #bound()}, so the answer is within {@link #gap()} of the best one.
 */
public final class Allocation {
    double[] x = {};
    double[] z = {};
    double[] requestPrice = {};
    double[] completionPrice = {};
    double objective;
    double bound;
    double magnitude;
    double residual;
    int rounds;
    private int applications;
    private int hosts;

    void resize(int hosts, int applications) {
        if (x.length < applications) {
            x = new double[applications];
            z = new double[applications];
        }
        if (requestPrice.length < hosts) {
            requestPrice = new double[hosts];
            completionPrice = new double[hosts];
        }
        this.hosts = hosts;
        this.applications = applications;
        Arrays.fill(requestPrice, 0, hosts, 0);
        Arrays.fill(completionPrice, 0, hosts, 0);
    }

    void copy(Allocation from) {
        resize(from.hosts, from.applications);
        System.arraycopy(from.x, 0, x, 0, applications);
        System.arraycopy(from.z, 0, z, 0, applications);
        System.arraycopy(from.requestPrice, 0, requestPrice, 0, hosts);
        System.arraycopy(from.completionPrice, 0, completionPrice, 0, hosts);
        objective = from.objective;
        bound = from.bound;
        magnitude = from.magnitude;
        residual = from.residual;
        rounds = from.rounds;
    }

    /** Number of applications, of all hosts together. */
    public int applications() {
        return applications;
    }

    /** Requests a second of an application. */
    public double requests(int application) {
        return x[checked(application, applications)] * HostProblem.MEGA;
    }

    /** Completions a second of an application, those that its peers cause included. */
    public double completions(int application) {
        return z[checked(application, applications)] * HostProblem.MEGA;
    }

    /** What another million requests a second at a host would be worth; 0 where they are not short. */
    public double requestPrice(int host) {
        return requestPrice[checked(host, hosts)];
    }

    /** What another million completions a second at a host would be worth; 0 where they are not short. */
    public double completionPrice(int host) {
        return completionPrice[checked(host, hosts)];
    }

    /** What the rates are worth. */
    public double objective() {
        return objective;
    }

    /** What no allocation is worth more than: the value of the dual problem at the prices. */
    public double bound() {
        return bound;
    }

    /**
     * How far the best allocation can be above this one, by the sum of the magnitudes of all utilities and latencies.
     * Never by the objective itself, as the paper does: at alpha = 1 that may be about 0.
     */
    public double gap() {
        return Math.max(0, bound - objective) / magnitude;
    }

    /** Largest relative violation of the optimality conditions (Karush, Kuhn, Tucker) by rates and prices. */
    public double residual() {
        return residual;
    }

    /** Sum of the magnitudes of all utilities and latencies: what gaps are measured by. */
    public double magnitude() {
        return magnitude;
    }

    /** Rounds of the solver so far. */
    public int rounds() {
        return rounds;
    }

    private static int checked(int index, int count) {
        if (index < 0 || index >= count) {
            throw new IndexOutOfBoundsException(index + " of " + count);
        }
        return index;
    }
}
