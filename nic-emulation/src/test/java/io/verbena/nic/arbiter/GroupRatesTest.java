package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** On a link of a gigabyte a second: a nanosecond a byte. */
@Timeout(180)
class GroupRatesTest {
    private static final long MB = 1_000_000;
    private static final long SECOND = 1_000_000_000;

    private final Traffic traffic = new Traffic();
    private final OutputQueue output = new OutputQueue();

    private void runUntil(long nanos) {
        while (traffic.now < nanos) {
            if (traffic.arbiter.nextDeadlineNanos() <= traffic.now) {
                traffic.arbiter.expire(traffic.now);
            }
            TestFlow flow = (TestFlow) traffic.arbiter.next();
            if (flow != null) {
                long before = traffic.total;
                traffic.charge(flow, flow.send(flow.budget()));
                traffic.arbiter.active(flow);
                traffic.now += traffic.total - before;
            } else {
                assertThat(traffic.arbiter.hasActive()).isFalse();
                assertThat(traffic.arbiter.nextDeadlineNanos()).isBetween(traffic.now + 1, traffic.now + SECOND);
                traffic.now = traffic.arbiter.nextDeadlineNanos();
            }
        }
    }

    /** What it has saved up, and what it may have on top at the price of waiting. */
    private void spendTokens() {
        traffic.visit();
        traffic.visit();
        assertThat(traffic.arbiter.next()).isNull();
    }

    @Test
    void aGroupAloneKeepsToItsCeiling() {
        FlowGroup group = traffic.group(1);
        group.rates(100 * MB, 0);
        TestFlow flow = traffic.flow(group, 1, output, 1000);
        assertThat(traffic.arbiter.nextAlone(flow)).isFalse();
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(flow.served / 100e6).isCloseTo(1, within(0.01));
    }

    @Test
    void whatACeilingLeavesIsForOthers() {
        FlowGroup limited = traffic.group(10);
        limited.rates(100 * MB, 0);
        FlowGroup other = traffic.group(1);
        traffic.flow(limited, 1, output, 64);
        traffic.flow(limited, 1, new OutputQueue(), 5000);
        traffic.flow(other, 1, output, 100_000);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(traffic.served(limited) / 100e6).isCloseTo(1, within(0.01));
        assertThat(traffic.served(other) / 900e6).isCloseTo(1, within(0.01));
    }

    @Test
    void aCeilingAboveTheShareChangesNothing() {
        FlowGroup limited = traffic.group(1);
        limited.rates(900 * MB, 0);
        FlowGroup other = traffic.group(3);
        traffic.flow(limited, 1, output, 64);
        traffic.flow(other, 1, output, 10_000);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(traffic.served(limited) / 250e6).isCloseTo(1, within(0.01));
    }

    @Test
    void aCeilingThatIsLiftedHoldsNobodyBack() {
        FlowGroup group = traffic.group(1);
        group.rates(1000, 0); // a byte each millisecond
        TestFlow flow = traffic.flow(group, 1, output, 1 << 20);
        traffic.activateAll();
        spendTokens();
        assertThat(traffic.arbiter.hasActive()).isFalse();
        group.rates(0, 0);
        traffic.arbiter.changed(group);
        traffic.arbiter.expire(traffic.now);
        assertThat(traffic.visit()).isSameAs(flow);
        assertThat(traffic.visit()).isSameAs(flow);
    }

    @Test
    void flowsComeAndGoWhileTheirGroupIsParked() {
        FlowGroup group = traffic.group(1);
        group.rates(MB, 0);
        TestFlow first = traffic.flow(group, 1, output, 1 << 20);
        TestFlow second = traffic.flow(group, 1, output, 1000);
        TestFlow third = traffic.flow(group, 1, new OutputQueue(), 1000);
        traffic.arbiter.active(first);
        spendTokens();
        traffic.arbiter.active(second);
        traffic.arbiter.active(third);
        assertThat(traffic.arbiter.hasActive()).isFalse();
        traffic.arbiter.idle(first);
        traffic.arbiter.detach(third);
        traffic.now = 20 * SECOND;
        traffic.arbiter.expire(traffic.now);
        assertThat(traffic.serve()).isSameAs(second);
        traffic.arbiter.idle(second);
        assertThat(traffic.arbiter.hasActive()).isFalse();
        assertThat(traffic.arbiter.next()).isNull();
    }

    @Test
    void aGroupThatWasParkedOutOfItsTurnWaitsForIt() {
        TestFlow one = traffic.flow(traffic.group(1), 1, output, 1000);
        TestFlow two = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.activateAll();
        traffic.run(MB);
        FlowGroup limited = traffic.group(1);
        limited.rates(MB, 0);
        TestFlow bulk = traffic.flow(limited, 1, output, 1000);
        TestFlow urgent = new TestFlow(limited, 1, 3000);
        urgent.configure(1, TrafficClass.URGENT);
        traffic.arbiter.attach(urgent, output);
        traffic.arbiter.active(bulk);
        traffic.arbiter.active(urgent);
        assertThat(traffic.visit()).isSameAs(urgent);
        assertThat(traffic.visit()).isSameAs(urgent);
        TestFlow next = traffic.visit(); // its urgent flow would be early, but it is above its ceiling
        assertThat(next).isIn(one, two);
        traffic.arbiter.idle(urgent);
        traffic.now += 10 * MB;
        traffic.arbiter.expire(traffic.now);
        TestFlow after = traffic.visit();
        while (after == next) {
            after = traffic.visit();
        }
        assertThat(after).isSameAs(next == one ? two : one);
        while (after != bulk) {
            after = traffic.visit();
        }
    }

    @Test
    void aParkedGroupThatHasNoWorkLeftIsForgotten() {
        FlowGroup group = traffic.group(1);
        group.rates(MB, 0);
        TestFlow flow = traffic.flow(group, 1, output, 1 << 20);
        traffic.arbiter.active(flow);
        spendTokens();
        traffic.arbiter.detach(flow);
        assertThat(traffic.arbiter.nextDeadlineNanos()).isEqualTo(Long.MAX_VALUE);
        TestFlow other = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.arbiter.active(other);
        assertThat(traffic.visit()).isSameAs(other);
    }

    @Test
    void aFloorComesBeforeWeights() {
        FlowGroup small = traffic.group(1);
        small.rates(0, 300 * MB);
        FlowGroup large = traffic.group(999);
        traffic.flow(small, 1, output, 1000);
        traffic.flow(large, 1, output, 1000);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(traffic.served(small) / 300e6).isCloseTo(1, within(0.02));
        small.rates(0, 0);
        traffic.arbiter.changed(small);
        long before = traffic.served(small);
        runUntil(2 * SECOND);
        assertThat(traffic.served(small) - before).isLessThan(2 * MB);
    }

    @Test
    void aFloorBelowTheShareChangesNothing() {
        FlowGroup one = traffic.group(1);
        one.rates(0, 100 * MB);
        FlowGroup two = traffic.group(1);
        traffic.flow(one, 1, output, 1000);
        traffic.flow(two, 1, output, 1000);
        traffic.activateAll();
        runUntil(SECOND);
        assertThat(traffic.served(one) / 500e6).isCloseTo(1, within(0.01));
    }
}
