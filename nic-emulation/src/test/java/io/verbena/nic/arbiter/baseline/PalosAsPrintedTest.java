package io.verbena.nic.arbiter.baseline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.arbiter.baseline.Wire.TestFlow;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Palos does what its paper prints, with what that costs. */
@Timeout(180)
class PalosAsPrintedTest {
    private static final int[] MIXED = {64, 1000, 256, 5000, 512, 1500, 2048};

    private final OutputQueue output = new OutputQueue();

    private static PalosAsPrinted arbiter(int chunkTotal) {
        return new PalosAsPrinted(ArbiterSettings.defaults().withChunkTotal(chunkTotal), 0);
    }

    /** Sixteen groups of weights 10 to 25 with flows of weights 2 and 3, as in figure 10. */
    private List<TestFlow> levels(Wire wire, int... sizes) {
        List<TestFlow> flows = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            FlowGroup group = new FlowGroup(i, 10 + i, 1);
            flows.add(wire.flow(group, 2, sizes[2 * i % sizes.length], output));
            flows.add(wire.flow(group, 3, sizes[(2 * i + 1) % sizes.length], output));
        }
        return flows;
    }

    /** Farthest that a flow's share is from (1), relative. */
    private static double farthest(Wire wire, List<TestFlow> flows) {
        double farthest = 0;
        for (int i = 0; i < flows.size(); i++) {
            double due = (10 + i / 2) / 280.0 * (2 + i % 2) / 5;
            farthest = Math.max(farthest, Math.abs(wire.share(flows.get(i)) / due - 1));
        }
        return farthest;
    }

    @Test
    void chunksAreThoseOfEquationTwo() {
        PalosAsPrinted arbiter = arbiter(0);
        List<TestFlow> flows = levels(new Wire(arbiter, 1024, 0), 64);
        assertThat(arbiter.chunk(flows.get(0))).isEqualTo(685); // 685.7 of N = 48,000
        assertThat(arbiter.chunk(flows.get(31))).isEqualTo(2571);
    }

    @Test
    void sharesAreThoseOfEquationOneWhereChunksAreWholePackets() {
        PalosAsPrinted arbiter = arbiter(28_000 * 64); // 1 of 280 of weight, 1 of 5: a whole number of packets each
        Wire wire = new Wire(arbiter, 64, 0);
        List<TestFlow> flows = levels(wire, 64);
        wire.run(20L * 28_000 * 64);
        assertThat(farthest(wire, flows)).isLessThan(0.001);
    }

    @Test
    void whatIsSentBeyondAChunkIsNotPaidFor() {
        Wire small = new Wire(arbiter(0), 1024, 0);
        List<TestFlow> flows = levels(small, 64);
        small.run(20_000_000);
        assertThat(farthest(small, flows)).isBetween(0.01, 0.08);
        Wire mixed = new Wire(arbiter(0), 1024, 0);
        List<TestFlow> others = levels(mixed, MIXED);
        mixed.run(20_000_000);
        assertThat(farthest(mixed, others)).isGreaterThan(0.2);
    }

    @Test
    void visitThatAWindowCutsShortGoesOnWithTheRestOfItsChunk() {
        PalosAsPrinted arbiter = arbiter(12_000);
        Wire wire = new Wire(arbiter, 1000, 0);
        TestFlow one = wire.flow(new FlowGroup(0, 1, 1), 1, 1000, output);
        TestFlow other = wire.flow(new FlowGroup(1, 1, 1), 1, 1000, output);
        assertThat(arbiter.next()).isSameAs(one);
        wire.send(one, 2000);
        arbiter.active(one);
        assertThat(arbiter.next()).isSameAs(one);
        assertThat(one.budget()).isEqualTo(4000);
        wire.send(one, 4000);
        arbiter.active(one);
        assertThat(arbiter.next()).isSameAs(other);
        wire.send(other, 1000);
        arbiter.idle(other); // what was left is not kept
        arbiter.active(other);
        assertThat(arbiter.next()).isSameAs(one);
        assertThat(one.budget()).isEqualTo(6000);
    }

    @Test
    void anIdleFlowStaysInTheSumOfWeights() {
        PalosAsPrinted arbiter = arbiter(1 << 20);
        Wire wire = new Wire(arbiter, 64, 0);
        FlowGroup a = new FlowGroup(0, 1, 1);
        FlowGroup b = new FlowGroup(1, 1, 1);
        TestFlow idle = wire.attached(a, 2, 64, output);
        TestFlow active = wire.flow(a, 3, 64, output);
        wire.flow(b, 2, 64, output);
        wire.flow(b, 3, 64, output);
        wire.run(100L << 20);
        assertThat(wire.share(active)).isCloseTo(0.375, within(0.001));
        arbiter.detach(idle); // what is gone is in no sum
        wire.total = 0;
        wire.flows.forEach(flow -> flow.bytes = 0);
        wire.run(100L << 20);
        assertThat(wire.share(active)).isCloseTo(0.5, within(0.001));
    }

    @Test
    void weightsChangeTheNextChunk() {
        PalosAsPrinted arbiter = arbiter(12_000);
        Wire wire = new Wire(arbiter, 1024, 0);
        FlowGroup a = new FlowGroup(3, 1, 1);
        FlowGroup b = new FlowGroup(5, 1, 1);
        TestFlow one = wire.flow(a, 1, 64, output);
        TestFlow other = wire.flow(b, 1, 64, output);
        assertThat(arbiter.chunk(one)).isEqualTo(6_000);
        b.weight(2);
        arbiter.changed(b);
        assertThat(arbiter.chunk(one)).isEqualTo(4_000);
        TestFlow second = wire.flow(b, 1, 64, output);
        other.configure(3, TrafficClass.BULK);
        arbiter.changed(other, 1, 3, TrafficClass.BULK);
        assertThat(arbiter.chunk(other)).isEqualTo(6_000);
        assertThat(arbiter.chunk(second)).isEqualTo(2_000);
        arbiter.detach(other);
        assertThat(arbiter.chunk(second)).isEqualTo(8_000);
        arbiter.detach(second);
        assertThat(arbiter.chunk(one)).isEqualTo(12_000);
    }

    @Test
    void urgentFlowsAreServedFirst() {
        PalosAsPrinted arbiter = arbiter(0);
        Wire wire = new Wire(arbiter, 1024, 0);
        FlowGroup group = new FlowGroup(0, 1, 1);
        TestFlow bulk = wire.flow(group, 1, 1 << 20, output);
        TestFlow first = wire.flow(group, 1, 64, output);
        TestFlow second = wire.flow(group, 1, 64, output);
        second.configure(1, TrafficClass.URGENT);
        arbiter.changed(second, 1, 1, TrafficClass.URGENT);
        assertThat(wire.visit()).isSameAs(second);
        assertThat(wire.visit()).isSameAs(second);
        second.configure(1, TrafficClass.BULK);
        arbiter.changed(second, 1, 1, TrafficClass.BULK);
        assertThat(List.of(wire.visit(), wire.visit(), wire.visit())).containsExactly(bulk, first, second);
    }

    @Test
    void aFullOutputCutsAVisitAndNotAChunk() {
        PalosAsPrinted arbiter = arbiter(20_480);
        Wire wire = new Wire(arbiter, 1024, 0);
        FlowGroup group = new FlowGroup(0, 1, 1);
        TestFlow a = wire.flow(group, 1, 1 << 20, output);
        TestFlow b = wire.flow(group, 1, 1 << 20, output);
        assertThat(arbiter.next()).isSameAs(a);
        assertThat(a.budget()).isEqualTo(10_240);
        assertThat(wire.send(a, 4_096)).isEqualTo(4_096);
        arbiter.full(a);
        arbiter.room(output);
        assertThat(arbiter.next()).isSameAs(a);
        assertThat(a.budget()).isEqualTo(6_144);
        wire.send(a, Integer.MAX_VALUE);
        arbiter.active(a);
        assertThat(wire.visit()).isSameAs(b);
        assertThat(wire.visit()).isSameAs(a);
        assertThat(a.bytes).isEqualTo(20_480);
    }
}
