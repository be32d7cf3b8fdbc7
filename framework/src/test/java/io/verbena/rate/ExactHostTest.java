package io.verbena.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
class ExactHostTest {
    private static final double EXACT = 1e-12;

    private final ExactHost solver = new ExactHost();
    private final Allocation answer = new Allocation();
    private final SplittableRandom random = new SplittableRandom(1);

    private void assertSolved(HostProblem problem) {
        solver.solve(problem, answer);
        assertThat(answer.residual()).isLessThanOrEqualTo(EXACT);
        assertThat(answer.gap()).isLessThanOrEqualTo(EXACT);
        assertThat(problem.requestsUsed(answer.x)).isLessThanOrEqualTo(problem.requests);
        assertThat(problem.completionsUsed(answer.x)).isLessThanOrEqualTo(problem.completions);
        for (int j = 0; j < problem.applications(); j++) {
            assertThat(answer.x[j]).isGreaterThanOrEqualTo(problem.minimum[j]);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void optimalToTheLastDigits(double alpha, double beta) {
        int both = 0;
        for (HostProblem problem : Instances.hosts(1, 100, alpha, beta)) {
            assertSolved(problem);
            both += answer.requestPrice(0) > 0 && answer.completionPrice(0) > 0 ? 1 : 0;
        }
        assertThat(both).as("instances in which both capacities are short").isPositive();
    }

    @Test
    void anyMixtureOfUtilitiesCostsMinimumsAndPreemption() {
        for (int i = 0; i < 200; i++) {
            HostProblem.Builder builder = HostProblem.builder(
                    random.nextDouble(1e5, 1e8), random.nextDouble(1e5, 1e8), i % 3 == 0 ? 0 : random.nextDouble(0.2));
            for (int j = 0; j <= random.nextInt(60); j++) {
                builder.application(
                                new Utility(random.nextDouble(0.3, 4), random.nextDouble(0.1, 9)),
                                random.nextDouble(0.01, 2))
                        .cost(random.nextDouble(0.3, 3));
                if (random.nextInt(3) == 0) {
                    builder.minimum(random.nextDouble(1, 200));
                }
                if (i % 2 == 0) {
                    builder.preemptible(random.nextDouble());
                }
            }
            assertSolved(builder.build());
        }
    }

    /** Feasible allocations near and far are all worth less: the check knows nothing of prices. */
    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void noOtherAllocationIsWorthMore(double alpha, double beta) {
        HostProblem problem = Instances.host(random, 8, alpha, beta);
        assertSolved(problem);
        double best = answer.objective();
        double[] other = new double[8];
        for (int i = 0; i < 20_000; i++) {
            double distance = StrictMath.pow(10, random.nextDouble(-5, 0));
            for (int j = 0; j < other.length; j++) {
                other[j] = Math.max(problem.minimum[j], answer.x[j] * (1 + distance * random.nextDouble(-1, 1)));
            }
            problem.makeFeasible(other);
            assertThat(problem.objective(other)).isLessThanOrEqualTo(best + EXACT * answer.magnitude());
        }
    }

    /** With capacity for completions and no latency, rates stand as w^(1/alpha): the closed form of (1). */
    @Test
    void weightsAreWhatTheyPromise() {
        for (double alpha : new double[] {0.5, 1, 2, 3}) {
            HostProblem problem = HostProblem.builder(10e6, 100e6, 0)
                    .application(new Utility(alpha, 1), 1)
                    .application(new Utility(alpha, 4), 1)
                    .build();
            solver.solve(problem, answer);
            double ratio = StrictMath.pow(4, 1 / alpha);
            assertThat(answer.requests(0)).isCloseTo(10e6 / (1 + ratio), within(1e-5));
            assertThat(answer.requests(1)).isCloseTo(10e6 * ratio / (1 + ratio), within(1e-5));
            assertThat(answer.completionPrice(0)).isZero();
        }
    }

    /** (12): whichever tenants overdraw, in whatever proportion of length 1, the NIC can take it. */
    @Test
    void whatMayBePreemptedIsSetAside() {
        HostProblem.Builder builder = HostProblem.builder(20e6, 100e6, 0.01);
        for (int j = 0; j < 10; j++) {
            builder.application(new Utility(1, 1), 0.5).preemptible(j < 5 ? 0.5 : 0);
        }
        HostProblem problem = builder.build();
        assertSolved(problem);
        double mostUsed = 0;
        for (int i = 0; i < 1000; i++) {
            double length = 0;
            double[] direction = new double[10];
            for (int j = 0; j < 10; j++) {
                direction[j] = random.nextDouble(-1, 1);
                length += direction[j] * direction[j];
            }
            double used = 0;
            for (int j = 0; j < 10; j++) {
                used += (1 + problem.preemptible[j] * direction[j] / Math.sqrt(length)) * answer.x[j];
            }
            mostUsed = Math.max(mostUsed, used);
            assertThat(used).isLessThanOrEqualTo(20);
        }
        assertThat(mostUsed).isGreaterThan(19);
        assertThat(answer.requests(0)).as("who may overdraw gets less").isLessThan(answer.requests(9));
    }

    @Test
    void wrongInputIsNamed() {
        assertThatThrownBy(() -> new Utility(0, 1)).hasMessage("alpha 0.0 is not above 0 and at most 32.0");
        assertThatThrownBy(() -> new Utility(1, -2)).hasMessage("weight -2.0 is not above 0 and finite");
        assertThatThrownBy(() -> new Utility(1, Double.NaN)).hasMessageContaining("weight NaN");
        assertThatThrownBy(() -> HostProblem.builder(0, 1, 1)).hasMessageContaining("requests a second 0.0");
        assertThatThrownBy(() -> HostProblem.builder(1, 1, -1)).hasMessageContaining("beta -1.0");
        HostProblem.Builder builder = HostProblem.builder(1e6, 1e6, 0.01);
        assertThatThrownBy(builder::build).hasMessage("a host problem without an application");
        builder.application(new Utility(1, 1), 1);
        assertThatThrownBy(() -> builder.cost(0)).hasMessageContaining("application 0: cost 0.0");
        assertThatThrownBy(() -> builder.preemptible(1.5)).hasMessageContaining("preemptible part 1.5");
        builder.minimum(2e6);
        assertThatThrownBy(builder::build).hasMessage("minimum rates need 2000000.0 of 1000000.0 requests a second");
        assertThatThrownBy(() -> new HostSolver(
                        AdmmSettings.ONE_SIDED,
                        HostProblem.builder(1e6, 1e6, 0)
                                .application(new Utility(1, 1), 1)
                                .build()))
                .hasMessageContaining("beta 0");
    }
}
