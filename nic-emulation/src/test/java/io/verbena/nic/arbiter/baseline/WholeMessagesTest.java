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

/** A message of each in turn. */
@Timeout(180)
class WholeMessagesTest {
    private final Arbiter arbiter = new WholeMessages(ArbiterSettings.defaults(), 0);
    private final FlowGroup group = new FlowGroup(0, 1, 1);
    private final OutputQueue output = new OutputQueue();
    private final Wire wire = new Wire(arbiter, 1024, 0);

    @Test
    void aMessageIsSentToItsEnd() {
        TestFlow large = wire.flow(group, 1, 3 * 1024, output);
        TestFlow small = wire.flow(group, 1, 100, output);
        List<Flow> order = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            order.add(wire.visit());
        }
        assertThat(order).containsExactly(large, large, large, small, large, large, large, small);
    }

    @Test
    void sharesGoByTheLengthOfMessages() {
        TestFlow large = wire.flow(group, 1, 1 << 20, output);
        TestFlow small = wire.flow(group, 1, 1024, output);
        wire.run(50 * ((1 << 20) + 1024));
        assertThat(large.messages).isEqualTo(small.messages).isEqualTo(50);
        assertThat(wire.share(large)).isCloseTo(1024.0 / 1025, within(1e-9));
    }

    @Test
    void whoMeetsAFullOutputKeepsItsTurnAndWhoIsBlockedDoesNot() {
        TestFlow a = wire.flow(group, 1, 3 * 1024, output);
        TestFlow b = wire.flow(group, 1, 100, output);
        assertThat(wire.visit()).isSameAs(a);
        assertThat(arbiter.next()).isSameAs(a);
        arbiter.charge(a, 0, 0, 0);
        arbiter.full(a);
        arbiter.room(output);
        assertThat(wire.visit()).isSameAs(a);
        assertThat(arbiter.next()).isSameAs(a);
        arbiter.charge(a, 0, 0, 0);
        arbiter.blocked(a);
        assertThat(wire.visit()).isSameAs(b);
        arbiter.active(a);
        assertThat(wire.visit()).isSameAs(b);
        assertThat(wire.visit()).isSameAs(a);
    }

    @Test
    void strictFlowsComeFirstButNotIntoAMessage() {
        TestFlow large = wire.flow(group, 1, 3 * 1024, output);
        TestFlow other = wire.flow(group, 1, 100, output);
        assertThat(wire.visit()).isSameAs(large);
        TestFlow strict = wire.attached(group, 1, 2 * 1024, output);
        strict.configure(1, TrafficClass.URGENT);
        arbiter.active(strict);
        List<Flow> order = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            order.add(wire.visit());
        }
        assertThat(order).containsExactly(large, large, strict, strict, strict, strict);
        assertThat(other.messages).isZero();
    }
}
