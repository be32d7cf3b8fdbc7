package io.verbena.nic.arbiter.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.baseline.Wire.TestFlow;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Groups share equally, and flows within them, whatever they send and however little room there is. */
@Timeout(180)
class DeficitRoundRobinTest {
    private static final int QUANTUM = 16 * 1024;

    private final Arbiter arbiter =
            new DeficitRoundRobin(ArbiterSettings.defaults().withQuantum(QUANTUM), 0);
    private final Wire wire = new Wire(arbiter, 1024, 58);
    private final FlowGroup a = new FlowGroup(3, 1, 1);
    private final FlowGroup b = new FlowGroup(200, 7, 1);
    private final OutputQueue output = new OutputQueue();

    @Test
    void equalGroupsGetEqualBytes() {
        TestFlow one = wire.flow(a, 1, 64, output);
        TestFlow other = wire.flow(b, 1, 1 << 20, output);
        TestFlow third = wire.flow(b, 9, 1500, output);
        wire.run(50_000_000);
        assertThat(wire.share(one)).isCloseTo(0.5, within(0.001));
        assertThat(wire.share(other)).isCloseTo(0.25, within(0.001));
        assertThat(wire.share(third)).isCloseTo(0.25, within(0.001));
    }

    /**
     * An output that has room for a part of a quantum at a time serves one flow after the other, not the same for ever.
     */
    @Test
    void littleRoomGoesInTurnToo() {
        TestFlow one = wire.flow(a, 1, 64, output);
        TestFlow other = wire.flow(a, 1, 1 << 20, output);
        TestFlow third = wire.flow(b, 1, 1 << 20, output);
        Random random = new Random(1);
        while (wire.total < 50_000_000) {
            int room = 2_000 + random.nextInt(4_000);
            for (Flow next = arbiter.next(); next != null; next = arbiter.next()) {
                TestFlow flow = (TestFlow) next;
                int sent = wire.send(flow, room);
                room -= sent;
                if (sent < flow.budget()) {
                    arbiter.full(flow);
                } else {
                    arbiter.active(flow);
                }
            }
            arbiter.room(output);
        }
        assertThat(wire.share(one)).isCloseTo(0.25, within(0.002));
        assertThat(wire.share(other)).isCloseTo(0.25, within(0.002));
        assertThat(wire.share(third)).isCloseTo(0.5, within(0.002));
    }

    @Test
    void whatAFlowOwesItPays() {
        TestFlow one = wire.flow(a, 1, 64, output);
        TestFlow other = wire.flow(b, 1, 64, output);
        assertThat(arbiter.next()).isSameAs(one);
        arbiter.charge(one, 10 * QUANTUM, 1, 0); // could not be sliced
        arbiter.active(one);
        int visits = 0;
        while (wire.visit() == other) {
            visits++;
        }
        assertThat(visits).isBetween(9, 10);
    }

    @Test
    void whoeverIsAloneIsNotSliced() {
        TestFlow one = wire.flow(a, 1, 64, output);
        assertThat(arbiter.next()).isSameAs(one);
        assertThat(one.budget()).isEqualTo(ArbiterSettings.defaults().aloneBudget());
        arbiter.full(one);
        wire.flow(b, 1, 64, output);
        arbiter.room(output);
        assertThat(arbiter.next()).isSameAs(one);
        assertThat(one.budget()).isEqualTo(QUANTUM);
    }
}
