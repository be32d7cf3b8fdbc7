package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class ChunkArbiterTest {
    private static final int MB = 1_000_000;

    private final Traffic traffic = new Traffic();
    private final OutputQueue output = new OutputQueue();

    @Test
    void tenantsOfOneToThreeGetThatWhateverTheySend() {
        for (int swapped = 0; swapped < 2; swapped++) {
            Traffic run = new Traffic();
            TestFlow light = run.flow(run.group(1), 1, output, swapped == 0 ? 64 : 1 << 20);
            TestFlow heavy = run.flow(run.group(3), 1, output, swapped == 0 ? 1 << 20 : 64);
            run.activateAll();
            run.run(2000L * MB);
            assertThat(light.served / (double) run.total).isCloseTo(0.25, within(0.0005));
            assertThat(heavy.served / (double) run.total).isCloseTo(0.75, within(0.0005));
        }
    }

    @Test
    void flowsOfAGroupShareByTheirWeights() {
        FlowGroup group = traffic.group(7);
        int[] weights = {1, 2, 3, 10, 1024};
        for (int weight : weights) {
            traffic.flow(group, weight, output, 64, 5000, 1088, 200);
        }
        traffic.activateAll();
        traffic.run(2000L * MB);
        for (TestFlow flow : traffic.flows) {
            assertThat((double) flow.served)
                    .isCloseTo(traffic.total * flow.weight() / 1040.0, Percentage.withPercentage(0.7));
        }
    }

    @Test
    void anIdleFlowLeavesItsWeightToItsGroup() {
        FlowGroup a = traffic.group(1);
        FlowGroup b = traffic.group(1);
        traffic.flow(a, 3, output, 1000);
        traffic.flow(a, 2, output, 1000); // has no work
        TestFlow other = traffic.flow(b, 5, output, 1000);
        traffic.arbiter.active(traffic.flows.get(0));
        traffic.arbiter.active(other);
        traffic.run(100L * MB);
        assertThat(traffic.served(a)).isCloseTo(traffic.served(b), within(200_000L));
    }

    @Test
    void anIdleGroupIsInNoSum() {
        FlowGroup a = traffic.group(1);
        FlowGroup b = traffic.group(2);
        FlowGroup c = traffic.group(60_000);
        traffic.flow(a, 1, output, 300);
        traffic.flow(b, 1, output, 70_000);
        TestFlow leaves = traffic.flow(c, 1, output, 1000);
        traffic.activateAll();
        while (traffic.serve() != leaves) {
            traffic.arbiter.active(traffic.flows.get(0));
        }
        traffic.arbiter.idle(leaves);
        traffic.flows.forEach(flow -> flow.served = 0);
        traffic.activate(0, 1);
        traffic.run(100L * MB);
        assertThat(2.0 * traffic.served(a)).isCloseTo((double) traffic.served(b), Percentage.withPercentage(0.5));
    }

    @Test
    void whatAVisitOvershootsIsPaidEvenAfterAnIdleTime() {
        TestFlow large = traffic.flow(traffic.group(1), 1, output, 4 * MB);
        TestFlow small = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.activateAll();
        while (traffic.serve() != large) {
            traffic.arbiter.active(small);
        }
        traffic.arbiter.idle(large); // owes nearly 4 MB
        traffic.arbiter.active(large);
        long before = small.served;
        while (traffic.visit() != large) {
            assertThat(small.served - before).isLessThan(5L * MB);
        }
        assertThat(small.served - before).isGreaterThan(3_900_000);
    }

    @Test
    void aDebtIsPaidByStayingAway() {
        TestFlow large = traffic.flow(traffic.group(1), 1, output, 4 * MB);
        TestFlow small = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.activateAll();
        while (traffic.serve() != large) {
            traffic.activate(1, 2);
        }
        traffic.arbiter.idle(large);
        traffic.run(6L * MB); // 3 MB each
        traffic.arbiter.active(large);
        long before = small.served;
        while (traffic.visit() != large) {
            assertThat(small.served - before).isLessThan(5L * MB);
        }
        assertThat(small.served - before).isBetween(800_000L, 1_100_000L);
    }

    @Test
    void aDebtEndsWhenNobodyHasWork() {
        TestFlow large = traffic.flow(traffic.group(1), 1, output, 4 * MB);
        TestFlow small = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.activateAll();
        while (traffic.serve() != large) {
            traffic.arbiter.active(small);
        }
        traffic.arbiter.idle(large);
        assertThat(traffic.serve()).isSameAs(small);
        traffic.arbiter.idle(small);
        assertThat(traffic.arbiter.next()).isNull();
        traffic.activateAll();
        long before = small.served;
        while (traffic.visit() != large) {
            assertThat(small.served - before).isLessThan(100_000);
        }
    }

    @Test
    void whoIsAloneIsNotSlicedAndOwesNobody() {
        TestFlow first = traffic.flow(traffic.group(1), 1, output, 4 * MB);
        TestFlow second = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.arbiter.active(first);
        assertThat(traffic.serve().budget()).isEqualTo(256 * 1024);
        traffic.arbiter.active(first);
        traffic.arbiter.active(second);
        assertThat(traffic.visit()).isSameAs(second);
        assertThat(traffic.visit()).isSameAs(first);
        traffic.arbiter.idle(second);
        assertThat(traffic.arbiter.nextAlone(second)).isFalse();
        traffic.arbiter.idle(traffic.serve());
        assertThat(traffic.arbiter.nextAlone(second)).isTrue();
        assertThat(second.budget()).isEqualTo(256 * 1024);
        traffic.charge(second, 4 * MB);
        traffic.arbiter.active(second);
        traffic.arbiter.active(first);
        assertThat(traffic.visit()).isSameAs(first);
        assertThat(traffic.visit()).isSameAs(second);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoHasWorkNowAndThenWaitsForNobodysTurn(boolean inTheCrowd) {
        FlowGroup crowd = traffic.group(1);
        for (int i = 0; i < 40; i++) {
            traffic.flow(crowd, 1, output, 9000);
        }
        FlowGroup group = inTheCrowd ? crowd : traffic.group(1);
        TestFlow seldom = traffic.flow(group, 1, output, 64).oneAtATime();
        traffic.activateAll();
        while (traffic.serve() != seldom) {
            traffic.activateAll();
        }
        traffic.arbiter.idle(seldom);
        for (int i = 0; i < 100; i++) {
            traffic.run(100_000);
            traffic.arbiter.active(seldom);
            assertThat(traffic.serve()).isSameAs(seldom);
            traffic.arbiter.idle(seldom);
        }
    }

    @Test
    void whoComesAndGoesGetsNoMoreThanItsShare() {
        FlowGroup group = traffic.group(1);
        TestFlow restless = traffic.flow(group, 1, output, 1000).oneAtATime();
        TestFlow steady = traffic.flow(group, 1, output, 1000);
        TestFlow stranger = traffic.flow(traffic.group(1), 1, output, 1000).oneAtATime();
        traffic.activateAll();
        for (long end = 100L * MB; traffic.total < end; ) {
            TestFlow flow = traffic.serve();
            if (flow != steady) {
                traffic.arbiter.idle(flow);
            }
            traffic.arbiter.active(flow);
        }
        assertThat(restless.served / (double) traffic.total).isCloseTo(0.25, within(0.01));
        assertThat(stranger.served / (double) traffic.total).isCloseTo(0.5, within(0.01));
    }

    @Test
    void aFullOutputKeepsTurnAndCredit() {
        TestFlow a = traffic.flow(traffic.group(1), 1, output, 1000);
        TestFlow b = traffic.flow(traffic.group(3), 1, output, 1000);
        traffic.activateAll();
        // Each time there is room for four packets: less than any chunk.
        for (int i = 0; i < 40_000; i++) {
            traffic.arbiter.room(output);
            for (int left = 4; left > 0; ) {
                TestFlow flow = (TestFlow) traffic.arbiter.next();
                assertThat(flow).isNotNull();
                int packets = Math.min(left, (flow.budget() + 999) / 1000);
                flow.served += packets * 1000L;
                traffic.charge(flow, packets * 1000);
                left -= packets;
                if (left == 0) {
                    traffic.arbiter.full(flow);
                } else {
                    traffic.arbiter.active(flow);
                }
            }
            assertThat(traffic.arbiter.hasActive()).isFalse();
            assertThat(traffic.arbiter.next()).isNull();
        }
        assertThat(a.served / (double) traffic.total).isCloseTo(0.25, within(0.001));
        assertThat(b.served / (double) traffic.total).isCloseTo(0.75, within(0.001));
    }

    @Test
    void aFullOutputHoldsUpNoOther() {
        OutputQueue other = new OutputQueue();
        FlowGroup group = traffic.group(1);
        TestFlow here = traffic.flow(group, 1, output, 1000);
        TestFlow there = traffic.flow(group, 1, other, 1000);
        traffic.activateAll();
        while (traffic.serve() != here) {
            traffic.arbiter.active(there);
        }
        traffic.arbiter.full(here);
        long before = here.served;
        traffic.run(10L * MB);
        assertThat(here.served).isEqualTo(before);
        assertThat(here.isScheduled()).isTrue();
        traffic.arbiter.room(output);
        long after = there.served;
        traffic.run(10L * MB);
        assertThat(here.served - before).isCloseTo(there.served - after, within(300_000L));
    }

    @Test
    void whoAFullOutputHasStoppedIsTheNextWhenThereIsRoom() {
        OutputQueue other = new OutputQueue();
        TestFlow here = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.flow(traffic.group(1), 1, other, 1000);
        traffic.flow(traffic.group(1), 1, other, 1000);
        TestFlow beside = traffic.flow(here.group(), 1, other, 1000);
        traffic.activateAll();
        for (int i = 0; i < 100; i++) {
            TestFlow flow = traffic.serve();
            while (flow != here) {
                traffic.arbiter.active(flow);
                flow = traffic.serve();
            }
            traffic.arbiter.full(here);
            traffic.arbiter.idle(beside); // nothing else of its group can be served
            traffic.run(i % 7 * 20_000 + 10_000);
            traffic.arbiter.room(output);
            assertThat(traffic.visit()).as("after stop %d", i).isSameAs(here);
            traffic.arbiter.active(beside);
        }
    }

    @Test
    void aTurnIsAsLongAsTheWeightsOfThoseWithWorkSay() {
        FlowGroup one = traffic.group(1);
        FlowGroup two = traffic.group(3);
        FlowGroup leaves = traffic.group(60_000);
        TestFlow a = traffic.flow(one, 1, output, 1);
        TestFlow b = traffic.flow(two, 1, output, 1);
        TestFlow idle = traffic.flow(leaves, 1, output, 1);
        TestFlow idleHere = traffic.flow(one, 1000, output, 1);
        traffic.activateAll();
        for (int left = 2; left > 0; ) {
            TestFlow flow = traffic.serve();
            if (flow == idle || flow == idleHere) {
                traffic.arbiter.idle(flow);
                left--;
            } else {
                traffic.arbiter.active(flow);
            }
        }
        for (int i = 0; i < 4; i++) {
            traffic.visit(); // the lap under way ends
        }
        for (int i = 0; i < 6; i++) {
            TestFlow flow = traffic.visit();
            assertThat(flow.budget()).isEqualTo(flow == a ? 16 * 1024 : 48 * 1024);
        }
        assertThat(b.served).isGreaterThan(a.served);
    }

    @Test
    void aWeightHoldsFromTheNextVisitOn() {
        FlowGroup a = traffic.group(1);
        FlowGroup b = traffic.group(1);
        TestFlow one = traffic.flow(a, 1, output, 1000);
        TestFlow two = traffic.flow(a, 1, output, 1000);
        traffic.flow(b, 1, output, 1000);
        traffic.activateAll();
        traffic.run(10L * MB);
        a.weight(65_535);
        traffic.arbiter.changed(a);
        two.configure(4, TrafficClass.BULK);
        traffic.arbiter.changed(two, 1, 4, TrafficClass.BULK);
        traffic.flows.forEach(flow -> flow.served = 0);
        traffic.run(1000L * MB);
        assertThat(traffic.served(b)).isBetween(5_000L, 90_000L); // 15 kB
        assertThat(two.served / (double) one.served).isCloseTo(4, within(0.02));
    }

    @Test
    void aFlowThatIsGoneIsInNoList() {
        FlowGroup a = traffic.group(1);
        TestFlow inVisit = traffic.flow(a, 1, output, 64);
        TestFlow waiting = traffic.flow(a, 1, output, 64);
        TestFlow stalled = traffic.flow(traffic.group(2), 1, output, 64);
        OutputQueue free = new OutputQueue();
        TestFlow stays = traffic.flow(traffic.group(1), 1, free, 64);
        traffic.activateAll();
        TestFlow flow = traffic.serve();
        while (flow == stays) {
            traffic.arbiter.active(flow);
            flow = traffic.serve();
        }
        traffic.arbiter.full(flow);
        traffic.run(MB);
        for (TestFlow gone : new TestFlow[] {inVisit, stalled, waiting}) {
            traffic.arbiter.detach(gone);
            traffic.arbiter.detach(gone);
            assertThat(gone.isScheduled()).isFalse();
            traffic.run(MB);
        }
        traffic.arbiter.room(output);
        assertThat(traffic.visit()).isSameAs(stays);
        assertThat(stays.budget()).isEqualTo(256 * 1024);
        assertThat(traffic.serve()).isSameAs(stays);
        traffic.arbiter.detach(stays); // in its visit
        assertThat(traffic.arbiter.hasActive()).isFalse();
        assertThat(traffic.arbiter.next()).isNull();
    }

    @Test
    void aFlowThatMovesTakesItsWorkAlong() {
        OutputQueue other = new OutputQueue();
        TestFlow flow = traffic.flow(traffic.group(1), 1, null, 64);
        TestFlow peer = traffic.flow(flow.group(), 1, output, 64);
        traffic.activateAll();
        traffic.arbiter.attach(flow, other);
        assertThat(flow.output()).isSameAs(other);
        assertThat(flow.isScheduled()).isTrue();
        while (traffic.serve() != peer) {
            traffic.arbiter.active(flow);
        }
        traffic.arbiter.full(peer);
        assertThat(traffic.serve()).isSameAs(flow);
        traffic.arbiter.full(flow);
        assertThat(traffic.arbiter.hasActive()).isFalse();
        traffic.arbiter.room(other);
        assertThat(traffic.visit()).isSameAs(flow);
    }
}
