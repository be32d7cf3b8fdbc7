package io.verbena.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
class ActiveSetTest {
    private static final int SIZE = 20;

    private final Allocation answer = new Allocation();

    private static int active(HostProblem problem, Allocation answer) {
        int count = 0;
        for (int j = 0; j < problem.applications; j++) {
            count += answer.x[j] > problem.minimum[j] ? 1 : 0;
        }
        return count;
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void nearlyTheBestOfAllChoices(double alpha, double beta) {
        for (HostProblem problem : Instances.hosts(1, 20, alpha, beta)) {
            new ActiveSet(SIZE, 10, 0).solve(problem, answer);
            assertThat(active(problem, answer)).isLessThanOrEqualTo(SIZE);
            assertThat(answer.gap()).isLessThan(1e-3);
            assertThat(problem.requestsUsed(answer.x)).isLessThanOrEqualTo(problem.requests);
            assertThat(problem.completionsUsed(answer.x)).isLessThanOrEqualTo(problem.completions);
        }
    }

    /** All 28 choices of two of eight, each solved exactly. */
    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void asGoodAsTryingThemAll(double alpha, double beta) {
        SplittableRandom random = new SplittableRandom(2);
        ExactHost host = new ExactHost();
        Allocation tried = new Allocation();
        for (int i = 0; i < 10; i++) {
            HostProblem problem = Instances.host(random, 8, alpha, beta);
            double best = Double.NEGATIVE_INFINITY;
            for (int a = 0; a < 8; a++) {
                for (int b = 0; b < a; b++) {
                    boolean[] active = new boolean[8];
                    active[a] = true;
                    active[b] = true;
                    host.solve(problem, tried, active);
                    best = Math.max(best, tried.objective());
                }
            }
            new ActiveSet(2, 10, 0).solve(problem, answer);
            assertThat(answer.bound()).isGreaterThanOrEqualTo(best - 1e-9 * answer.magnitude());
            assertThat(best - answer.objective()).isLessThanOrEqualTo(answer.gap() * answer.magnitude() + 1e-9);
            assertThat(best - answer.objective()).isLessThan(1e-3 * answer.magnitude());
        }
    }

    /** (4) with alpha = 1/2 and k = 1: at the ends worth 2 each, and less between them. */
    @Test
    void aSumOfTheLargestIsNotConcave() {
        Utility utility = new Utility(0.5, 1);
        double ends = utility.of(1) - utility.of(0);
        double middle = utility.of(0.5) - utility.of(0);
        assertThat(ends).isEqualTo(2);
        assertThat(middle).isLessThan(ends);
    }

    @Test
    void nobodyIsInactiveForEver() {
        HostProblem problem = Instances.hosts(3, 1, 1, 0.01).get(0);
        ActiveSet set = new ActiveSet(SIZE, 5, 2);
        boolean[] seen = new boolean[problem.applications];
        for (int epoch = 0; epoch < 25; epoch++) {
            set.solve(problem, answer);
            assertThat(active(problem, answer)).isLessThanOrEqualTo(SIZE);
            for (int j = 0; j < seen.length; j++) {
                seen[j] |= answer.x[j] > problem.minimum[j];
            }
        }
        assertThat(seen).doesNotContain(false);
    }

    @Test
    void wrongInputIsNamed() {
        assertThatThrownBy(() -> new ActiveSet(0, 0, 0)).hasMessageContaining("size 0");
        assertThatThrownBy(() -> new ActiveSet(2, 0, 3)).hasMessageContaining("places 3");
    }
}
