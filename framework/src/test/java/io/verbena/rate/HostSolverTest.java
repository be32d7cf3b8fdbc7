package io.verbena.rate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
class HostSolverTest {
    private static final double NEAR = 0.005;
    private static final int HOSTS = 100;

    private final Allocation answer = new Allocation();

    /** All hosts together, as the figures measure them. */
    private static final class Run {
        private final List<HostProblem> problems;
        private final List<HostSolver> solvers = new ArrayList<>();
        private final Allocation exact = new Allocation();
        private double best;
        private double magnitude;
        private int round;

        Run(AdmmSettings settings, List<HostProblem> problems) {
            this.problems = problems;
            ExactHost host = new ExactHost();
            for (HostProblem problem : problems) {
                host.solve(problem, exact);
                best += exact.objective();
                magnitude += exact.magnitude();
                solvers.add(new HostSolver(settings, problem));
            }
        }

        /** Of the iterate, made feasible; not of the best so far. */
        double gap(Delivery delivery) {
            double sum = 0;
            for (int i = 0; i < solvers.size(); i++) {
                HostSolver solver = solvers.get(i);
                solver.round(
                        delivery.arrives(round, i, 0, Delivery.REPORT), delivery.arrives(round, 0, i, Delivery.PRICE));
                double[] x = solver.x.clone();
                problems.get(i).makeFeasible(x);
                sum += problems.get(i).objective(x);
            }
            round++;
            return (best - sum) / magnitude;
        }

        int roundsUntilNear(Delivery delivery, int rounds) {
            int last = 0;
            for (int k = 1; k <= rounds; k++) {
                if (!(gap(delivery) <= NEAR)) {
                    last = k;
                }
            }
            return last + 1;
        }

        double residual() {
            return Math.sqrt(solvers.stream()
                    .mapToDouble(each -> each.primalResidual() * each.primalResidual())
                    .sum());
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void eightRoundsToHalfAPercent(double alpha, double beta) {
        for (int hosts : new int[] {10, HOSTS}) {
            Run run = new Run(AdmmSettings.ONE_SIDED, Instances.hosts(1, hosts, alpha, beta));
            assertThat(run.roundsUntilNear(Delivery.ALL, 30))
                    .as("%s hosts", hosts)
                    .isLessThanOrEqualTo(8);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void residualBelowOneAfterTenRounds(double alpha, double beta) {
        Run run = new Run(AdmmSettings.ONE_SIDED, Instances.hosts(1, HOSTS, alpha, beta));
        run.roundsUntilNear(Delivery.ALL, 10);
        assertThat(run.residual()).isLessThan(1);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void lossIsADelayAndNothingElse(double alpha, double beta) {
        List<HostProblem> problems = Instances.hosts(1, HOSTS, alpha, beta);
        Run whole = new Run(AdmmSettings.ONE_SIDED, problems);
        whole.roundsUntilNear(Delivery.ALL, 20);
        double without = whole.gap(Delivery.ALL);
        for (int seed = 1; seed <= 3; seed++) {
            Delivery lossy = Delivery.lossy(seed, 0.1);
            Run run = new Run(AdmmSettings.ONE_SIDED, problems);
            assertThat(run.roundsUntilNear(lossy, 20)).isLessThanOrEqualTo(10);
            assertThat(run.gap(lossy) - without).isLessThan(3e-4);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void agreesWithTheExactSolver(double alpha, double beta) {
        ExactHost host = new ExactHost();
        Allocation exact = new Allocation();
        for (HostProblem problem : Instances.hosts(2, 20, alpha, beta)) {
            HostSolver solver = new HostSolver(AdmmSettings.ONE_SIDED, problem);
            for (int k = 0; k < 150; k++) {
                solver.round();
            }
            solver.publish(answer);
            host.solve(problem, exact);
            assertThat(solver.isConverged(1e-3)).isTrue();
            assertThat(answer.gap()).isLessThan(1e-4);
            assertThat(Math.abs(exact.objective() - answer.objective())).isLessThan(1e-6 * exact.magnitude());
            for (int j = 0; j < problem.applications; j++) {
                assertThat(Math.abs(solver.x[j] / exact.x[j] - 1)).isLessThan(1e-4);
            }
        }
    }

    /** Boyd et al., appendix A: V falls by at least rho (r^2 + (z - last z)^2), with no relaxation and a fixed rho. */
    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void theLyapunovFunctionFallsByWhatTheProofSays(double alpha, double beta) {
        ExactHost host = new ExactHost();
        Allocation exact = new Allocation();
        for (HostProblem problem : Instances.hosts(3, 10, alpha, beta)) {
            host.solve(problem, exact);
            HostSolver solver = new HostSolver(new AdmmSettings(0, 1, 1, 1, 0.85, false), problem);
            double before = Double.POSITIVE_INFINITY;
            double[] last = solver.z.clone();
            for (int k = 0; k < 60; k++) {
                solver.round();
                double now = 0;
                double fall = 0;
                for (int j = 0; j < problem.applications; j++) {
                    double rho = solver.penalty[j];
                    double z = exact.z[j];
                    double u = exact.completionPrice[0] - 2 * problem.beta / (z * z * z);
                    now += rho * square(solver.z[j] - z) + square(solver.u[j] - u) / rho;
                    double r = problem.perRequest[j] * solver.x[j] - solver.z[j];
                    fall += rho * (r * r + square(solver.z[j] - last[j]));
                }
                last = solver.z.clone();
                if (k > 0) {
                    assertThat(before - now).as("round %s", k).isGreaterThanOrEqualTo(fall - 1e-9 * before);
                }
                before = now;
            }
        }
    }

    private static double square(double value) {
        return value * value;
    }

    @Test
    void whatIsPublishedIsFeasibleAndGetsNoWorse() {
        for (HostProblem problem : Instances.hosts(4, 20, 1, 0.1)) {
            HostSolver solver = new HostSolver(AdmmSettings.ONE_SIDED, problem);
            double objective = Double.NEGATIVE_INFINITY;
            double bound = Double.POSITIVE_INFINITY;
            for (int k = 0; k < 20; k++) {
                solver.round();
                solver.publish(answer);
                assertThat(problem.requestsUsed(answer.x)).isLessThanOrEqualTo(problem.requests);
                assertThat(problem.completionsUsed(answer.x)).isLessThanOrEqualTo(problem.completions);
                assertThat(answer.objective()).isBetween(objective, answer.bound() + 1e-12 * answer.magnitude());
                assertThat(answer.bound()).isLessThanOrEqualTo(bound);
                objective = answer.objective();
                bound = answer.bound();
            }
        }
    }

    @Test
    void theLastEpochsAnswerIsABetterStart() {
        HostProblem problem = Instances.hosts(5, 1, 1, 0.01).get(0);
        HostSolver solver = new HostSolver(AdmmSettings.ONE_SIDED, problem);
        for (int k = 0; k < 30; k++) {
            solver.round();
        }
        solver.resume(problem);
        solver.round();
        solver.publish(answer);
        assertThat(answer.gap()).isLessThan(1e-3);
        solver.begin(problem);
        solver.round();
        solver.publish(answer);
        assertThat(answer.gap()).isGreaterThan(NEAR);
    }

    @Test
    void aSeedReplays() {
        double[][] rates = new double[2][];
        for (int i = 0; i < 2; i++) {
            Run run = new Run(AdmmSettings.ONE_SIDED, Instances.hosts(6, 5, 2, 0.1));
            run.roundsUntilNear(Delivery.lossy(7, 0.3), 15);
            rates[i] = run.solvers.get(3).x;
        }
        assertThat(Arrays.equals(rates[0], rates[1])).isTrue();
    }

    /** (9) as printed: + z. */
    @Test
    void asPrintedTheResidualGrows() {
        Run run = new Run(AdmmSettings.AS_PRINTED, Instances.hosts(1, 10, 1, 0.01));
        run.gap(Delivery.ALL);
        double first = run.residual();
        assertThat(run.roundsUntilNear(Delivery.ALL, 40)).isGreaterThan(40);
        assertThat(run.residual()).isGreaterThan(first);
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void oneSmallPenaltyForAllDoesNotConverge(double alpha, double beta) {
        for (double rho : new double[] {1e-4, 1e-3, 1e-2, 1e-1}) {
            Run run = new Run(AdmmSettings.scalar(rho), Instances.hosts(1, 10, alpha, beta));
            assertThat(run.roundsUntilNear(Delivery.ALL, 40)).as("rho %s", rho).isGreaterThan(40);
        }
    }
}
