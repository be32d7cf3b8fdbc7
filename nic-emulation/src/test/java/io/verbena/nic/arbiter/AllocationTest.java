package io.verbena.nic.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.verbena.nic.arbiter.Traffic.TestFlow;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class AllocationTest {
    private static final int FLOWS = 64;
    private static final int ROUNDS = 200_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private final Traffic traffic = new Traffic();
    private final OutputQueue[] outputs = {new OutputQueue(), new OutputQueue(), new OutputQueue()};

    /**
     * All that happens while traffic runs: flows come and go, outputs fill up, ceilings and rates are met, weights
     * change.
     */
    private void rounds() {
        Arbiter arbiter = traffic.arbiter;
        for (int i = 0; i < ROUNDS; i++) {
            traffic.now += 1000;
            if (arbiter.nextDeadlineNanos() <= traffic.now) {
                arbiter.expire(traffic.now);
            }
            arbiter.active(traffic.flows.get(i % FLOWS));
            TestFlow flow = (TestFlow) arbiter.next();
            if (flow == null) {
                for (OutputQueue output : outputs) {
                    arbiter.room(output);
                }
                continue;
            }
            arbiter.charge(flow, flow.send(Math.min(flow.budget(), 5000)), 1, 0);
            if (i % 5 == 0) {
                arbiter.full(flow);
            } else if (i % 5 == 1) {
                arbiter.idle(flow);
            } else if (i % 5 == 2) {
                arbiter.blocked(flow);
            } else {
                arbiter.active(flow);
            }
            if (i % 100 == 0) {
                arbiter.changed(flow, flow.weight(), flow.weight(), flow.trafficClass());
            }
        }
    }

    @Test
    void schedulingAllocatesNothing() {
        for (int g = 0; g < 4; g++) {
            FlowGroup group = traffic.group(1 + g);
            group.rates(g == 1 ? 1_000_000_000 : 0, g == 2 ? 100_000_000 : 0);
            for (int f = 0; f < FLOWS / 4; f++) {
                TestFlow flow = traffic.flow(group, 1 + f, outputs[f % 3], 64, 1000);
                if (f % 4 == 0) {
                    flow.configure(1, TrafficClass.URGENT);
                    traffic.arbiter.changed(flow, 1 + f, 1, TrafficClass.URGENT);
                } else if (f % 4 == 1) {
                    flow.configure(new RateLimit(10_000_000, f == 1 ? 10_000 : 0, 0, 0));
                    traffic.arbiter.changed(flow, 1 + f, 1 + f, TrafficClass.BULK);
                }
            }
        }
        rounds();
        long before = threads.getCurrentThreadAllocatedBytes();
        rounds();
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(ROUNDS / 10);
        assertThat(((ChunkArbiter) traffic.arbiter).moves())
                .as("waits in the wheel")
                .isGreaterThan(ROUNDS / 100);
    }
}
