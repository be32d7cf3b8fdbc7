package io.verbena;

import io.verbena.rate.Allocation;
import io.verbena.rate.ExactHost;
import io.verbena.rate.HostProblem;
import io.verbena.rate.Utility;
import java.util.Arrays;

/**
 * Rates by utility of something that an application serves itself, such as commands: what {@link NodeContext#rates}
 * computes for the operations of a node (DRUM (6), one-sided, solved exactly).
 *
 * <pre>{@code
 *   UtilityShares shares = new UtilityShares();
 *   int gold = shares.add(3, 1);                           // weight, alpha
 *   int tin = shares.add(1, 1);
 *   shares.minimum(tin, 10_000);
 *   shares.demand(gold, Double.POSITIVE_INFINITY);         // as much as it can get
 *   shares.demand(tin, 50_000);
 *   shares.solve(1_000_000);                               // served a second
 *   shares.rate(tin);                                      // 50,000
 * }</pre>
 *
 * <p>Parties whose demand is 0 are not there. If all demands together are met, each party's rate is its demand; else
 * the rates of those that want more stand as {@code weight^(1 / alpha)} where alphas are the same and no minimum
 * holds. Not thread-safe. A solution allocates a problem.
 */
public final class UtilityShares {
    /** Deliveries that a request causes: none are counted. */
    private static final double NOTHING = 1e-6;

    /** Part of an equal share that everyone gets, for at a rate of 0 utility has no bound. */
    private static final double FLOOR = 1e-6;

    private final ExactHost host = new ExactHost();
    private final Allocation answer = new Allocation();
    private Utility[] utilities = {};
    private double[] minimums = {};
    private double[] demands = {};
    private double[] rates = {};

    /** Creates it, without parties. */
    public UtilityShares() {}

    /**
     * Adds a party, without a minimum, that wants nothing yet.
     *
     * @param weight above 0
     * @param alpha above 0, at most 32: how much is given up for evenness
     * @return its number, from 0 on
     * @throws IllegalArgumentException if one is out of its range
     */
    public int add(double weight, double alpha) {
        int party = utilities.length;
        utilities = Arrays.copyOf(utilities, party + 1);
        utilities[party] = new Utility(alpha, weight);
        minimums = Arrays.copyOf(minimums, party + 1);
        demands = Arrays.copyOf(demands, party + 1);
        rates = Arrays.copyOf(rates, party + 1);
        return party;
    }

    /** Number of parties. */
    public int parties() {
        return utilities.length;
    }

    /**
     * Sets what a party always gets, if it wants that much. If the minimums of all exceed 90 % of the capacity, all are
     * cut by the same part.
     *
     * @param perSecond at least 0 and finite; 0 for none
     */
    public void minimum(int party, double perSecond) {
        if (!(perSecond >= 0 && perSecond < Double.POSITIVE_INFINITY)) {
            throw new IllegalArgumentException("minimum " + perSecond + " is not from 0 on and finite");
        }
        minimums[party] = perSecond;
    }

    /**
     * Sets what a party wants.
     *
     * @param perSecond at least 0; 0 if it is not there, infinite for as much as it can get
     */
    public void demand(int party, double perSecond) {
        if (!(perSecond >= 0)) {
            throw new IllegalArgumentException("demand " + perSecond + " is not from 0 on");
        }
        demands[party] = perSecond;
    }

    /**
     * Shares a capacity by what has been set.
     *
     * @param capacity a second, above 0 and finite
     * @throws IllegalArgumentException if it is out of its range
     */
    public void solve(double capacity) {
        Arrays.fill(rates, 0);
        int present = 0;
        double needed = 0;
        for (int i = 0; i < rates.length; i++) {
            if (demands[i] > 0) {
                present++;
                needed += minimum(i);
            }
        }
        HostProblem.Builder builder = HostProblem.builder(capacity, capacity, 0);
        if (present == 0) {
            return;
        }
        double cut = HostProblem.cutOfMinimums(needed, capacity);
        double floor = FLOOR * capacity / present;
        for (int i = 0; i < rates.length; i++) {
            if (demands[i] > 0) {
                builder.application(utilities[i], NOTHING).minimum(Math.max(cut * minimum(i), floor));
            }
        }
        HostProblem problem = builder.build();
        for (int i = 0, j = 0; i < rates.length; i++) {
            if (demands[i] > 0) {
                problem.demand(j++, demands[i], 0);
            }
        }
        host.solve(problem, answer);
        for (int i = 0, j = 0; i < rates.length; i++) {
            if (demands[i] > 0) {
                rates[i] = Math.min(answer.requests(j++), demands[i]);
            }
        }
    }

    /** What a party always gets: no more than it wants. */
    private double minimum(int party) {
        return Math.min(minimums[party], demands[party]);
    }

    /** What a party gets a second; 0 if it is not there. */
    public double rate(int party) {
        return rates[party];
    }

    /** How far the best rates can be above the last solution, by the sum of the magnitudes of all utilities. */
    public double gap() {
        return answer.gap();
    }
}
