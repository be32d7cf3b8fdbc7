package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(180)
class VisitCostTest {
    private static final int MANY = 10_000;
    private static final long RUN = 400_000_000;

    /** Members of rounds looked at, for each visit. */
    private static double stepsPerVisit(Traffic traffic) {
        traffic.activateAll();
        traffic.run(RUN);
        long before = steps(traffic);
        long visits = 0;
        for (long end = traffic.total + RUN; traffic.total < end; visits++) {
            traffic.visit();
        }
        return (steps(traffic) - before) / (double) visits;
    }

    private static long steps(Traffic traffic) {
        long steps = ((ChunkArbiter) traffic.arbiter).steps();
        return steps
                + traffic.flows.stream()
                        .map(Flow::queue)
                        .distinct()
                        .mapToLong(queue -> queue.flows.steps())
                        .sum()
                + traffic.flows.stream()
                        .map(flow -> flow.queue().entry)
                        .distinct()
                        .mapToLong(entry -> entry.queues.steps())
                        .sum();
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 1088, 9000})
    void aVisitCostsAsMuchWithTenThousandFlowsAsWithTen(int size) {
        Traffic few = new Traffic();
        Traffic many = new Traffic();
        FlowGroup fewGroup = few.group(1);
        FlowGroup manyGroup = many.group(1);
        OutputQueue output = new OutputQueue();
        for (int i = 0; i < 10; i++) {
            few.flow(fewGroup, 1, output, size);
        }
        for (int i = 0; i < MANY; i++) {
            many.flow(manyGroup, 1, output, size);
        }
        assertThat(stepsPerVisit(many)).isLessThan(stepsPerVisit(few) + 2.5).isLessThan(6);
    }

    @Test
    void manyGroupsCostNoMoreThanFew() {
        Traffic few = new Traffic();
        Traffic many = new Traffic();
        OutputQueue output = new OutputQueue();
        for (int i = 0; i < 2; i++) {
            few.flow(few.group(1), 1, output, 1088);
        }
        for (int i = 0; i < 256; i++) {
            many.flow(many.group(1 + i % 5), 1, output, 1088);
        }
        assertThat(stepsPerVisit(many)).isLessThan(stepsPerVisit(few) + 1);
    }

    @Test
    void aFullOutputIsFullForTenThousandFlowsAtOnce() {
        Traffic traffic = new Traffic();
        FlowGroup group = traffic.group(1);
        OutputQueue output = new OutputQueue();
        for (int i = 0; i < MANY; i++) {
            traffic.flow(group, 1, output, 1088);
        }
        traffic.activateAll();
        long before = steps(traffic);
        for (int i = 0; i < 1000; i++) {
            TestFlow flow = traffic.serve();
            traffic.arbiter.full(flow);
            assertThat(traffic.arbiter.next()).isNull();
            assertThat(traffic.arbiter.hasActive()).isFalse();
            traffic.arbiter.room(output);
        }
        assertThat(steps(traffic) - before).isLessThan(6 * 1000);
    }

    @Test
    void heavyDebtsArePassedOverAtOnce() {
        Traffic traffic = new Traffic();
        OutputQueue output = new OutputQueue();
        TestFlow light = traffic.flow(traffic.group(1), 1, output, 16 << 20);
        OutputQueue other = new OutputQueue();
        TestFlow heavy = traffic.flow(traffic.group(65_535), 1, other, 16 << 20);
        traffic.activateAll();
        while (traffic.serve() != light) {
            traffic.arbiter.active(heavy);
        }
        traffic.arbiter.active(light); // owes 16 MB, a byte a lap
        while (traffic.serve() != heavy) {
            traffic.arbiter.active(light);
        }
        traffic.arbiter.full(heavy); // has work still, so its weight is in the sum
        long before = steps(traffic);
        assertThat(traffic.visit()).isSameAs(light);
        assertThat(steps(traffic) - before).isLessThan(20);
    }

    @Test
    void aWeightOfTwentyTwoThousandTouchesOneFlow() {
        Traffic traffic = new Traffic();
        FlowGroup group = traffic.group(1);
        OutputQueue output = new OutputQueue();
        for (int i = 0; i < 22_000; i++) {
            traffic.flow(group, 1, output, 1088);
        }
        traffic.activateAll();
        traffic.run(100_000_000);
        TestFlow changes = traffic.flows.get(11_000);
        String[] before = traffic.flows.stream().map(VisitCostTest::state).toArray(String[]::new);
        changes.configure(7, TrafficClass.BULK);
        traffic.arbiter.changed(changes, 1, 7, TrafficClass.BULK);
        group.weight(9);
        traffic.arbiter.changed(group);
        for (int i = 0; i < before.length; i++) {
            if (i != 11_000) {
                assertThat(state(traffic.flows.get(i))).isEqualTo(before[i]);
            }
        }
        assertThat(changes.weight).isEqualTo(7);
    }

    private static String state(TestFlow flow) {
        return flow.weight + " " + flow.credit + " " + flow.lap + " " + flow.inTurn;
    }
}
