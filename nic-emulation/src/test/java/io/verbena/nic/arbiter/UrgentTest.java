package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class UrgentTest {
    private static final int MB = 1_000_000;
    private static final int WINDOW = 16 * 1024;
    private static final int BURST = 64 * 1024;

    private final Traffic traffic = new Traffic();
    private final OutputQueue output = new OutputQueue();

    private TestFlow urgent(FlowGroup group, int... sizes) {
        TestFlow flow = new TestFlow(group, 1, sizes);
        flow.configure(1, TrafficClass.URGENT);
        traffic.flows.add(flow);
        traffic.arbiter.attach(flow, output);
        return flow;
    }

    @Test
    void itIsServedAfterTheVisitUnderWay() {
        for (int i = 0; i < 8; i++) {
            traffic.flow(traffic.group(1), 1, output, 1 << 10);
        }
        TestFlow ping = urgent(traffic.group(1), 64).oneAtATime();
        traffic.activateAll();
        for (int i = 0; i < 1000; i++) {
            traffic.arbiter.active(ping);
            assertThat(traffic.serve()).isSameAs(ping);
            traffic.arbiter.idle(ping);
            TestFlow flood = traffic.visit();
            assertThat(flood).isNotSameAs(ping);
            assertThat(flood.budget()).isLessThanOrEqualTo(WINDOW);
        }
    }

    @Test
    void visitsAreShortOnlyWhileThereAreUrgentFlows() {
        TestFlow bulk = traffic.flow(traffic.group(1), 1, output, 1 << 20);
        TestFlow ping = urgent(traffic.group(1), 64);
        assertThat(output.bulkWindow()).isEqualTo(WINDOW);
        traffic.arbiter.active(bulk);
        assertThat(traffic.visit().budget()).isEqualTo(WINDOW);
        ping.configure(1, TrafficClass.BULK);
        traffic.arbiter.changed(ping, 1, 1, TrafficClass.BULK);
        assertThat(output.bulkWindow()).isEqualTo(Integer.MAX_VALUE);
        assertThat(traffic.visit().budget()).isEqualTo(256 * 1024);
        ping.configure(1, TrafficClass.URGENT);
        traffic.arbiter.changed(ping, 1, 1, TrafficClass.URGENT);
        assertThat(traffic.visit().budget()).isEqualTo(WINDOW);
        traffic.arbiter.detach(ping);
        assertThat(output.bulkWindow()).isEqualTo(Integer.MAX_VALUE);
        assertThat(traffic.visit().budget()).isEqualTo(256 * 1024);
    }

    @Test
    void whoMarksEverythingUrgentGetsItsShareAndNoMore() {
        FlowGroup all = traffic.group(1);
        FlowGroup none = traffic.group(3);
        urgent(all, 64);
        urgent(all, 4096);
        traffic.flow(none, 1, output, 1 << 20);
        traffic.activateAll();
        traffic.run(2000L * MB);
        assertThat(traffic.served(all) / (double) traffic.total).isCloseTo(0.25, within(0.001));
        assertThat(all.statistics().demoted()).isPositive();
    }

    @Test
    void theOnlyGroupWithWorkOwesNothingForUrgency() {
        FlowGroup first = traffic.group(1);
        FlowGroup second = traffic.group(1);
        TestFlow ping = urgent(first, 64);
        TestFlow pong = urgent(first, 64);
        TestFlow bulk = traffic.flow(second, 1, output, 1000);
        traffic.arbiter.active(ping);
        traffic.arbiter.active(pong);
        traffic.run(10L * MB);
        assertThat(first.statistics().demoted()).isZero();
        traffic.arbiter.active(bulk);
        TestFlow next = traffic.visit();
        assertThat(next.group()).isSameAs(first);
    }

    @Test
    void theAdvanceOfOthersIsAllThatAnUrgentFlowWaitsFor() {
        FlowGroup greedy = traffic.group(1);
        for (int i = 0; i < 100; i++) {
            urgent(greedy, 4096);
        }
        TestFlow ping = urgent(traffic.group(1), 64).oneAtATime();
        traffic.flow(traffic.group(1), 1, output, 1 << 20);
        traffic.activateAll();
        traffic.arbiter.idle(ping);
        for (int i = 0; i < 2000; i++) {
            traffic.arbiter.active(ping);
            long before = traffic.served(greedy);
            while (traffic.serve() != ping) {
                traffic.activateAll();
            }
            assertThat(traffic.served(greedy) - before).isLessThanOrEqualTo(BURST + WINDOW);
            traffic.arbiter.idle(ping);
            traffic.run(1 << 20);
        }
    }

    @Test
    void anOutputFullForBulkTakesUrgentPackets() {
        TestFlow bulk = traffic.flow(traffic.group(1), 1, output, 1000);
        TestFlow ping = urgent(bulk.group(), 64);
        traffic.arbiter.active(bulk);
        assertThat(traffic.serve()).isSameAs(bulk);
        traffic.arbiter.full(bulk);
        assertThat(traffic.arbiter.hasActive()).isFalse();
        traffic.arbiter.active(ping);
        assertThat(traffic.arbiter.hasActive()).isTrue();
        assertThat(traffic.serve()).isSameAs(ping);
        traffic.arbiter.full(ping);
        assertThat(traffic.arbiter.hasActive()).isFalse();
        assertThat(traffic.arbiter.next()).isNull();
        traffic.arbiter.room(output);
        assertThat(traffic.serve()).isSameAs(ping);
        traffic.arbiter.idle(ping);
        assertThat(traffic.visit()).isSameAs(bulk);
    }

    @Test
    void anUrgentFlowBehindAFullOutputHoldsUpNoOther() {
        OutputQueue other = new OutputQueue();
        TestFlow stuck = urgent(traffic.group(1), 64);
        TestFlow free = new TestFlow(stuck.group(), 1, 64);
        free.configure(1, TrafficClass.URGENT);
        traffic.arbiter.attach(free, other);
        traffic.arbiter.active(stuck);
        traffic.arbiter.active(free);
        while (traffic.serve() != stuck) {
            traffic.arbiter.active(free);
        }
        traffic.arbiter.full(stuck);
        for (int i = 0; i < 10; i++) {
            assertThat(traffic.visit()).isSameAs(free);
        }
        traffic.arbiter.idle(traffic.serve());
        assertThat(traffic.arbiter.hasActive()).isFalse();
        traffic.arbiter.room(output);
        assertThat(traffic.visit()).isSameAs(stuck);
        traffic.arbiter.detach(stuck);
        assertThat(traffic.arbiter.next()).isNull();
    }

    @Test
    void whoHasHadItsAdvanceGoesOnInItsTurnAlthoughBulkWaitsForRoom() {
        OutputQueue free = new OutputQueue();
        FlowGroup greedy = traffic.group(1);
        TestFlow flood = urgent(greedy, 4096);
        TestFlow bulk = traffic.flow(traffic.group(1), 1, free, 1000);
        TestFlow stuck = traffic.flow(traffic.group(1), 1, output, 1000);
        traffic.arbiter.active(stuck);
        assertThat(traffic.serve()).isSameAs(stuck);
        traffic.arbiter.full(stuck); // the window that is left to urgent packets is open still
        traffic.arbiter.active(flood);
        traffic.arbiter.active(bulk);
        long demoted = greedy.statistics().demoted();
        traffic.run(20L * MB);
        assertThat(greedy.statistics().demoted()).isGreaterThan(demoted);
        assertThat(flood.served / (double) bulk.served).isCloseTo(1, within(0.02));
    }

    @Test
    void aFlowThatWaitsChangesItsClass() {
        TestFlow bulk = traffic.flow(traffic.group(1), 1, output, 1 << 20);
        TestFlow changes = traffic.flow(traffic.group(1), 1, output, 64);
        traffic.activateAll();
        assertThat(traffic.visit()).isSameAs(bulk);
        assertThat(traffic.visit()).isSameAs(changes);
        changes.configure(5, TrafficClass.URGENT);
        traffic.arbiter.changed(changes, 1, 5, TrafficClass.URGENT);
        for (int i = 0; i < 4; i++) {
            assertThat(traffic.visit()).isSameAs(changes);
        }
        traffic.run(100L * MB);
        assertThat(changes.served / (double) traffic.total).isCloseTo(0.5, within(0.02));
    }
}
