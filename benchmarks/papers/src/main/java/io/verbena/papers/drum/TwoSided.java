package io.verbena.papers.drum;

import io.verbena.rate.AdmmSettings;
import io.verbena.rate.Allocation;
import io.verbena.rate.Delivery;
import io.verbena.rate.PeerCoupling;
import io.verbena.rate.PeerProblem;
import java.util.ArrayList;
import java.util.List;

/**
 * A two-sided problem in rounds of {@link PeerCoupling}. The optimum that gaps are taken to is the least bound that
 * many rounds prove, so that a gap is never understated.
 */
final class TwoSided {
    private static final int ROUNDS_BETWEEN_BOUNDS = 10;

    private final PeerProblem problem;
    private final Allocation best = new Allocation();

    /**
     * Solves the problem once, as its own reference.
     *
     * @param problem to solve
     * @param rounds of the reference
     */
    TwoSided(PeerProblem problem, int rounds) {
        this.problem = problem;
        PeerCoupling coupling = new PeerCoupling(AdmmSettings.TWO_SIDED, problem);
        for (int k = 1; k <= rounds; k++) {
            coupling.round(Delivery.ALL, Parallel.BY_HOST);
            if (k % ROUNDS_BETWEEN_BOUNDS == 0) {
                coupling.publish(best);
            }
        }
    }

    /** The reference: the best allocation, and the bound. */
    Allocation best() {
        return best;
    }

    /** Runs. */
    Trajectory run(AdmmSettings settings, Delivery delivery, int rounds) {
        PeerCoupling coupling = new PeerCoupling(settings, problem);
        Allocation answer = new Allocation();
        List<Double> gaps = new ArrayList<>();
        List<Double> residuals = new ArrayList<>();
        for (int k = 0; k < rounds; k++) {
            coupling.round(delivery, Parallel.BY_HOST);
            coupling.current(answer);
            gaps.add((best.bound() - answer.objective()) / best.magnitude());
            residuals.add(coupling.primalResidual());
        }
        return new Trajectory(gaps, residuals);
    }
}
