package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import java.util.ArrayList;
import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two engines' arbiters side by side, each of a gigabyte a second, and groups that come and go. */
@Timeout(180)
class TwoEnginesTest {
    private static final int MB = 1_000_000;
    private static final int STEP = 20_000; // bytes that an engine sends before the other has its time

    /** The defaults, but for short visits of who is alone: an engine's time is not used up before others come. */
    private static final ArbiterSettings SETTINGS = ArbiterSettings.defaults().withAloneBudget(4096);

    private static final class Engine {
        final ChunkArbiter arbiter;
        final OutputQueue output = new OutputQueue();
        long room;

        Engine(int index) {
            arbiter = new ChunkArbiter(SETTINGS, index, 2, () -> 0);
        }

        TestFlow flow(FlowGroup group, int size) {
            TestFlow flow = new TestFlow(group, 1, size);
            arbiter.attach(flow, output);
            arbiter.active(flow);
            return flow;
        }

        void serve() {
            for (room += STEP; room > 0; ) {
                TestFlow flow = (TestFlow) arbiter.next();
                if (flow == null) {
                    room = 0;
                    return;
                }
                int sent = flow.send(flow.budget());
                room -= sent;
                arbiter.charge(flow, sent, 1, 0);
                arbiter.active(flow);
            }
        }
    }

    private final Engine one = new Engine(0);
    private final Engine two = new Engine(1);
    private final List<FlowGroup> groups = new ArrayList<>();

    private FlowGroup group(int weight) {
        FlowGroup group = new FlowGroup(groups.size(), weight, 2);
        groups.add(group);
        return group;
    }

    /** Both engines send so much. */
    private void run(long bytes) {
        for (long sent = 0; sent < bytes; sent += STEP) {
            one.serve();
            two.serve();
        }
    }

    private static long charged(FlowGroup group) {
        return group.statistics().charged();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 10})
    void anUnequalNumberOfFlowsChangesNothing(int weight) {
        FlowGroup light = group(1);
        FlowGroup heavy = group(weight);
        for (int i = 0; i < 7; i++) {
            one.flow(light, 1000);
            two.flow(heavy, 64);
        }
        two.flow(light, 5000);
        one.flow(heavy, 1 << 20);
        run(200L * MB);
        assertThat(charged(heavy) / (double) charged(light)).isCloseTo(weight, Percentage.withPercentage(1));
    }

    @Test
    void whoWasAwayIsServedByWeightFromThenOn() {
        FlowGroup both = group(1);
        FlowGroup here = group(1);
        one.flow(both, 1000);
        two.flow(both, 1000);
        TestFlow returns = one.flow(here, 1000);
        run(200L * MB);
        for (int i = 0; i < 5; i++) {
            one.arbiter.idle(returns);
            run(100L * MB); // alone on both engines
            long before = charged(both);
            long mine = charged(here);
            one.arbiter.active(returns);
            run(50L * MB);
            double share = (charged(here) - mine) / (double) (charged(here) - mine + charged(both) - before);
            assertThat(share).as("after absence %d", i).isCloseTo(0.5, within(0.02));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {40_000, 100_000, 260_000, 1_000_000, 5_000_000})
    void whoComesAndGoesIsNeitherAheadNorBehind(long period) {
        FlowGroup steady = group(1);
        FlowGroup other = group(1);
        FlowGroup restless = group(1);
        one.flow(steady, 1000);
        one.flow(other, 1000);
        TestFlow flow = one.flow(restless, 1000);
        FlowGroup there = group(1);
        two.flow(there, 1000);
        two.flow(group(1), 1000);
        long together = 0;
        long[] sums = new long[3];
        FlowGroup[] three = {steady, other, restless};
        while (together < 60L * MB) {
            one.arbiter.active(flow);
            for (int i = 0; i < 3; i++) {
                sums[i] -= charged(three[i]);
            }
            run(period);
            for (int i = 0; i < 3; i++) {
                sums[i] += charged(three[i]);
            }
            one.arbiter.idle(flow);
            run(period);
            together += period;
        }
        assertThat((double) charged(steady)).isCloseTo((double) charged(other), Percentage.withPercentage(1));
        // Its turn comes when it does; a turn of 21 kB is more than its part of the shortest period.
        assertThat(sums[2] / (double) (sums[0] + sums[1] + sums[2]))
                .isCloseTo(1 / 3.0, within(period < MB ? 0.3 : 0.02));
    }

    @ParameterizedTest
    @CsvSource({"1, 3000000", "1, 10000000", "3, 200000", "3, 400000", "3, 1000000", "3, 3000000", "3, 10000000"})
    void whatIsServedElsewhereCountsWhileBothHaveWorkAndNoLonger(int weight, long period) {
        FlowGroup both = group(weight);
        FlowGroup here = group(1);
        one.flow(both, 1000);
        two.flow(both, 1000);
        TestFlow comesAndGoes = one.flow(here, 1000);
        long together = 0;
        long mine = 0;
        long others = 0;
        while (together < 100L * MB) {
            one.arbiter.active(comesAndGoes);
            long before = charged(here);
            long beforeOthers = charged(both);
            run(period);
            if (together >= 40L * MB) { // settled
                mine += charged(here) - before;
                others += charged(both) - beforeOthers;
            }
            together += period;
            one.arbiter.idle(comesAndGoes);
            run(2 * period);
        }
        assertThat(mine / (double) (mine + others)).isCloseTo(1.0 / (1 + weight), within(0.03));
    }

    @Test
    void aGroupBehindAFullOutputIsNotOwedWhatOthersHadMeanwhile() {
        FlowGroup stuck = group(1);
        FlowGroup both = group(1);
        FlowGroup here = group(1);
        OutputQueue slow = new OutputQueue();
        TestFlow waits = new TestFlow(stuck, 1, 1000);
        one.arbiter.attach(waits, slow);
        one.flow(both, 1000);
        two.flow(both, 1000);
        one.flow(here, 1000);
        // Its output takes a packet now and then.
        for (int i = 0; i < 5000; i++) {
            one.arbiter.active(waits);
            one.arbiter.room(slow);
            boolean met = false;
            for (long sent = 0; sent < 5L * STEP; ) {
                TestFlow flow = (TestFlow) one.arbiter.next();
                assertThat(flow).isNotNull();
                int bytes = flow == waits ? flow.send(1) : flow.send(flow.budget());
                sent += bytes;
                one.arbiter.charge(flow, bytes, 1, 0);
                if (flow == waits) {
                    assertThat(met).isFalse();
                    met = true;
                    one.arbiter.full(flow);
                } else {
                    one.arbiter.active(flow);
                }
            }
            for (int k = 0; k < 5; k++) {
                two.serve();
            }
        }
        assertThat(charged(stuck)).isEqualTo(5_000_000);
        // What is left of engine one is here's: both has engine two.
        assertThat(charged(here) / (double) charged(both)).isCloseTo(0.98, within(0.03));
        // And when its output has room it gets its part, no more.
        one.arbiter.room(slow);
        long before = charged(stuck);
        long beforeHere = charged(here);
        run(20L * MB);
        assertThat(charged(stuck) - before).isCloseTo(charged(here) - beforeHere, Percentage.withPercentage(25));
    }
}
