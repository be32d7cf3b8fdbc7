package io.verbena.rate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@Timeout(180)
class PeerCouplingTest {
    private static final double NEAR = 0.005;
    private static final int HOSTS = 20;

    private final Allocation answer = new Allocation();

    private static double objective(PeerProblem problem, double[] x) {
        double sum = 0;
        double[] z = new double[x.length];
        problem.makeFeasible(x, z, new double[problem.hosts()]);
        for (int s = 0; s < x.length; s++) {
            HostProblem host = problem.hosts[problem.hostOf[s]];
            int j = s - problem.first[problem.hostOf[s]];
            sum += host.weight[j] * Utility.value(host.alpha[j], x[s]) - host.beta / (z[s] * z[s]);
        }
        return sum;
    }

    /** The certified answer of many rounds. */
    private Allocation solved(PeerProblem problem) {
        PeerCoupling coupling = new PeerCoupling(AdmmSettings.TWO_SIDED, problem);
        for (int k = 0; k < 300; k++) {
            coupling.round(Delivery.ALL, HostLoop.SEQUENTIAL);
            if (k % 10 == 9) {
                coupling.publish(answer);
            }
        }
        return answer;
    }

    private static int roundsUntilNear(
            AdmmSettings settings, PeerProblem problem, Allocation best, Delivery delivery, int rounds) {
        PeerCoupling coupling = new PeerCoupling(settings, problem);
        int last = 0;
        for (int k = 1; k <= rounds; k++) {
            coupling.round(delivery, HostLoop.SEQUENTIAL);
            double gap = (best.bound() - objective(problem, coupling.x.clone())) / best.magnitude();
            if (!(gap <= NEAR)) {
                last = k;
            }
        }
        return last + 1;
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void agreesWithTheBarrierMethod(double alpha, double beta) {
        PeerProblem problem = Instances.peers(1, 5, 6, alpha, beta);
        double[] oracle = new BarrierOracle(problem).solve(1e-9);
        double best = objective(problem, oracle.clone());
        solved(problem);
        assertThat(Math.abs(best - answer.objective())).isLessThan(1e-4 * answer.magnitude());
        assertThat(answer.bound()).isGreaterThanOrEqualTo(best - 1e-9 * answer.magnitude());
        assertThat(answer.gap()).isLessThan(1e-4);
        for (int s = 0; s < oracle.length; s++) {
            assertThat(Math.abs(answer.x[s] / oracle[s] - 1)).isLessThan(0.01);
        }
    }

    @ParameterizedTest
    @MethodSource("io.verbena.rate.Instances#utilities")
    void convergesWithAndWithoutLoss(double alpha, double beta) {
        PeerProblem problem = Instances.peers(2, HOSTS, Instances.APPLICATIONS, alpha, beta);
        solved(problem);
        assertThat(answer.gap()).isLessThan(1e-3);
        assertThat(roundsUntilNear(AdmmSettings.TWO_SIDED, problem, answer, Delivery.ALL, 60))
                .as("without loss")
                .isLessThanOrEqualTo(30);
        assertThat(roundsUntilNear(AdmmSettings.TWO_SIDED, problem, answer, Delivery.lossy(1, 0.1), 60))
                .as("10 % lost")
                .isLessThanOrEqualTo(36);
    }

    @Test
    void whatIsPublishedIsFeasibleAndGetsNoWorse() {
        PeerProblem problem = Instances.peers(3, HOSTS, 10, 1, 0.1);
        PeerCoupling coupling = new PeerCoupling(AdmmSettings.TWO_SIDED, problem);
        double objective = Double.NEGATIVE_INFINITY;
        for (int k = 0; k < 40; k++) {
            coupling.round(Delivery.lossy(5, 0.1), HostLoop.SEQUENTIAL);
            coupling.publish(answer);
            for (int i = 0; i < HOSTS; i++) {
                double used = 0;
                double polled = 0;
                for (int s = problem.first[i]; s < problem.first[i + 1]; s++) {
                    used += problem.hosts[i].cost[s - problem.first[i]] * answer.x[s];
                    polled += problem.completions(s, answer.x);
                    assertThat(answer.x[s]).isGreaterThanOrEqualTo(problem.minimum(s));
                }
                assertThat(used).isLessThanOrEqualTo(problem.hosts[i].requests);
                assertThat(polled).isLessThanOrEqualTo(problem.hosts[i].completions);
            }
            assertThat(answer.objective()).isBetween(objective, answer.bound() + 1e-12 * answer.magnitude());
            objective = answer.objective();
        }
    }

    @Test
    void aSeedReplaysHoweverHostsAreDivided() {
        HostLoop oneByOneFromTheLast = (hosts, work) -> {
            for (int i = hosts - 1; i >= 0; i--) {
                work.run(i, i + 1);
            }
        };
        PeerProblem problem = Instances.peers(4, HOSTS, 10, 0.5, 0.01);
        PeerCoupling first = new PeerCoupling(AdmmSettings.TWO_SIDED, problem);
        PeerCoupling second = new PeerCoupling(AdmmSettings.TWO_SIDED, problem);
        for (int k = 0; k < 20; k++) {
            first.round(Delivery.lossy(9, 0.1), HostLoop.SEQUENTIAL);
            second.round(Delivery.lossy(9, 0.1), oneByOneFromTheLast);
        }
        assertThat(second.x).isEqualTo(first.x);
        assertThat(second.primalResidual()).isEqualTo(first.primalResidual());
    }

    /** Two hosts that exchange all traffic: the matrix that the paper inverts has no inverse, and nobody needs one. */
    @Test
    void twoHostsThatExchangeAllTheirTraffic() {
        HostProblem host = HostProblem.builder(20e6, 15e6, 0.01)
                .application(new Utility(1, 1), 0.5)
                .build();
        PeerProblem problem = PeerProblem.builder(List.of(host, host))
                .flow(0, 0, 1, 0, 1)
                .flow(1, 0, 0, 0, 1)
                .build();
        solved(problem);
        assertThat(answer.gap()).isLessThan(1e-4);
        assertThat(answer.requests(0)).isBetween(14.99e6, 15e6);
        assertThat(answer.completions(0)).isBetween(14.99e6, 15e6);
    }

    /** (21) to (23) with 1/n: steps vanish with the number of hosts. */
    @Test
    void averagesOverAllHostsDoNotConverge() {
        PeerProblem problem = Instances.peers(2, HOSTS, 10, 1, 0.01);
        solved(problem);
        for (double rho : new double[] {1e-3, 1e-1, 10}) {
            assertThat(roundsUntilNear(AdmmSettings.scalar(rho), problem, answer, Delivery.ALL, 40))
                    .as("rho %s", rho)
                    .isGreaterThan(40);
        }
    }

    @Test
    void wrongInputIsNamed() {
        HostProblem host = HostProblem.builder(1e6, 1e6, 0.01)
                .application(new Utility(1, 1), 1)
                .minimum(0.6e6)
                .build();
        PeerProblem.Builder builder = PeerProblem.builder(List.of(host, host)).flow(0, 0, 1, 0, 0.7);
        assertThatThrownBy(() -> builder.flow(0, 0, 1, 0, 0.4)).hasMessageContaining("share 0.4 beside 0.7");
        assertThatThrownBy(() -> builder.flow(0, 0, 2, 0, 0.1)).hasMessageContaining("host 2 of 2");
        assertThatThrownBy(() -> builder.flow(0, 1, 1, 0, 0.1)).hasMessageContaining("application 1 of 1");
        assertThatThrownBy(builder::build).hasMessageContaining("host 1: minimum rates of it and its peers");
        assertThatThrownBy(() -> PeerProblem.builder(List.of())).hasMessage("a problem without a host");
        assertThatThrownBy(() -> Delivery.lossy(1, 2)).hasMessageContaining("probability 2.0");
    }
}
