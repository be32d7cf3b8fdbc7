package io.verbena.rate;

import java.util.Arrays;

/**
 * Chooses the k applications of a host that may have more than their minimum, because its NIC keeps k connections in
 * its cache; the others share one slow path at their minimum.
 *
 * <p>Chosen are those of the largest net value at the prices: {@code max_x gain(x) - l k (x - min) - m a (x - min)},
 * what an application gains by more than its minimum less what that costs the others. Prices follow from the choice and
 * the choice from prices, until both stay; then the answer is the best one of all choices, for it is worth what the
 * bound is. Where they circle, the best of them is taken, and the certificate says how far it may be from the best.
 *
 * <p>DRUM (4) sums the k largest utilities instead, inside of the problem. Its lemma 1 says that this sum is strictly
 * concave; a supremum keeps convexity and not concavity, and with k = 1 of two, {@code sqrt} at (1, 0) and (0, 1) is
 * more than between them. For alpha above 1, utilities are negative, and to starve an application raises that sum.
 *
 * <p>Applications that have waited long enough are chosen first, in order of waiting, for a few places: none stays
 * inactive forever. Not thread-safe. Allocates nothing once it has seen a problem of the largest size.
 */
public final class ActiveSet {
    private static final int MAX_CHOICES = 16;

    private final ExactHost host = new ExactHost();
    private final Allocation tried = new Allocation();
    private final int size;
    private final int patience;
    private final int places;
    private boolean[] active = {};
    private boolean[] chosen = {};
    private double[] value = {};
    private int[] age = {};

    /**
     * A choice.
     *
     * @param size how many may be active, from 1 on
     * @param patience epochs that an application is inactive before it is chosen for its age; from 0 on
     * @param places of {@code size} that are given by age at most, from 0, for never, to {@code size}
     * @throws IllegalArgumentException if one is out of its range
     */
    public ActiveSet(int size, int patience, int places) {
        if (size < 1 || patience < 0 || places < 0 || places > size) {
            throw new IllegalArgumentException("size " + size + " is below 1, patience " + patience
                    + " below 0, or places " + places + " not from 0 to size");
        }
        this.size = size;
        this.patience = patience;
        this.places = places;
    }

    /**
     * Chooses for an epoch, and solves.
     *
     * @param problem of one host; its applications keep their places from epoch to epoch
     * @param answer gets rates, prices and certificate; its bound is above what any choice is worth
     */
    public void solve(HostProblem problem, Allocation answer) {
        int applications = problem.applications;
        if (age.length < applications) {
            active = new boolean[applications];
            chosen = Arrays.copyOf(chosen, applications);
            value = new double[applications];
            age = Arrays.copyOf(age, applications);
        }
        host.solve(problem, tried);
        double bound = choose(problem, tried);
        boolean isFirst = true;
        for (int i = 0; i < MAX_CHOICES; i++) {
            System.arraycopy(active, 0, chosen, 0, applications);
            host.solve(problem, tried, chosen);
            bound = Math.min(bound, choose(problem, tried));
            if (isFirst || tried.objective > answer.objective) {
                answer.copy(tried);
                isFirst = false;
            }
            if (Arrays.equals(active, 0, applications, chosen, 0, applications)) {
                break;
            }
        }
        answer.bound = bound;
        for (int j = 0; j < applications; j++) {
            age[j] = answer.x[j] > problem.minimum[j] ? 0 : age[j] + 1;
        }
    }

    /** Chooses at the prices of an answer, and returns the bound that they give. */
    private double choose(HostProblem problem, Allocation at) {
        int applications = problem.applications;
        double l = at.requestPrice[0];
        double m = at.completionPrice[0];
        double norm = problem.norm(at.x);
        double bound = l * problem.requests + m * problem.completions;
        for (int j = 0; j < applications; j++) {
            double direction = norm > 0 ? problem.preemptible[j] * problem.preemptible[j] * at.x[j] / norm : 0;
            double price = l * (problem.cost[j] + direction) + m * problem.perRequest[j];
            double least = net(problem, j, problem.minimum[j], price);
            value[j] = net(problem, j, Certificate.best(problem, j, price, at.x[j]), price) - least;
            bound += least;
            active[j] = false;
        }
        for (int i = 0; i < Math.min(size, applications); i++) {
            bound += Math.max(0, value[largest(applications)]);
            active[largest(applications)] = true;
        }
        if (size < applications && places > 0) {
            seatTheOldest(applications);
        }
        return bound;
    }

    private static double net(HostProblem problem, int j, double rate, double price) {
        double polled = problem.perRequest[j] * rate;
        return problem.weight[j] * Utility.value(problem.alpha[j], rate)
                - problem.beta / (polled * polled)
                - price * rate;
    }

    private int largest(int applications) {
        int best = -1;
        for (int j = 0; j < applications; j++) {
            if (!active[j] && (best < 0 || value[j] > value[best])) {
                best = j;
            }
        }
        return best;
    }

    /** Who has waited longest takes the place of who is worth least, unless that one has waited as well. */
    private void seatTheOldest(int applications) {
        for (int i = 0; i < places; i++) {
            int oldest = -1;
            int least = -1;
            for (int j = 0; j < applications; j++) {
                if (!active[j] && age[j] > patience && (oldest < 0 || age[j] > age[oldest])) {
                    oldest = j;
                }
                if (active[j] && age[j] <= patience && (least < 0 || value[j] < value[least])) {
                    least = j;
                }
            }
            if (oldest < 0 || least < 0) {
                return;
            }
            active[oldest] = true;
            active[least] = false;
        }
    }
}
