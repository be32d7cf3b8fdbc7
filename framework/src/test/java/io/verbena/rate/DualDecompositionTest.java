package io.verbena.rate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The baseline does what it is there to show: hundreds of rounds with the paper's step, thousands with another. */
@Timeout(180)
class DualDecompositionTest {
    private static final int ROUNDS = 2000;

    /** Requests alone count, on one host of 500 applications: room for completions, no latency. */
    private static HostProblem problem(double alpha) {
        SplittableRandom random = new SplittableRandom(1);
        HostProblem.Builder builder = HostProblem.builder(600e6, 1e9, 0);
        for (int j = 0; j < 500; j++) {
            builder.application(new Utility(alpha, 1 << random.nextInt(3)), 1);
        }
        return builder.build();
    }

    /** Rounds after which the raw iterate stays within half a percent of the optimum of (1). */
    private static int rounds(double step, HostProblem problem) {
        Allocation exact = new Allocation();
        new ExactHost().solve(problem, exact);
        DualDecomposition baseline = new DualDecomposition(problem, step);
        int last = 0;
        for (int k = 1; k <= ROUNDS; k++) {
            baseline.round();
            if (Math.abs(baseline.objective() - exact.objective()) > 0.005 * exact.magnitude()) {
                last = k;
            }
        }
        return last + 1;
    }

    @Test
    void hundredsOfRoundsWithThePapersStepAndNeverThereWithALargerOne() {
        assertThat(rounds(1e-3, problem(2))).isBetween(30, ROUNDS);
        assertThat(rounds(0.1, problem(2))).isGreaterThan(ROUNDS);
    }

    @Test
    void itEndsAtTheOptimum() {
        HostProblem problem = problem(2);
        DualDecomposition baseline = new DualDecomposition(problem, 1e-3);
        for (int k = 0; k < 20_000; k++) {
            baseline.round();
        }
        Allocation exact = new Allocation();
        new ExactHost().solve(problem, exact);
        assertThat(Math.abs(baseline.excess())).isLessThan(1e-3);
        for (int j = 0; j < problem.applications; j++) {
            assertThat(Math.abs(baseline.requests()[j] / exact.requests(j) - 1)).isLessThan(1e-3);
        }
    }
}
