package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import io.verbena.nic.sim.SimRandom;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** On a link of a gigabyte a second: a nanosecond a byte. */
@Timeout(180)
class FlowRateTest {
    private static final long MB = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private final Traffic traffic = new Traffic();
    private final OutputQueue output = new OutputQueue();

    private void limit(TestFlow flow, RateLimit limit) {
        flow.configure(limit);
        traffic.arbiter.changed(flow, flow.weight(), flow.weight(), flow.trafficClass());
    }

    private void runUntil(long nanos) {
        while (traffic.now < nanos) {
            if (traffic.arbiter.nextDeadlineNanos() <= traffic.now) {
                traffic.arbiter.expire(traffic.now);
            }
            TestFlow flow = (TestFlow) traffic.arbiter.next();
            if (flow != null) {
                long before = traffic.total;
                traffic.charge(flow, flow.send(flow.sendsOnePacket() ? 1 : flow.budget()));
                traffic.arbiter.active(flow);
                traffic.now += traffic.total - before;
            } else {
                assertThat(traffic.arbiter.hasActive()).isFalse();
                long next = traffic.arbiter.nextDeadlineNanos();
                assertThat(next).isGreaterThan(traffic.now);
                traffic.now = Math.min(next, nanos);
            }
        }
    }

    /** A message beyond what the rate gives, and its burst at the beginning. */
    @ParameterizedTest
    @CsvSource({
        "1000, 64",
        "1000, 1500",
        "100_000, 9000",
        "1_000_000, 64",
        "1_000_003, 1500",
        "77_777_777, 4096",
        "100_000_000, 64",
        "100_000_000, 65536",
        "900_000_000, 1500",
        "1_000_000, 1_000_000"
    })
    void aFlowSendsItsBytesASecondExactly(String rate, String size) {
        long perSecond = Long.parseLong(rate.replace("_", ""));
        int length = Integer.parseInt(size.replace("_", ""));
        TestFlow flow = traffic.flow(traffic.group(1), 1, output, length);
        limit(flow, RateLimit.bytes(perSecond));
        assertThat(traffic.arbiter.nextAlone(flow))
                .as("never past the schedule")
                .isFalse();
        traffic.activateAll();
        long burst = Math.max(1, perSecond / 500);
        for (int i = 1; i <= 10; i++) {
            runUntil(i * SECOND);
            assertThat((double) flow.served)
                    .isBetween((double) i * perSecond - burst - length, (double) i * perSecond + burst + length);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 7, 1000, 33_333, 250_000})
    void aFlowBeginsItsOperationsASecondExactly(long perSecond) {
        TestFlow flow = traffic.flow(traffic.group(1), 1, output, 64).oneAtATime();
        limit(flow, RateLimit.operations(perSecond));
        traffic.activateAll();
        runUntil(10 * SECOND);
        long burst = Math.max(1, perSecond / 500);
        assertThat(flow.statistics().messages()).isBetween(10 * perSecond - burst, 10 * perSecond + burst + 1);
    }

    @Test
    void ofBytesAndOperationsTheLowerHolds() {
        TestFlow small = traffic.flow(traffic.group(1), 1, output, 100).oneAtATime();
        TestFlow large = traffic.flow(traffic.group(1), 1, output, 10_000).oneAtATime();
        RateLimit both = new RateLimit(10 * MB, 10_000, 0, 0);
        limit(small, both);
        limit(large, both);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(small.served / 1e6).as("10,000 operations").isCloseTo(1, within(0.01));
        assertThat(large.served / 10e6).as("10 MB").isCloseTo(1, within(0.01));
    }

    @Test
    void whatAFlowLeavesIsForOthers() {
        FlowGroup group = traffic.group(1);
        TestFlow limited = traffic.flow(group, 10, output, 64);
        TestFlow other = traffic.flow(group, 1, output, 100_000);
        TestFlow apart = traffic.flow(traffic.group(1), 1, output, 1500);
        limit(limited, RateLimit.bytes(100 * MB));
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(limited.served / 100e6).isCloseTo(1, within(0.01));
        assertThat(other.served / 400e6).as("the rest of its group's half").isCloseTo(1, within(0.01));
        assertThat(apart.served / 500e6).isCloseTo(1, within(0.01));
    }

    @Test
    void aRateAboveTheShareChangesNothing() {
        FlowGroup group = traffic.group(1);
        TestFlow limited = traffic.flow(group, 1, output, 64);
        TestFlow other = traffic.flow(group, 3, output, 10_000);
        limit(limited, RateLimit.bytes(900 * MB));
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(limited.served / 250e6).isCloseTo(1, within(0.01));
        assertThat(other.served / 750e6).isCloseTo(1, within(0.01));
    }

    @ParameterizedTest
    @CsvSource({"100, 30, 30", "30, 100, 30", "50, 50, 50"})
    void ofGroupAndFlowTheLowerHolds(long ofGroup, long ofFlow, long expected) {
        FlowGroup group = traffic.group(1);
        group.rates(ofGroup * MB, 0);
        TestFlow flow = traffic.flow(group, 1, output, 1500);
        limit(flow, RateLimit.bytes(ofFlow * MB));
        traffic.activateAll();
        runUntil(4 * SECOND);
        assertThat(flow.served / (4e6 * expected)).isCloseTo(1, within(0.01));
    }

    @Test
    void flowsShareTheirGroupsCeilingByWeightAsFarAsTheirRatesLet() {
        FlowGroup group = traffic.group(1);
        group.rates(100 * MB, 0);
        TestFlow limited = traffic.flow(group, 8, output, 1500);
        TestFlow one = traffic.flow(group, 1, output, 1500);
        TestFlow two = traffic.flow(group, 2, output, 1500);
        limit(limited, RateLimit.bytes(10 * MB));
        traffic.activateAll();
        runUntil(2 * SECOND);
        assertThat(limited.served / 20e6).isCloseTo(1, within(0.01));
        assertThat(one.served / 60e6).isCloseTo(1, within(0.02));
        assertThat(two.served / 120e6).isCloseTo(1, within(0.02));
    }

    /** Rates change at any time, and each holds while it is set. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6})
    void ratesThatChangeHoldWhileTheyAreSet(long seed) {
        SimRandom random = new SimRandom(seed);
        FlowGroup group = traffic.group(1);
        List<TestFlow> flows = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            flows.add(traffic.flow(group, 1 + random.nextInt(5), output, 64 << random.nextInt(8)));
        }
        double[] due = new double[flows.size()];
        long[] rates = new long[flows.size()];
        long burst = 0;
        for (int i = 0; i < flows.size(); i++) {
            rates[i] = 1000 + random.nextLong(100 * MB);
            burst = Math.max(burst, rates[i] / 500);
            limit(flows.get(i), RateLimit.bytes(rates[i]));
        }
        traffic.activateAll();
        for (int step = 0; step < 500; step++) {
            long nanos = 1 + random.nextLong(20 * MB);
            long from = traffic.now;
            runUntil(from + nanos);
            for (int i = 0; i < flows.size(); i++) {
                due[i] += (traffic.now - from) * (rates[i] / 1e9);
                // Lots are waited for at the new rate, so each change may cost a part of one.
                assertThat((double) flows.get(i).served).isBetween(due[i] - 120_000, due[i] + burst + 20_000);
            }
            int changed = random.nextInt(flows.size());
            rates[changed] = 50 * MB + random.nextLong(50 * MB);
            burst = Math.max(burst, rates[changed] / 500);
            limit(flows.get(changed), RateLimit.bytes(rates[changed]));
        }
    }

    @Test
    void aRateThatIsLiftedHoldsNobodyBack() {
        TestFlow flow = traffic.flow(traffic.group(1), 1, output, 1 << 20);
        limit(flow, RateLimit.bytes(1)); // twelve days a message
        traffic.activateAll();
        assertThat(traffic.visit()).isSameAs(flow);
        assertThat(traffic.arbiter.next()).isNull();
        assertThat(traffic.arbiter.hasActive()).isFalse();
        assertThat(traffic.arbiter.nextDeadlineNanos()).isGreaterThan(1_000_000 * SECOND);
        assertThat(flow.isAtCeiling()).isTrue();
        assertThat(flow.isScheduled()).isTrue();
        limit(flow, RateLimit.NONE);
        assertThat(traffic.arbiter.nextDeadlineNanos()).isLessThanOrEqualTo(traffic.now);
        traffic.arbiter.expire(traffic.now);
        assertThat(traffic.visit()).isSameAs(flow);
        assertThat(flow.isAtCeiling()).isFalse();
        traffic.arbiter.idle(flow);
        assertThat(traffic.arbiter.nextAlone(flow)).isTrue();
    }

    /** What is owed at one rate is paid at the next, in its time. */
    @Test
    void aDebtIsPaidAtTheNewRate() {
        TestFlow flow = traffic.flow(traffic.group(1), 1, output, 1_000_000);
        limit(flow, RateLimit.bytes(1000));
        traffic.activateAll();
        traffic.visit();
        assertThat(traffic.arbiter.next()).isNull();
        limit(flow, RateLimit.bytes(MB));
        runUntil(SECOND * 9 / 10);
        assertThat(flow.served).isEqualTo(1_000_000);
        runUntil(SECOND * 11 / 10);
        assertThat(flow.served).isEqualTo(2_000_000);
    }

    @ParameterizedTest
    @ValueSource(ints = {1500, 15_000, 1_500_000})
    void whoWasIdleHasSavedUpItsBurstAndNoMore(int burst) {
        TestFlow flow = traffic.flow(traffic.group(1), 1, output, 1500);
        limit(flow, new RateLimit(MB, 0, burst, 0));
        for (int i = 0; i < 5; i++) {
            traffic.now += 1000 * SECOND;
            long before = flow.served;
            traffic.arbiter.active(flow);
            while (traffic.arbiter.next() == flow) {
                traffic.charge(flow, flow.send(flow.budget()));
                traffic.arbiter.active(flow);
            }
            assertThat(flow.served - before).isBetween((long) burst, burst + 1500L);
            traffic.arbiter.idle(flow);
            assertThat(traffic.arbiter.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        }
    }

    @Test
    void aFlowThatGoesWhileItWaitsIsForgotten() {
        FlowGroup group = traffic.group(1);
        TestFlow flow = traffic.flow(group, 1, output, 1 << 20);
        TestFlow other = traffic.flow(group, 1, output, 1000);
        limit(flow, RateLimit.bytes(1000));
        traffic.arbiter.active(flow);
        traffic.visit();
        assertThat(traffic.arbiter.next()).isNull();
        traffic.arbiter.active(flow); // it is known to have work
        assertThat(traffic.arbiter.hasActive()).isFalse();
        traffic.arbiter.attach(flow, new OutputQueue()); // goes along another way, and is still above its rate
        traffic.arbiter.active(other);
        assertThat(traffic.visit()).isSameAs(other);
        assertThat(traffic.visit()).isSameAs(other);
        traffic.arbiter.detach(flow);
        assertThat(traffic.arbiter.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        traffic.now += 100_000 * SECOND;
        traffic.arbiter.expire(traffic.now);
        assertThat(traffic.visit()).isSameAs(other);
    }

    /** What a flow did not get for its rate is not made up for at the expense of others when the rate is lifted. */
    @Test
    void aRateThatIsLiftedTakesNothingFromOthers() {
        FlowGroup group = traffic.group(1);
        TestFlow limited = traffic.flow(group, 1, output, 1500);
        TestFlow other = traffic.flow(group, 1, output, 1500);
        limit(limited, RateLimit.bytes(MB));
        traffic.activateAll();
        runUntil(2 * SECOND);
        long before = other.served;
        limit(limited, RateLimit.NONE);
        runUntil(2 * SECOND + 10 * MB);
        assertThat((other.served - before) / 5e6).isCloseTo(1, within(0.05));
    }

    /** A flow that waits for its rate may become urgent, get another weight, and be detached and attached again. */
    @Test
    void aFlowThatWaitsMayBeChangedInAllItsAttributes() {
        FlowGroup group = traffic.group(1);
        TestFlow flow = traffic.flow(group, 1, output, 10_000);
        TestFlow other = traffic.flow(group, 1, output, 1000);
        limit(flow, RateLimit.bytes(MB));
        traffic.arbiter.active(flow);
        traffic.visit();
        assertThat(traffic.arbiter.next()).isNull();
        flow.configure(5, TrafficClass.URGENT);
        traffic.arbiter.changed(flow, 1, 5, TrafficClass.URGENT);
        traffic.arbiter.active(other);
        assertThat(traffic.visit()).as("the urgent one is still above its rate").isSameAs(other);
        traffic.now += SECOND / 50;
        traffic.arbiter.expire(traffic.now);
        assertThat(traffic.visit()).as("urgent, and below its rate").isSameAs(flow);
        traffic.arbiter.detach(flow);
        traffic.arbiter.attach(flow, output);
        assertThat(traffic.visit()).isSameAs(other);
        traffic.arbiter.active(flow);
        assertThat(traffic.visit()).as("a debt outlives an attachment").isSameAs(other);
        traffic.now += SECOND;
        traffic.arbiter.expire(traffic.now);
        assertThat(traffic.visit()).isSameAs(flow);
    }

    /** Ten thousand flows above their rates, and one that is unlimited: its visits look at nobody else. */
    @Test
    void whoWaitsForItsRateCostsNothing() {
        FlowGroup group = traffic.group(1);
        for (int i = 0; i < 10_000; i++) {
            limit(traffic.flow(group, 1, output, 100_000), RateLimit.bytes(10));
        }
        traffic.activateAll();
        runUntil(2 * SECOND); // each has sent one, and waits for hours
        assertThat(traffic.total).isEqualTo(10_000L * 100_000);
        TestFlow free = traffic.flow(group, 1, output, 1500);
        traffic.arbiter.active(free);
        ChunkArbiter arbiter = (ChunkArbiter) traffic.arbiter;
        long moves = arbiter.moves();
        long steps = arbiter.steps();
        for (int i = 0; i < 10_000; i++) {
            traffic.now += 1000;
            arbiter.expire(traffic.now);
            assertThat(traffic.visit()).isSameAs(free);
        }
        assertThat(arbiter.moves()).isEqualTo(moves);
        assertThat(arbiter.steps() - steps).isLessThanOrEqualTo(2 * 10_000);
    }

    /** Thousands at once, each at its own rate: all are exact, and each visit costs a bounded number of moves. */
    @Test
    void thousandsOfFlowsKeepToTheirRates() {
        FlowGroup group = traffic.group(1);
        List<TestFlow> flows = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            flows.add(traffic.flow(group, 1, output, 500));
            limit(flows.get(i), RateLimit.bytes(10_000L + 20L * i));
        }
        traffic.activateAll();
        runUntil(5 * SECOND);
        long visits = 0;
        for (int i = 0; i < flows.size(); i++) {
            long rate = 10_000L + 20L * i;
            assertThat((double) flows.get(i).served).isBetween(5.0 * rate - 1000, 5.0 * rate + rate / 500.0 + 1000);
            visits += flows.get(i).served / 500;
        }
        assertThat(((ChunkArbiter) traffic.arbiter).moves()).isLessThan(visits * 11);
    }

    @Test
    void badValuesAreNamed() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimit.bytes(-1))
                .withMessage("bytesPerSecond -1 outside 0..1000000000000");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> RateLimit.operations(RateLimit.MAX_PER_SECOND + 1))
                .withMessageContaining("operationsPerSecond 1000000000001");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RateLimit(1, 0, -5, 0))
                .withMessage("burstBytes -5 outside 0..1073741824");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new RateLimit(1, 0, 0, 10))
                .withMessage("burstOperations 10 without operationsPerSecond");
        assertThat(RateLimit.NONE.isNone()).isTrue();
        assertThat(RateLimit.operations(1).isNone()).isFalse();
        assertThat(new RateLimit(RateLimit.MAX_PER_SECOND, 1, RateLimit.MAX_BURST, RateLimit.MAX_BURST).isNone())
                .isFalse();
    }
}
