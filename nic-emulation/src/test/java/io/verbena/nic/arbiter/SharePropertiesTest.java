package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Against the fluid model, in which everybody with work is served all the time at the rate of its weight: who has work
 * throughout is never further from that than its turn and its messages, whatever sizes are sent, links fill up and
 * others come and go.
 */
@Timeout(180)
class SharePropertiesTest {
    private static final int RUNS = 50;

    private record Case(
            Traffic traffic,
            OutputQueue output,
            List<TestFlow> steady,
            List<TestFlow> others,
            SplittableRandom random) {}

    /** Half of the flows of each group have work throughout. */
    private static Case mix(SplittableRandom random) {
        Traffic traffic = new Traffic();
        OutputQueue output = new OutputQueue();
        Case mix = new Case(traffic, output, new ArrayList<>(), new ArrayList<>(), random);
        int groups = 1 + random.nextInt(random.nextBoolean() ? 4 : 40);
        int largestWeight = random.nextBoolean() ? 10 : 1000;
        for (int g = 0; g < groups; g++) {
            FlowGroup group = traffic.group(1 + random.nextInt(largestWeight));
            int flows = 1 + random.nextInt(6);
            for (int f = 0; f < flows; f++) {
                int[] sizes = new int[1 + random.nextInt(3)];
                for (int i = 0; i < sizes.length; i++) {
                    sizes[i] = 64 << random.nextInt(random.nextInt(16) == 0 ? 16 : 8);
                }
                TestFlow flow = traffic.flow(group, 1 + random.nextInt(10), output, sizes);
                (f % 2 == 0 ? mix.steady : mix.others).add(flow);
            }
        }
        traffic.activateAll();
        return mix;
    }

    private static void step(Case mix) {
        SplittableRandom random = mix.random;
        Traffic traffic = mix.traffic;
        if (mix.output.isFull()) {
            assertThat(traffic.arbiter.hasActive()).isFalse();
            assertThat(traffic.arbiter.next()).isNull();
            traffic.arbiter.room(mix.output);
        }
        TestFlow flow = (TestFlow) traffic.arbiter.next();
        assertThat(flow).isNotNull();
        // The link fills up at any point of a visit, also at once.
        boolean full = random.nextInt(4) == 0;
        int budget = full ? random.nextInt(flow.budget() + 1) : flow.budget();
        traffic.charge(flow, budget == 0 ? 0 : flow.send(budget));
        if (full) {
            traffic.arbiter.full(flow);
        } else if (mix.steady.contains(flow) || random.nextBoolean()) {
            traffic.arbiter.active(flow);
        } else if (random.nextBoolean()) {
            traffic.arbiter.idle(flow);
        } else {
            traffic.arbiter.blocked(flow);
        }
        if (!mix.others.isEmpty() && random.nextBoolean()) {
            TestFlow other = mix.others.get(random.nextInt(mix.others.size()));
            if (random.nextInt(8) > 0) {
                traffic.arbiter.active(other);
            } else {
                traffic.arbiter.detach(other);
                traffic.arbiter.attach(other, mix.output);
            }
        }
    }

    private static long largest(List<TestFlow> flows) {
        return flows.stream().mapToLong(TestFlow::largest).max().orElse(0);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void groupsWithWorkThroughoutGetTheirWeights(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < RUNS; run++) {
            Case mix = mix(random);
            Traffic traffic = mix.traffic;
            long weights = traffic.groups.stream().mapToLong(FlowGroup::weight).sum();
            long lap = Math.max(64 * 1024, traffic.groups.size() * 16L * 1024);
            for (int i = 0; i < 4000; i++) {
                step(mix);
            }
            long message = largest(traffic.flows);
            for (FlowGroup group : traffic.groups) {
                double due = (double) traffic.total * group.weight() / weights;
                // Its own turn and message; and what all the others have overshot, of which its weight is owed a part.
                double bound = 2.0 * lap * group.weight() / weights
                        + message
                        + (double) message * traffic.groups.size() * group.weight() / weights;
                assertThat(Math.abs(traffic.served(group) - due))
                        .as("run %d of seed %d, weight %d of %d", run, seed, group.weight(), weights)
                        .isLessThanOrEqualTo(bound);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15})
    void flowsWithWorkThroughoutShareByTheirWeights(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int run = 0; run < RUNS; run++) {
            Case mix = mix(random);
            Traffic traffic = mix.traffic;
            for (int i = 0; i < 4000; i++) {
                step(mix);
            }
            long lap = Math.max(64 * 1024, traffic.groups.size() * 16L * 1024);
            for (TestFlow one : mix.steady) {
                for (TestFlow two : mix.steady) {
                    if (one.group() == two.group()) {
                        double each = (double) one.served / one.weight();
                        double other = (double) two.served / two.weight();
                        double bound = 2.0 * lap
                                + (double) one.largest() / one.weight()
                                + (double) two.largest() / two.weight();
                        assertThat(Math.abs(each - other))
                                .as("run %d of seed %d", run, seed)
                                .isLessThanOrEqualTo(bound);
                    }
                }
            }
        }
    }
}
