package io.verbena.papers.drum;

import java.util.List;

/**
 * What the rounds of a solver come to, all hosts together.
 *
 * @param gaps of each round's rates, made feasible, to the optimum: by the sum of the magnitudes of all utilities
 * @param residuals of each round: length of what differs between requests and completions, in millions a second
 */
record Trajectory(List<Double> gaps, List<Double> residuals) {
    /** The paper's: 99.5 % of the optimum. */
    static final double NEAR = 0.005;

    /** Rounds after which the gap stays {@link #NEAR}; one more than there are if it does not. */
    int rounds() {
        int last = gaps.size();
        while (last > 0 && gaps.get(last - 1) <= NEAR) {
            last--;
        }
        return last + 1;
    }

    /** Whether the gap stays near within the rounds that there are. */
    boolean isNear() {
        return rounds() <= gaps.size();
    }

    /** For people. */
    String roundsText() {
        return isNear() ? String.valueOf(rounds()) : "not in " + gaps.size();
    }

    /** Gap after a round, which counts from 1. */
    double gap(int round) {
        return gaps.get(round - 1);
    }

    /** Residual after a round, which counts from 1. */
    double residual(int round) {
        return residuals.get(round - 1);
    }
}
