package io.verbena.rate;

import static io.verbena.rate.ExchangeWorld.MILLI;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The exchange of prices in virtual time; conservation is looked at after each turn of each node. */
@Timeout(180)
class PriceExchangeTest {
    private static final int HOSTS = 5;
    private static final long LEASE = ExchangeWorld.TIMES.lease();

    static Stream<Arguments> instances() {
        return Stream.of(1L, 2L, 3L, 4L)
                .flatMap(seed -> Stream.of(0.5, 1.0, 2.0)
                        .flatMap(alpha -> Stream.of(1e-7, 0.01, 0.1).map(beta -> Arguments.of(seed, alpha, beta))));
    }

    private static PeerProblem problem(long seed, double alpha, double beta) {
        return Instances.peers(seed, HOSTS, 6, alpha, beta);
    }

    private static double[] best(PeerProblem problem) {
        return new BarrierOracle(problem).solve(1e-9);
    }

    // ---- what it comes to -------------------------------------------------------------------------------------------

    @ParameterizedTest
    @MethodSource("instances")
    void agreesWithTheBarrierMethod(long seed, double alpha, double beta) {
        PeerProblem problem = problem(seed, alpha, beta);
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, seed);
        double[] best = best(problem);
        world.run(200 * MILLI);
        assertThat(world.gap(best)).as("after 40 rounds").isLessThan(5e-3);
        world.run(600 * MILLI);
        assertThat(Math.abs(world.gap(best))).isLessThan(1e-4);
        assertThat(world.error(best)).isLessThan(1e-3);
        assertThat(world.count(PriceExchange.Basis.AGREED)).isEqualTo(problem.applications());
        assertThat(world.total(ExchangeCount.STEPS_WITHOUT_ANSWER)).isZero();
        assertThat(world.total(ExchangeCount.IMPLAUSIBLE)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void lossDelayRepetitionAndDisorderDelayItOnly(long seed) {
        PeerProblem problem = problem(seed, 1, 0.01);
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, seed);
        world.loss = 0.1;
        world.repeats = 0.1;
        world.jitter = 7 * MILLI; // more than a round: later messages overtake
        double[] best = best(problem);
        world.run(3_000 * MILLI);
        assertThat(world.gap(best)).isLessThan(5e-3);
        assertThat(world.total(ExchangeCount.DUPLICATE)).isPositive();
        assertThat(world.total(ExchangeCount.STALE)).isPositive();
        assertThat(world.total(ExchangeCount.STEPS_WITHOUT_ANSWER)).isPositive();
        assertThat(world.total(ExchangeCount.LEASES_ENDED)).isZero();
        world.loss = 0;
        world.repeats = 0;
        world.jitter = 0;
        world.run(1_000 * MILLI);
        assertThat(Math.abs(world.gap(best))).isLessThan(1e-4);
    }

    /** Most messages are lost: leases end and begin again, and nothing is given twice. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void nothingIsGivenTwiceHoweverMuchIsLost(long seed) {
        PeerProblem problem = problem(seed, 1, 0.01);
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, seed);
        world.loss = 0.9;
        world.jitter = 30 * MILLI;
        world.run(5_000 * MILLI);
        assertThat(world.total(ExchangeCount.LEASES_ENDED)).isPositive();
        assertThat(world.total(ExchangeCount.RECEIVED)).isPositive();
        world.loss = 0;
        world.jitter = 0;
        world.run(2_000 * MILLI);
        assertThat(Math.abs(world.gap(best(problem)))).isLessThan(1e-3);
    }

    @Test
    void aSeedReplays() {
        PeerProblem problem = problem(3, 0.5, 0.1);
        double[][] rates = new double[3][];
        for (int run = 0; run < 3; run++) {
            ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, run == 2 ? 8 : 7);
            world.loss = 0.2;
            world.repeats = 0.2;
            world.jitter = 9 * MILLI;
            world.run(300 * MILLI);
            rates[run] = world.rates();
        }
        assertThat(rates[1]).isEqualTo(rates[0]);
        assertThat(rates[2]).isNotEqualTo(rates[0]);
    }

    /**
     * {@code |x - x*|^2_Q + sigma |z - z*|^2 + |v - v*|^2 / sigma} with Q = R - P' sigma P, which R majorises, falls in
     * each step by at least {@code sigma |S - z|^2} once penalties are frozen; without relaxation, with a full
     * majoriser.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void theLyapunovFunctionFalls(long seed) {
        PeerProblem problem = problem(seed, 1, 0.1);
        AdmmSettings plain = new AdmmSettings(0, 1, 6, 1, 1, false);
        ExchangeWorld world = new ExchangeWorld(problem, plain, seed);
        world.run(20_000 * MILLI);
        Lyapunov end = new Lyapunov(world);
        world = new ExchangeWorld(problem, plain, seed);
        world.run(100 * MILLI); // penalties are frozen by now
        double before = end.distance(world);
        double first = before;
        for (int k = 0; k < 60; k++) {
            world.run(5 * MILLI);
            double now = end.distance(world);
            assertThat(now).as("step %s", k).isLessThanOrEqualTo(before * (1 + 1e-9) + 1e-12 * first);
            before = now;
        }
        assertThat(before).isLessThan(0.05 * first);
    }

    /** The state that a world has come to, and how far others are from it. */
    private static final class Lyapunov {
        private final double[] x;
        private final double[] z;
        private final double[] v;

        Lyapunov(ExchangeWorld world) {
            x = of(world, 0);
            z = of(world, 1);
            v = of(world, 2);
        }

        private static double[] of(ExchangeWorld world, int what) {
            double[] all = new double[world.problem.applications()];
            for (int s = 0; s < all.length; s++) {
                int i = world.problem.hostOf[s];
                int j = s - world.problem.first[i];
                all[s] = what == 0
                        ? world.nodes[i].sources().x[j]
                        : what == 1
                                ? world.targets[i].z[j]
                                : what == 2 ? world.targets[i].v[j] : world.targets[i].penalty[j];
            }
            return all;
        }

        double distance(ExchangeWorld world) {
            double[] dx = minus(of(world, 0), x);
            double[] dz = minus(of(world, 1), z);
            double[] dv = minus(of(world, 2), v);
            double[] sigma = of(world, 3);
            PeerProblem problem = world.problem;
            double sum = 0;
            for (int t = 0; t < dx.length; t++) {
                double through = problem.completions(t, dx);
                sum += sigma[t] * dz[t] * dz[t] + dv[t] * dv[t] / sigma[t] - sigma[t] * through * through;
                for (int at = problem.fromTarget[t]; at < problem.fromTarget[t + 1]; at++) {
                    int link = problem.linkOf[at];
                    double d = dx[problem.source[link]];
                    sum += problem.part[link] * sigma[t] * problem.received[t] * d * d;
                }
            }
            return sum;
        }

        private static double[] minus(double[] a, double[] b) {
            double[] difference = a.clone();
            for (int k = 0; k < a.length; k++) {
                difference[k] -= b[k];
            }
            return difference;
        }
    }

    // ---- who comes and goes -----------------------------------------------------------------------------------------

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aNodeThatDiesLeavesTheProblem(long seed) {
        PeerProblem problem = problem(seed, 1, 0.01);
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, seed);
        world.run(500 * MILLI);
        double before = taken(world, 0);
        world.kill(1);
        world.run(LEASE + 20 * MILLI);
        assertThat(world.total(ExchangeCount.PEERS_LOST)).isPositive();
        assertThat(world.total(ExchangeCount.LEASES_ENDED)).isPositive();
        assertThat(world.nodes[0].peer(1).isReporting()).isFalse();
        for (int i = 0; i < HOSTS; i++) {
            for (int s = 0; i != 1 && s < 6; s++) {
                boolean sendsThere = world.nodes[i].peer(1).outflow.part(s, s) > 0;
                assertThat(world.nodes[i].basis(s))
                        .isEqualTo(sendsThere ? PriceExchange.Basis.LOST : PriceExchange.Basis.AGREED);
            }
        }
        world.run(1_000 * MILLI);
        assertThat(before).isCloseTo(problem.hosts[0].completions, within(1e-3));
        assertThat(taken(world, 0))
                .as("what the dead one had is given to others")
                .isCloseTo(before, within(1e-3));
    }

    /** What all that live are granted at a node, in millions a second. */
    private static double taken(ExchangeWorld world, int i) {
        double sum = 0;
        for (int l = 0; l < HOSTS; l++) {
            ExchangePeer peer = world.nodes[i].peer(l);
            sum += peer.inflow.heldTogether();
        }
        return sum;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void aPartitionFallsBackToTheOneSidedAnswerAndHeals(long seed) {
        PeerProblem problem = problem(seed, 1, 0.01);
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, seed);
        world.run(500 * MILLI);
        world.cut = (from, to) -> from == to ? 0 : 1;
        world.run(LEASE + 10 * MILLI);
        assertThat(world.count(PriceExchange.Basis.LOST)).isEqualTo(problem.applications());
        world.run(300 * MILLI);
        for (int i = 0; i < HOSTS; i++) {
            oneSided(world, i);
        }
        world.cut = (from, to) -> 0;
        world.run(1_000 * MILLI);
        assertThat(Math.abs(world.gap(best(problem)))).isLessThan(1e-4);
        assertThat(world.count(PriceExchange.Basis.AGREED)).isEqualTo(problem.applications());
    }

    /** A node that hears only itself shares by its own capacities: the exact answer for a host alone. */
    private static void oneSided(ExchangeWorld world, int i) {
        HostProblem host = world.problem.hosts[i];
        HostProblem.Builder builder = HostProblem.builder(host.requests * 1e6, host.completions * 1e6, host.beta);
        for (int j = 0; j < host.applications; j++) {
            builder.application(new Utility(host.alpha[j], host.weight[j]), host.perRequest[j])
                    .minimum(host.minimum[j] * 1e6);
        }
        Allocation answer = new Allocation();
        new ExactHost().solve(builder.build(), answer);
        for (int j = 0; j < host.applications; j++) {
            assertThat(world.nodes[i].sources().rate(j) / answer.requests(j)).isCloseTo(1, within(0.01));
        }
    }

    @Test
    void whoIsNoLongerConnectedIsIgnoredAndComesBackInALaterEpoch() {
        PeerProblem problem = problem(2, 1, 0.01);
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, 2);
        world.run(500 * MILLI);
        world.nodes[0].remove(1);
        assertThat(world.nodes[0].peer(1)).isNull();
        world.run(50 * MILLI);
        assertThat(world.counts[0].get(ExchangeCount.NOT_CONNECTED)).isPositive();
        world.run(LEASE);
        assertThat(world.counts[1].get(ExchangeCount.LEASES_ENDED)).isPositive();
        world.connect(0, 1);
        world.run(1_000 * MILLI);
        assertThat(Math.abs(world.gap(best(problem)))).isLessThan(1e-4);
    }

    /** A node forgets a peer and knows it again at once: what the peer may be using is not given to others. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void nothingIsGivenTwiceWhereConnectionsComeAndGo(long seed) {
        PeerProblem problem = problem(seed, 2, 0.01);
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, seed);
        world.loss = 0.2;
        world.jitter = 6 * MILLI;
        world.run(300 * MILLI);
        for (int k = 0; k < 40; k++) {
            int node = k % HOSTS;
            int peer = (k / HOSTS) % HOSTS;
            world.nodes[node].remove(peer);
            world.run((k % 3) * 15L * MILLI);
            world.connect(node, peer);
            world.run(35 * MILLI);
        }
        world.loss = 0;
        world.jitter = 0;
        world.run(1_000 * MILLI);
        assertThat(Math.abs(world.gap(best(problem)))).isLessThan(1e-4);
    }

    @Test
    void minimumRatesAreKeptAsFarAsTheyFit() {
        HostProblem taker = HostProblem.builder(20e6, 10e6, 0.01)
                .application(new Utility(1, 1), 1)
                .build();
        HostProblem modest = HostProblem.builder(20e6, 10e6, 0.01)
                .application(new Utility(1, 100), 1)
                .build();
        HostProblem entitled = HostProblem.builder(20e6, 10e6, 0.01)
                .application(new Utility(1, 1), 1)
                .minimum(2e6)
                .build();
        PeerProblem problem = PeerProblem.builder(List.of(taker, modest, entitled))
                .flow(1, 0, 0, 0, 1)
                .flow(2, 0, 0, 0, 1)
                .build();
        ExchangeWorld world = new ExchangeWorld(problem, AdmmSettings.TWO_SIDED, 1);
        world.run(1_000 * MILLI);
        assertThat(world.nodes[2].sources().rate(0)).isCloseTo(2e6, within(1e3));
        assertThat(world.nodes[1].sources().rate(0)).isGreaterThan(7e6);
        assertThat(Math.abs(world.gap(best(problem)))).isLessThan(1e-4);
    }

    // ---- what is not believed ---------------------------------------------------------------------------------------

    private final ExchangeCounts counts = new ExchangeCounts();
    private final ExchangeTargets targets = new ExchangeTargets(AdmmSettings.TWO_SIDED, 1, 1e6, 0);
    private final PriceExchange node = new PriceExchange(ExchangeWorld.TIMES, targets, counts, 0);

    private static RateMessage report(long sequence, double rate) {
        RateMessage m = new RateMessage();
        m.epoch = 1;
        m.sequence = sequence;
        m.reportStep = sequence;
        m.reports = 1;
        m.rate[0] = rate;
        m.curvature[0] = 1 / (rate * rate);
        m.share[0] = 1;
        m.minimum[0] = rate / 100;
        return m;
    }

    private long count(ExchangeCount what) {
        return counts.get(what);
    }

    @Test
    void whatIsNotConnectedStaleRepeatedOrImpossibleIsCountedAndIgnored() {
        node.receive(7, report(1, 0.5), 0);
        assertThat(count(ExchangeCount.NOT_CONNECTED)).isEqualTo(1);
        ExchangePeer peer = node.add(7, 1);
        node.receive(7, report(5, 0.5), 0);
        node.receive(7, report(5, 0.4), 0);
        assertThat(count(ExchangeCount.DUPLICATE)).isEqualTo(1);
        node.receive(7, report(4, 0.4), 0);
        assertThat(count(ExchangeCount.STALE)).isEqualTo(1);
        RateMessage later = report(1, 0.3);
        later.epoch = 2;
        node.receive(7, later, 0);
        assertThat(peer.inflow.rate[0]).isEqualTo(0.3);
        node.receive(7, report(9, 0.4), 0);
        assertThat(count(ExchangeCount.STALE)).isEqualTo(2);
        assertThat(peer.inflow.rate[0]).isEqualTo(0.3);
        assertThat(count(ExchangeCount.RECEIVED)).isEqualTo(2);

        for (double wrong : new double[] {Double.NaN, -1, 0, Double.POSITIVE_INFINITY}) {
            RateMessage m = report(2, 0.3);
            m.epoch = 2;
            m.rate[0] = wrong;
            node.receive(7, m, 0);
            m = report(2, 0.3);
            m.epoch = 2;
            m.curvature[0] = wrong;
            node.receive(7, m, 0);
        }
        RateMessage share = report(2, 0.3);
        share.epoch = 2;
        share.share[0] = 1e9;
        node.receive(7, share, 0);
        RateMessage acknowledges = report(2, 0.3);
        acknowledges.epoch = 2;
        acknowledges.answeredEpoch = peer.epoch;
        acknowledges.answered = peer.sequence + 1;
        node.receive(7, acknowledges, 0);
        RateMessage minimum = report(2, 0.3);
        minimum.epoch = 2;
        minimum.minimum[0] = 0.4;
        node.receive(7, minimum, 0);
        assertThat(count(ExchangeCount.IMPLAUSIBLE)).isEqualTo(11);
        assertThat(peer.heard).isEqualTo(1);
    }

    /** Peers that claim everything, and never yield, leave another what no claim takes away. */
    @Test
    void peersThatClaimEverythingLeaveOthersTheirFloor() {
        int liars = 9;
        ExchangePeer honest = node.add(0, 1);
        for (int k = 1; k < 400; k++) {
            long now = k * 5L * MILLI;
            double held = 0;
            for (int id = 0; id <= liars; id++) {
                ExchangePeer peer = node.add(id, 1);
                RateMessage claim = report(k, id == 0 ? 0.2 : 1e9);
                claim.minimum[0] = id == 0 ? 0.1 : 1e9;
                claim.answeredEpoch = peer.epoch;
                claim.answered = peer.sequence;
                node.receive(id, claim, now);
                held += peer.inflow.heldTogether();
            }
            assertThat(held).isLessThanOrEqualTo(1);
            node.turn(now);
            node.send(now, (peer, message) -> true);
        }
        assertThat(honest.inflow.granted[0]).isBetween(0.09, 0.2);
    }

    @Test
    void aGrantThatFallsIsGivenToOthersWhenThePeerKeepsIt() {
        ExchangePeer first = node.add(1, 1);
        node.receive(1, report(1, 0.9), 0);
        exchange(0);
        assertThat(first.inflow.held[0]).isCloseTo(1, within(1e-6));
        ExchangePeer second = node.add(2, 1);
        RateMessage again = report(2, 0.9);
        node.receive(1, again, 5 * MILLI);
        node.receive(2, report(1, 0.9), 5 * MILLI);
        exchange(5 * MILLI);
        assertThat(first.inflow.granted[0]).isLessThan(0.6);
        assertThat(first.inflow.held[0]).isCloseTo(1, within(1e-6));
        assertThat(second.inflow.held[0]).isLessThan(1e-6);
        RateMessage keeps = report(3, 0.5);
        keeps.answeredEpoch = first.epoch;
        keeps.answered = first.sequence;
        node.receive(1, keeps, 10 * MILLI);
        node.receive(2, report(2, 0.5), 10 * MILLI);
        exchange(10 * MILLI);
        assertThat(first.inflow.held[0]).isLessThan(0.6);
        assertThat(second.inflow.held[0]).isGreaterThan(0.4);
        assertThat(first.inflow.held[0] + second.inflow.held[0]).isLessThanOrEqualTo(1);

        node.receive(2, report(3, 0.9), 10 * MILLI + LEASE - 1); // the first is silent: its lease is not over yet
        exchange(10 * MILLI + LEASE - 1);
        assertThat(second.inflow.held[0]).isLessThan(0.6);
        node.receive(2, report(4, 0.9), 10 * MILLI + LEASE);
        exchange(10 * MILLI + LEASE);
        assertThat(second.inflow.held[0]).isCloseTo(1, within(1e-6));
    }

    private void exchange(long now) {
        node.turn(now);
        node.send(now, (peer, message) -> true);
    }

    @Test
    void wrongSettingsAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExchangeTimes(2, 1, 3))
                .withMessageContaining("round 2, patience 1, lease 3");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExchangeTargets(AdmmSettings.TWO_SIDED, 65, 1, 0))
                .withMessage("targets 65 outside 1..32");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExchangeTargets(AdmmSettings.TWO_SIDED, 1, 0, 0))
                .withMessageContaining("capacity 0.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExchangeTargets(AdmmSettings.TWO_SIDED, 1, 1, -1))
                .withMessageContaining("beta -1.0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> node.sources(1, 0))
                .withMessageContaining("capacity 0.0");
    }
}
