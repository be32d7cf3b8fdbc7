package io.verbena.nic.arbiter.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.arbiter.baseline.Wire.TestFlow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A packet of each in turn, and what all disciplines with queues of flows do where outputs are full. */
@Timeout(180)
class PacketRoundRobinTest {
    private final Arbiter arbiter = new PacketRoundRobin(ArbiterSettings.defaults(), 0);
    private final FlowGroup group = new FlowGroup(0, 1, 1);
    private final OutputQueue output = new OutputQueue();

    /** What figure 2 of Palos computes: MTU / (MTU + 16 x min(size, MTU)). */
    @ParameterizedTest
    @CsvSource({
        "1024, 64, 0.5",
        "1024, 256, 0.2",
        "1024, 1024, 0.05882",
        "1500, 64, 0.5943",
        "1500, 256, 0.2681",
        "1500, 1024, 0.08389",
        "4096, 64, 0.8",
        "4096, 256, 0.5",
        "4096, 1024, 0.2",
        "4096, 4096, 0.05882"
    })
    void whoSendsLongPacketsGetsMore(int mtu, int small, double large) {
        Wire wire = new Wire(arbiter, mtu, 0);
        for (int i = 0; i < 16; i++) {
            wire.flow(group, 1, small, output);
        }
        TestFlow flow = wire.flow(group, 1, 1500 * 4096, output);
        wire.run(50_000_000);
        assertThat(wire.share(flow)).isCloseTo(large, within(0.001));
    }

    @Test
    void groupsAndWeightsAreNotLookedAt() {
        Wire wire = new Wire(arbiter, 1024, 0);
        TestFlow heavy = wire.flow(new FlowGroup(1, 100, 1), 50, 1024, output);
        wire.flow(group, 1, 1024, output);
        wire.flow(group, 1, 1024, output);
        arbiter.changed(heavy, 50, 500, TrafficClass.URGENT);
        wire.run(3 * 1024 * 1000);
        assertThat(wire.share(heavy)).isCloseTo(1 / 3.0, within(0.001));
    }

    @Test
    void flowsBehindAFullOutputArePassedOverAndComeBackInOrder() {
        Wire wire = new Wire(arbiter, 1024, 0);
        OutputQueue other = new OutputQueue();
        TestFlow a = wire.flow(group, 1, 1024, output);
        TestFlow b = wire.flow(group, 1, 1024, output);
        TestFlow c = wire.flow(group, 1, 1024, other);
        TestFlow d = wire.flow(group, 1, 1024, output);
        assertThat(arbiter.next()).isSameAs(a);
        arbiter.charge(a, 0, 0, 0);
        arbiter.full(a);
        assertThat(output.isFull()).isTrue();
        for (int i = 0; i < 3; i++) {
            assertThat(wire.visit()).isSameAs(c);
        }
        arbiter.room(output);
        List<Flow> order = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            order.add(wire.visit());
        }
        assertThat(order).containsExactly(a, b, d, c);
    }

    @Test
    void nobodyIsServedWhileTheOnlyOutputIsFull() {
        Wire wire = new Wire(arbiter, 1024, 0);
        TestFlow a = wire.flow(group, 1, 1024, output);
        TestFlow b = wire.flow(group, 1, 1024, output);
        assertThat(arbiter.next()).isSameAs(a);
        arbiter.full(a);
        assertThat(arbiter.hasActive()).isFalse();
        assertThat(arbiter.next()).isNull();
        TestFlow late = wire.flow(group, 1, 1024, output);
        assertThat(arbiter.hasActive()).isFalse();
        assertThat(arbiter.nextAlone(late)).isFalse();
        arbiter.room(output);
        assertThat(arbiter.hasActive()).isTrue();
        assertThat(wire.visit()).isSameAs(a);
        assertThat(wire.visit()).isSameAs(b);
        assertThat(wire.visit()).isSameAs(late);
    }

    @Test
    void detachedFlowsAreGoneWhereverTheyStood() {
        Wire wire = new Wire(arbiter, 1024, 0);
        OutputQueue other = new OutputQueue();
        TestFlow a = wire.flow(group, 1, 1024, output);
        TestFlow b = wire.flow(group, 1, 1024, output);
        TestFlow c = wire.flow(group, 1, 1024, other);
        assertThat(arbiter.next()).isSameAs(a);
        arbiter.full(a);
        assertThat(wire.visit()).isSameAs(c); // a and b were met and stand aside
        arbiter.detach(a);
        arbiter.detach(c);
        assertThat(arbiter.hasActive()).isFalse();
        arbiter.room(output);
        assertThat(wire.visit()).isSameAs(b);
        assertThat(wire.visit()).isSameAs(b);
        arbiter.detach(b);
        arbiter.detach(b);
        assertThat(arbiter.hasActive()).isFalse();
        assertThat(arbiter.next()).isNull();
        arbiter.attach(a, output);
        assertThat(arbiter.nextAlone(a)).isTrue();
    }

    @Test
    void aFlowMovesToAnotherOutputWithItsWork() {
        Wire wire = new Wire(arbiter, 1024, 0);
        TestFlow a = wire.flow(group, 1, 1024, output);
        assertThat(arbiter.next()).isSameAs(a);
        arbiter.full(a);
        assertThat(arbiter.hasActive()).isFalse();
        arbiter.attach(a, new OutputQueue());
        assertThat(wire.visit()).isSameAs(a);
        arbiter.room(output);
        assertThat(wire.visit()).isSameAs(a);
    }

    @Test
    void aFlowIsAloneWhileNoOtherHasWork() {
        Wire wire = new Wire(arbiter, 1024, 0);
        TestFlow a = wire.attached(group, 1, 1024, output);
        assertThat(arbiter.nextAlone(a)).isTrue();
        assertThat(wire.send(a, Integer.MAX_VALUE)).isEqualTo(1024);
        arbiter.active(a);
        TestFlow b = wire.attached(group, 1, 1024, null);
        assertThat(arbiter.nextAlone(b)).isFalse();
        assertThat(arbiter.next()).isSameAs(a);
        arbiter.idle(a);
        assertThat(arbiter.nextAlone(b)).isTrue();
        assertThat(b.budget()).isEqualTo(ArbiterSettings.defaults().aloneBudget());
    }

    @Test
    void whatIsSentIsCounted() {
        Wire wire = new Wire(arbiter, 1024, 10);
        TestFlow a = wire.flow(group, 1, 2048, output);
        wire.visit();
        wire.visit();
        assertThat(a.statistics().bytes()).isEqualTo(2 * 1034);
        assertThat(a.statistics().messages()).isEqualTo(1);
        assertThat(a.statistics().visits()).isEqualTo(2);
        assertThat(group.statistics().bytes()).isEqualTo(2 * 1034);
    }
}
