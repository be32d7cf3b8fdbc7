package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.arbiter.Traffic.TestFlow;
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Anything that may happen, in any order: whoever can be served is seen, and nobody else is served. */
@Timeout(180)
class ScheduleFuzzTest {
    private static final int STEPS = 40_000;

    private Traffic traffic = new Traffic();
    private final OutputQueue[] outputs = {new OutputQueue(), new OutputQueue(), new OutputQueue()};
    private final Set<TestFlow> working = new HashSet<>();
    private final Set<TestFlow> attached = new HashSet<>();
    private final Set<OutputQueue> bulkFull = new HashSet<>();
    private final Set<OutputQueue> allFull = new HashSet<>();

    private boolean canBeServed(TestFlow flow) {
        @Nullable OutputQueue output = flow.output();
        boolean full = output != null && (allFull.contains(output) || (!flow.urgent && bulkFull.contains(output)));
        return working.contains(flow) && !full && !flow.parked && !flow.queue().entry.parked;
    }

    /** Whether it is early, if at all: who is urgent waits with bulk when its group has had its advance. */
    private boolean isEarlyOnly(TestFlow flow) {
        @Nullable OutputQueue output = flow.output();
        return flow.urgent && output != null && bulkFull.contains(output);
    }

    private void check() {
        boolean active = traffic.arbiter.hasActive();
        boolean may = traffic.flows.stream().filter(attached::contains).anyMatch(this::canBeServed);
        boolean must = traffic.flows.stream()
                .filter(attached::contains)
                .anyMatch(flow -> canBeServed(flow) && !isEarlyOnly(flow));
        assertThat(active).isIn(may, must);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void nobodyIsForgotten(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        traffic = new Traffic(ArbiterSettings.defaults(), 1 + (int) (seed % 2));
        for (int g = 0; g < 1 + seed % 5; g++) {
            FlowGroup group = traffic.group(1 + random.nextInt(100));
            if (random.nextInt(3) == 0) {
                group.rates(50_000_000, 0);
            } else if (random.nextInt(3) == 0) {
                group.rates(0, 1_000_000);
            }
            for (int f = 0; f < 1 + random.nextInt(6); f++) {
                int at = random.nextInt(4);
                TestFlow flow = traffic.flow(
                        group, 1 + random.nextInt(9), at == 3 ? null : outputs[at], 64 << random.nextInt(12));
                attached.add(flow);
            }
        }
        for (int i = 0; i < STEPS; i++) {
            if (seed % 2 == 1) {
                elsewhere(random);
            }
            traffic.now += random.nextInt(20_000);
            if (traffic.arbiter.nextDeadlineNanos() <= traffic.now) {
                traffic.arbiter.expire(traffic.now);
            }
            step(random);
            check();
        }
        // Given room and time, each that has work is served; a group's own urgent flows may take all that it has.
        for (TestFlow flow : traffic.flows) {
            flow.configure(flow.weight(), TrafficClass.BULK);
            traffic.arbiter.changed(flow, flow.weight(), flow.weight(), TrafficClass.BULK);
        }
        for (OutputQueue output : outputs) {
            traffic.arbiter.room(output);
        }
        Set<TestFlow> left = new HashSet<>(working);
        for (int i = 0; i < 1_000_000 && !left.isEmpty(); i++) {
            traffic.now += 1_000_000;
            traffic.arbiter.expire(traffic.now);
            TestFlow flow = (TestFlow) traffic.arbiter.next();
            if (flow != null) {
                traffic.charge(flow, flow.send(flow.budget()));
                traffic.arbiter.active(flow);
                left.remove(flow);
            }
        }
        assertThat(left).isEmpty();
    }

    /** Another engine has served a group, or not. */
    private void elsewhere(SplittableRandom random) {
        FlowGroup group = traffic.groups.get(random.nextInt(traffic.groups.size()));
        group.ledger().add(1, random.nextInt(4) * 50_000L);
    }

    private void step(SplittableRandom random) {
        TestFlow any = traffic.flows.get(random.nextInt(traffic.flows.size()));
        int what = random.nextInt(20);
        if (what < 4) {
            if (attached.contains(any)) {
                traffic.arbiter.active(any);
                working.add(any);
            }
        } else if (what < 6) {
            OutputQueue output = outputs[random.nextInt(outputs.length)];
            traffic.arbiter.room(output);
            bulkFull.remove(output);
            allFull.remove(output);
        } else if (what == 6) {
            if (attached.remove(any)) {
                traffic.arbiter.detach(any);
                working.remove(any);
            } else {
                traffic.arbiter.attach(any, outputs[random.nextInt(outputs.length)]);
                attached.add(any);
            }
        } else if (what == 7) {
            TrafficClass to = random.nextBoolean() ? TrafficClass.URGENT : TrafficClass.BULK;
            int before = any.weight();
            any.configure(1 + random.nextInt(20), to);
            traffic.arbiter.changed(any, before, any.weight(), to);
        } else if (what == 8) {
            FlowGroup group = any.group();
            group.weight(1 + random.nextInt(65_535));
            traffic.arbiter.changed(group);
        } else if (what == 9 && attached.contains(any)) {
            traffic.arbiter.attach(any, outputs[random.nextInt(outputs.length)]);
        } else if (what == 11) {
            boolean limited = random.nextBoolean();
            any.configure(
                    limited
                            ? new RateLimit(1_000_000L << random.nextInt(9), random.nextInt(2) * 5000L, 0, 0)
                            : RateLimit.NONE);
            traffic.arbiter.changed(any, any.weight(), any.weight(), any.trafficClass());
        } else if (what == 10 && attached.contains(any) && working.isEmpty() && traffic.arbiter.nextAlone(any)) {
            traffic.charge(any, any.send(any.budget()));
            settle(any, random);
        } else {
            visit(random);
        }
    }

    private void visit(SplittableRandom random) {
        TestFlow flow = (TestFlow) traffic.arbiter.next();
        if (flow == null) {
            check();
            return;
        }
        assertThat(canBeServed(flow)).isTrue();
        assertThat(flow.budget()).isPositive();
        if (random.nextInt(10) > 0) {
            traffic.charge(flow, flow.send(1 + random.nextInt(flow.budget())));
        }
        settle(flow, random);
    }

    private void settle(TestFlow flow, SplittableRandom random) {
        int how = random.nextInt(8);
        OutputQueue output = flow.output();
        if (how == 0) {
            traffic.arbiter.idle(flow);
            working.remove(flow);
        } else if (how == 1) {
            traffic.arbiter.blocked(flow);
            working.remove(flow);
        } else if (how < 4 && output != null) {
            boolean early = flow.isUrgent();
            traffic.arbiter.full(flow);
            working.add(flow);
            bulkFull.add(output);
            if (early) {
                allFull.add(output);
            }
        } else {
            traffic.arbiter.active(flow);
            working.add(flow);
        }
    }
}
