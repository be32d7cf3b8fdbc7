package io.verbena.rate.agent;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.TenantAllocation;
import io.verbena.TenantAllocation.Bound;
import io.verbena.dispatch.DutyCycleAgent;
import io.verbena.rate.Allocation;
import io.verbena.rate.ExactHost;
import io.verbena.rate.HostProblem;
import io.verbena.rate.Utility;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** On a clock of the test, with tenants that do what their rates allow of what they want. */
@Timeout(180)
class RateAgentTest {
    private static final long EPOCH = 5_000_000;
    private static final double SECOND = 1e9;
    private static final double REQUESTS = 100_000;

    private final List<FakeMember> members = new ArrayList<>();
    private final List<RateSlot> slots = new ArrayList<>();
    private double capacity = REQUESTS;
    private double deliveries = Double.POSITIVE_INFINITY;
    private long now;

    /** A tenant that wants so much a second, and gets what its rate lets it have. */
    private final class FakeMember implements RateMember {
        TenantUtility utility = TenantUtility.DEFAULT;
        double wanted;
        double wantedDeliveries;
        long requestRate;
        long completionRate;
        double sent;
        double delivered;
        long held;
        long heldDeliveries;
        long backlogged;

        FakeMember(double weight, double alpha, double wanted) {
            utility = utility.with(new Utility(alpha, weight));
            this.wanted = wanted;
        }

        void pass(long nanos) {
            double may = requestRate == 0 ? wanted : Math.min(wanted, (double) requestRate);
            held += may < wanted ? 1 : 0;
            sent += may * nanos / SECOND;
            double mayTake =
                    completionRate == 0 ? wantedDeliveries : Math.min(wantedDeliveries, (double) completionRate);
            heldDeliveries += mayTake < wantedDeliveries ? 1 : 0;
            delivered += mayTake * nanos / SECOND;
        }

        double rate() {
            return requestRate == 0 ? Double.POSITIVE_INFINITY : requestRate;
        }

        /** Sends so much a second for an epoch, and wanted more: of its rate, or of the NIC. */
        void got(double perSecond) {
            sent += perSecond * EPOCH / SECOND;
            held += perSecond >= rate() ? 1 : 0;
            backlogged += EPOCH;
        }

        @Override
        public String tenantName() {
            return "tenant";
        }

        @Override
        public int groupNumber() {
            return members.indexOf(this);
        }

        @Override
        public TenantUtility utility() {
            return utility;
        }

        @Override
        public long sent() {
            return (long) sent;
        }

        @Override
        public long held() {
            return held;
        }

        @Override
        public long backloggedNanos() {
            return backlogged;
        }

        @Override
        public long delivered() {
            return (long) delivered;
        }

        @Override
        public long heldDeliveries() {
            return heldDeliveries;
        }

        @Override
        public void requestRate(long perSecond) {
            requestRate = perSecond;
            assertThat(members.stream().mapToLong(each -> each.requestRate).sum())
                    .as("allocated at this instant")
                    .isLessThanOrEqualTo((long) capacity);
        }

        @Override
        public void completionRate(long perSecond) {
            completionRate = perSecond;
            assertThat((double) members.stream()
                            .mapToLong(each -> each.completionRate)
                            .sum())
                    .isLessThanOrEqualTo(deliveries);
        }
    }

    private FakeMember member(double weight, double alpha, double wanted) {
        return new FakeMember(weight, alpha, wanted);
    }

    private RateAgent agent(FakeMember... those) {
        boolean paces = deliveries < Double.POSITIVE_INFINITY;
        RateAgent agent =
                new RateAgent(new RateSettings(EPOCH, REQUESTS, paces ? deliveries : 0, 0, false), () -> now, null);
        for (FakeMember each : those) {
            slots.add(agent.add(each));
            members.add(each);
        }
        return agent;
    }

    private void epochs(RateAgent agent, int count) {
        for (int i = 0; i < count; i++) {
            members.forEach(each -> each.pass(EPOCH));
            now += EPOCH;
            agent.doWork(now);
        }
    }

    private TenantAllocation allocation(int index) {
        return requireNonNull(slots.get(index).allocation());
    }

    @Test
    void whoWantMoreThanThereIsShareByUtility() {
        FakeMember gold = member(3, 1, 1e6);
        FakeMember plain = member(1, 1, 1e6);
        RateAgent agent = agent(gold, plain);
        assertThat(slots.get(0).allocation()).isNull();
        epochs(agent, 2);
        assertThat(gold.requestRate / 75_000.0).isCloseTo(1, within(1e-4));
        assertThat(plain.requestRate / 25_000.0).isCloseTo(1, within(1e-4));
        TenantAllocation allocation = allocation(0);
        assertThat(allocation.requests()).isEqualTo((double) gold.requestRate);
        assertThat(allocation.gap()).isLessThan(1e-9);
        assertThat(allocation.residual()).isLessThan(1e-9);
        assertThat(allocation.price()).isPositive();
        assertThat(allocation.bound()).isEqualTo(Bound.REQUESTS);
        assertThat(allocation.epoch()).isBetween(1L, 2L);
    }

    @Test
    void alphaSaysHowEvenRatesAre() {
        FakeMember four = member(4, 2, 1e6);
        FakeMember one = member(1, 2, 1e6);
        epochs(agent(four, one), 2);
        assertThat(four.requestRate / (double) one.requestRate).isCloseTo(2, within(1e-3));
    }

    @Test
    void whatAnIdleTenantLeavesIsLentWithinTwoEpochsAndGivenBackWithinTwo() {
        FakeMember one = member(1, 1, 1e6);
        FakeMember other = member(1, 1, 1e6);
        RateAgent agent = agent(one, other);
        epochs(agent, 3);
        assertThat(one.requestRate).isBetween(49_998L, 50_000L);
        other.wanted = 0;
        epochs(agent, 2);
        assertThat(one.requestRate).isBetween(98_990L, 99_000L);
        assertThat(allocation(1).bound()).isEqualTo(Bound.DEMAND);
        other.wanted = 1e6;
        epochs(agent, 2);
        assertThat(one.requestRate).isBetween(49_998L, 50_000L);
        assertThat(other.requestRate).isBetween(49_998L, 50_000L);
    }

    @Test
    void whoWantsLittleIsNotHeldAndTheOthersHaveTheRest() {
        FakeMember small = member(1, 1, 10_000);
        FakeMember large = member(1, 1, 1e6);
        RateAgent agent = agent(small, large);
        epochs(agent, 3);
        long before = small.held;
        epochs(agent, 10);
        assertThat(small.held).isEqualTo(before);
        assertThat(large.requestRate).isBetween(87_000L, 88_000L);
        small.wanted = 40_000;
        epochs(agent, 3);
        before = small.held;
        epochs(agent, 10);
        assertThat(small.held).isEqualTo(before);
        assertThat(large.requestRate + small.requestRate).isBetween(99_990L, 100_000L);
    }

    @Test
    void whereAllIsEnoughNobodyIsHeldAndWhatIsLeftIsAllocated() {
        RateAgent agent = agent(member(1, 1, 10_000), member(3, 1, 20_000));
        epochs(agent, 3);
        assertThat(members.get(0).requestRate + members.get(1).requestRate).isBetween(99_990L, 100_000L);
        assertThat(allocation(0).price()).isZero();
        long solves = agent.statistics().solves();
        epochs(agent, 100);
        assertThat(agent.statistics().solves()).as("nothing has changed").isEqualTo(solves);
        assertThat(agent.statistics().epochs()).isEqualTo(103);
    }

    @Test
    void aMinimumIsKeptAndMinimumsThatAreTooLargeAreCut() {
        FakeMember heavy = member(1000, 1, 1e6);
        FakeMember light = member(1, 1, 1e6);
        light.utility = light.utility.withMinimum(30_000);
        RateAgent agent = agent(heavy, light);
        epochs(agent, 2);
        assertThat(light.requestRate).isBetween(29_999L, 30_001L);
        assertThat(allocation(1).bound()).isEqualTo(Bound.MINIMUM);
        heavy.utility = heavy.utility.withMinimum(70_000);
        light.utility = light.utility.withMinimum(70_000);
        agent.changed();
        epochs(agent, 1);
        assertThat(light.requestRate).isBetween(44_990L, 45_010L);
    }

    @Test
    void deliveriesAreSharedTooAndWhatIsSentUnaskedIsNoRequest() {
        deliveries = 20_000;
        FakeMember sender = member(1, 1, 1e6);
        sender.utility = sender.utility.withBatch(10);
        FakeMember receiver = member(1, 1, 0);
        receiver.wantedDeliveries = 1e6;
        RateAgent agent = agent(sender, receiver);
        sender.wantedDeliveries = 1e6;
        epochs(agent, 3);
        assertThat(sender.requestRate).as("who only receives leaves requests").isGreaterThan(60_000);
        assertThat(sender.completionRate + receiver.completionRate).isBetween(19_990L, 20_000L);
        assertThat(receiver.completionRate).isBetween(5_000L, 7_500L);
        sender.wanted = 0;
        sender.wantedDeliveries = 0;
        epochs(agent, 2);
        assertThat(receiver.completionRate).isGreaterThan(19_500);
    }

    @Test
    void aMeasuredCapacityIsUnknownUntilSeveralWaitAndGrowsWhileRatesHold() {
        FakeMember one = member(1, 1, 60_000);
        FakeMember other = member(1, 1, 60_000);
        capacity = 1e9;
        RateAgent agent = new RateAgent(new RateSettings(EPOCH, 0, 0, 0.05, false), () -> now, null);
        members.add(one);
        members.add(other);
        slots.add(agent.add(one));
        slots.add(agent.add(other));
        epochs(agent, 2);
        assertThat(one.requestRate).isZero();
        one.backlogged += EPOCH;
        epochs(agent, 1);
        assertThat(one.requestRate + other.requestRate).isBetween(113_000L, 114_000L);
        epochs(agent, 10);
        assertThat(one.requestRate + other.requestRate).as("both are held").isGreaterThan(114_000L);
    }

    /** What inboxes deliver is known: it is shared while nobody knows yet what the NIC takes. */
    @Test
    void deliveriesAreSharedBeforeRequestsAreMeasured() {
        deliveries = 20_000;
        FakeMember gold = member(3, 1, 1_000);
        FakeMember plain = member(1, 1, 1_000);
        gold.wantedDeliveries = 1e6;
        plain.wantedDeliveries = 1e6;
        RateAgent agent = new RateAgent(new RateSettings(EPOCH, 0, deliveries, 0, false), () -> now, null);
        capacity = 1e9;
        for (FakeMember each : List.of(gold, plain)) {
            members.add(each);
            slots.add(agent.add(each));
        }
        epochs(agent, 3);
        assertThat(gold.requestRate).isZero();
        assertThat(plain.requestRate).isZero();
        assertThat(gold.completionRate).isBetween(14_500L, 15_000L);
        assertThat(plain.completionRate).isBetween(4_900L, 5_000L);
    }

    /** Its requests wait for answers that are not delivered sooner: more of them would only lie in its inbox. */
    @Test
    void whoIsBoundByDeliveriesIsNotGivenWhatIsLeftOfRequests() {
        deliveries = 10_000;
        FakeMember asks = member(1, 1, 1e6);
        asks.utility = asks.utility.withBatch(2);
        FakeMember other = member(1, 1, 1_000);
        RateAgent agent = agent(asks, other);
        epochs(agent, 5);
        assertThat(asks.requestRate).isBetween(15_000L, 20_000L);
        assertThat(allocation(0).bound()).isEqualTo(Bound.COMPLETIONS);
        assertThat(other.requestRate).as("and what is left").isGreaterThan(75_000);
    }

    /** What an idle one has for a minimum is nobody's, and does not keep the estimate from growing. */
    @Test
    void aMeasuredCapacityGrowsBesideAMinimumThatIsNotUsed() {
        FakeMember idle = member(1, 1, 0);
        FakeMember one = member(1, 1, 60_000);
        FakeMember other = member(1, 1, 60_000);
        capacity = 1e9;
        RateAgent agent = new RateAgent(new RateSettings(EPOCH, 0, 0, 0.05, false), () -> now, null);
        idle.utility = idle.utility.withMinimum(50_000);
        for (FakeMember each : List.of(idle, one, other)) {
            members.add(each);
            slots.add(agent.add(each));
        }
        one.backlogged += EPOCH;
        epochs(agent, 1);
        one.wanted = 1e6;
        other.wanted = 1e6;
        epochs(agent, 30);
        assertThat(one.requestRate).isGreaterThan(100_000);
    }

    /** A pause of the JVM says nothing of what the NIC takes. */
    @Test
    void aPauseIsNotMeasured() {
        FakeMember one = member(1, 1, 60_000);
        FakeMember other = member(1, 1, 60_000);
        capacity = 1e9;
        RateAgent agent = new RateAgent(new RateSettings(EPOCH, 0, 0, 0.05, false), () -> now, null);
        for (FakeMember each : List.of(one, other)) {
            members.add(each);
            slots.add(agent.add(each));
        }
        one.backlogged += EPOCH;
        epochs(agent, 1);
        long before = one.requestRate + other.requestRate;
        now += 1_000 * EPOCH;
        one.backlogged += 1_000 * EPOCH;
        other.backlogged += 1_000 * EPOCH;
        one.sent += 10;
        agent.doWork(now);
        assertThat(one.requestRate + other.requestRate).isBetween(before - 2, before + 2);
    }

    /** Both always have more to send; what the NIC takes changes, and is nobody's secret but the NIC's. */
    @Test
    void aMeasuredCapacityIsFollowedAndUtilitiesHold() {
        FakeMember gold = member(3, 1, 0);
        FakeMember plain = member(1, 1, 0);
        capacity = 1e9;
        RateAgent agent = new RateAgent(new RateSettings(EPOCH, 0, 0, 0.05, false), () -> now, null);
        for (FakeMember each : List.of(gold, plain)) {
            members.add(each);
            slots.add(agent.add(each));
        }
        for (double takes : new double[] {100_000, 40_000, 120_000, 110_000}) {
            contend(agent, gold, plain, takes, 100);
            double goldBefore = gold.sent;
            double plainBefore = plain.sent;
            contend(agent, gold, plain, takes, 40);
            double golds = gold.sent - goldBefore;
            double plains = plain.sent - plainBefore;
            assertThat(golds / (golds + plains)).as("of %s", takes).isBetween(0.7, 0.751);
            assertThat((golds + plains) / (40 * EPOCH / SECOND * takes)).isBetween(0.93, 1.0001);
        }
    }

    /** Takes equal turns, as far as rates go. */
    private void contend(RateAgent agent, FakeMember one, FakeMember other, double takes, int epochs) {
        for (int i = 0; i < epochs; i++) {
            double others = Math.min(other.rate(), Math.max(takes / 2, takes - one.rate()));
            one.got(Math.min(one.rate(), takes - others));
            other.got(others);
            now += EPOCH;
            agent.doWork(now);
        }
    }

    @Test
    void anIdleNodeIsLeftAloneAndBeginsAnEpochWithItsNextTurn() {
        FakeMember one = member(1, 1, 0);
        FakeMember other = member(1, 1, 1e6);
        RateAgent agent = agent(one, other);
        other.wanted = 0;
        epochs(agent, 1);
        assertThat(agent.nextDeadline()).isEqualTo(DutyCycleAgent.NEVER);
        now += 1000 * EPOCH;
        one.wanted = 1e6;
        assertThat(agent.doWork(now)).isZero();
        assertThat(agent.nextDeadline()).isEqualTo(now + EPOCH);
        epochs(agent, 1);
        assertThat(one.requestRate).isGreaterThan(98_000);
    }

    @Test
    void tenantsComeAndGo() {
        RateAgent agent = agent(member(1, 1, 1e6), member(1, 1, 1e6));
        epochs(agent, 2);
        capacity = REQUESTS + 1; // the new one's, until the next turn
        FakeMember third = member(2, 1, 1e6);
        RateSlot slot = agent.add(third);
        members.add(third);
        agent.doWork(now + 1);
        assertThat(third.requestRate)
                .as("its minimum, in the midst of an epoch")
                .isGreaterThan(600);
        epochs(agent, 2);
        assertThat(third.requestRate).isBetween(49_998L, 50_000L);
        agent.remove(slot);
        members.remove(third);
        epochs(agent, 1);
        assertThat(members.get(0).requestRate).isBetween(49_998L, 50_000L);
    }

    /** Whatever the tenants want: allocated is never too much, and where all want more, it is what the solver says. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void publishedRatesKeepCapacitiesAndAreTheSolvers(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        double[] alphas = {0.5, 1, 2};
        int count = random.nextInt(2, 20);
        deliveries = random.nextBoolean() ? Double.POSITIVE_INFINITY : random.nextDouble(10_000, 200_000);
        FakeMember[] those = new FakeMember[count];
        for (int i = 0; i < count; i++) {
            those[i] = member(random.nextDouble(0.5, 8), alphas[random.nextInt(3)], 0);
            those[i].utility = those[i].utility.withBatch(random.nextInt(0, 20));
        }
        RateAgent agent = agent(those);
        for (int i = 0; i < 200; i++) {
            FakeMember one = those[random.nextInt(count)];
            one.wanted = random.nextInt(4) == 0 ? 0 : Math.exp(random.nextDouble(3, 14));
            one.wantedDeliveries = random.nextInt(4) == 0 ? 0 : Math.exp(random.nextDouble(3, 14));
            epochs(agent, 1 + random.nextInt(3));
            for (FakeMember each : those) {
                assertThat(each.requestRate).as("seed %d", seed).isPositive();
            }
            assertThat(allocation(0).gap()).as("seed %d", seed).isLessThan(1e-9);
        }
        if (deliveries == Double.POSITIVE_INFINITY) {
            HostProblem.Builder builder = HostProblem.builder(REQUESTS, 1e12, 0);
            for (FakeMember each : those) {
                each.wanted = 1e6;
                builder.application(each.utility.utility(), 1e-6);
            }
            epochs(agent, 3);
            Allocation direct = new Allocation();
            new ExactHost().solve(builder.build(), direct);
            for (int i = 0; i < count; i++) {
                assertThat((double) those[i].requestRate).isCloseTo(direct.requests(i), within(2.0));
            }
        }
    }
}
