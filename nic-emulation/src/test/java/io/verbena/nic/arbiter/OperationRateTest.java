package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A group's operations a second; each message of the traffic is one, and takes a nanosecond a byte. */
@Timeout(180)
class OperationRateTest {
    private static final long SECOND = 1_000_000_000;
    private static final long MILLI = 1_000_000;

    private final Traffic traffic = new Traffic();
    private final OutputQueue output = new OutputQueue();

    private void rate(FlowGroup group, long perSecond) {
        boolean flips = (group.operations().perSecond() == 0) != (perSecond == 0);
        group.operations().set(perSecond, traffic.now);
        if (flips) {
            traffic.arbiter.changed(group);
        }
    }

    private void runUntil(long nanos) {
        while (traffic.now < nanos) {
            if (traffic.arbiter.nextDeadlineNanos() <= traffic.now) {
                traffic.arbiter.expire(traffic.now);
            }
            TestFlow flow = (TestFlow) traffic.arbiter.next();
            if (flow == null) {
                traffic.now = Math.min(nanos, traffic.arbiter.nextDeadlineNanos());
                continue;
            }
            int sent = flow.send(flow.sendsOnePacket() ? 1 : flow.budget());
            traffic.arbiter.charge(flow, sent, sent / flow.largest(), 0);
            traffic.arbiter.active(flow);
            traffic.now += sent;
        }
    }

    private static long sent(FlowGroup group) {
        return group.statistics().messages();
    }

    @Test
    void aGroupKeepsToItsRateOverAllItsFlows() {
        FlowGroup group = traffic.group(1);
        rate(group, 10_000);
        traffic.flow(group, 1, output, 64);
        traffic.flow(group, 3, new OutputQueue(), 64);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(sent(group)).isBetween(9_990L, 10_011L);
        assertThat(group.statistics().held()).isPositive();
    }

    @Test
    void whoIsAloneGoesPastTheScheduleUntilItsRateHoldsIt() {
        FlowGroup group = traffic.group(1);
        rate(group, 10_000);
        TestFlow flow = traffic.flow(group, 1, output, 64);
        traffic.now = SECOND;
        assertThat(alone(flow)).isBetween(10, 20); // a millisecond's, and what was saved up
        traffic.now += 100_000;
        assertThat(alone(flow)).isZero();
        traffic.now += 2_000_000;
        assertThat(alone(flow)).isBetween(10, 20);
        group.rates(100_000, 0);
        traffic.arbiter.changed(group);
        assertThat(alone(flow)).as("a ceiling counts bytes across engines").isZero();
    }

    private int alone(TestFlow flow) {
        int times = 0;
        while (times < 1000 && traffic.arbiter.nextAlone(flow)) {
            assertThat(flow.sendsOnePacket()).isTrue();
            traffic.arbiter.charge(flow, 64, 1, 0);
            traffic.arbiter.idle(flow);
            times++;
        }
        return times;
    }

    @Test
    void whatARateLeavesIsForOthers() {
        FlowGroup held = traffic.group(100);
        rate(held, 1_000);
        FlowGroup free = traffic.group(1);
        traffic.flow(held, 1, output, 1_000);
        traffic.flow(free, 1, output, 1_000);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(sent(held)).isBetween(999L, 1_002L);
        assertThat(sent(free)).isGreaterThan(998_000);
        assertThat(free.statistics().held()).isZero();
    }

    @Test
    void theLowerOfCeilingAndRateHolds() {
        FlowGroup group = traffic.group(1);
        group.rates(100_000, 0);
        rate(group, 1_000);
        traffic.flow(group, 1, output, 1_000);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(sent(group)).isBetween(99L, 102L);
        rate(group, 10);
        runUntil(2 * SECOND);
        assertThat(sent(group)).isBetween(108L, 115L);
    }

    @Test
    void aRateThatChangesEveryMillisecondIsKept() {
        FlowGroup group = traffic.group(1);
        rate(group, 100_000);
        traffic.flow(group, 1, output, 64);
        traffic.activateAll();
        for (int i = 1; i <= 1_000; i++) {
            rate(group, (i & 1) == 0 ? 100_000 : 50_000);
            runUntil(i * MILLI);
        }
        assertThat(sent(group)).isBetween(74_000L, 75_400L);
    }

    @Test
    void anotherRateIsSeenWithinAMillisecondAndOneThatIsLiftedAtOnce() {
        FlowGroup group = traffic.group(1);
        rate(group, 1);
        TestFlow flow = traffic.flow(group, 1, output, 1_000);
        traffic.activateAll();
        runUntil(10 * MILLI);
        long before = sent(group);
        rate(group, 100_000);
        runUntil(20 * MILLI);
        assertThat(sent(group) - before).isBetween(890L, 1_101L);
        rate(group, 0);
        traffic.arbiter.expire(traffic.now);
        assertThat(traffic.visit()).isSameAs(flow);
        assertThat(flow.sendsOnePacket()).isFalse();
    }

    @Test
    void whatIsOwedIsOperationsAndNotTime() {
        OperationRate rate = new OperationRate();
        rate.set(10, 0);
        rate.charge(100, 0);
        assertThat(rate.admits(SECOND)).isFalse();
        rate.set(10_000, SECOND);
        assertThat(rate.admits(SECOND)).isFalse();
        assertThat(rate.admits(SECOND + 10 * MILLI)).isTrue();
        rate.set(0, SECOND);
        assertThat(rate.take(5, SECOND)).isEqualTo(5);
        assertThatIllegalArgumentException().isThrownBy(() -> rate.set(-1, 0)).withMessageContaining("-1");
    }
}
