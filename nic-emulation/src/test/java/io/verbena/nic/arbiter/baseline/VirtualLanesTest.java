package io.verbena.nic.arbiter.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.baseline.Wire.TestFlow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lanes by weight, packets in turn in each. */
@Timeout(180)
class VirtualLanesTest {
    private final VirtualLanes arbiter = new VirtualLanes(ArbiterSettings.defaults(), 0);
    private final Wire wire = new Wire(arbiter, 1024, 0);
    private final OutputQueue output = new OutputQueue();

    @Test
    void lanesShareByWeight() {
        TestFlow one = wire.flow(new FlowGroup(1, 1, 1), 1, 64, output);
        TestFlow three = wire.flow(new FlowGroup(2, 3, 1), 1, 1 << 20, output);
        wire.run(50_000_000);
        assertThat(wire.share(one)).isCloseTo(0.25, within(0.01));
        assertThat(wire.share(three)).isCloseTo(0.75, within(0.01));
    }

    @Test
    void aPacketCountsInWholeUnits() {
        TestFlow odd = wire.flow(new FlowGroup(1, 1, 1), 1, 65, output);
        TestFlow even = wire.flow(new FlowGroup(2, 1, 1), 1, 128, output);
        wire.run(10_000_000);
        assertThat(odd.messages / (double) even.messages).isCloseTo(1, within(0.01)); // two units each
    }

    @Test
    void aLaneTurnsAsSoonAsOthersHaveNothing() {
        TestFlow alone = wire.flow(new FlowGroup(6, 1, 1), 1, 64, output);
        wire.attached(new FlowGroup(2, 65_535, 1), 1, 64, output);
        wire.run(1_000_000);
        assertThat(alone.bytes).isGreaterThanOrEqualTo(1_000_000);
    }

    @Test
    void inALanePacketsAreInTurnWhateverGroup() {
        TestFlow small = wire.flow(new FlowGroup(1, 1, 1), 1, 64, output);
        TestFlow large = wire.flow(new FlowGroup(9, 100, 1), 1, 1024, output);
        wire.run(10_000_000);
        assertThat(wire.share(small)).isCloseTo(64.0 / (64 + 1024), within(0.001));
        assertThat(wire.share(large)).isCloseTo(1024.0 / (64 + 1024), within(0.001));
    }

    @Test
    void aWeightCountsFromTheNextTurnAndAnEmptyGroupNotAtAll() {
        FlowGroup first = new FlowGroup(1, 1, 1);
        FlowGroup ninth = new FlowGroup(9, 1, 1);
        TestFlow a = wire.flow(first, 1, 64, output);
        TestFlow b = wire.flow(new FlowGroup(2, 1, 1), 1, 64, output);
        TestFlow c = wire.flow(ninth, 1, 64, output);
        wire.run(10_000_000);
        assertThat(wire.share(b)).isCloseTo(1 / 3.0, within(0.01)); // the other lane has two groups
        arbiter.detach(c);
        first.weight(4);
        arbiter.changed(first);
        wire.total = 0;
        a.bytes = 0;
        b.bytes = 0;
        wire.run(10_000_000);
        assertThat(wire.share(a)).isCloseTo(0.8, within(0.01));
    }
}
