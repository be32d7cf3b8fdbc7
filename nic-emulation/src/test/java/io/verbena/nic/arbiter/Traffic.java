package io.verbena.nic.arbiter;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Drives an arbiter as an engine does: flows that always have messages, of one size or of several in turn. */
final class Traffic {
    /** A flow whose messages are never sliced: what a visit overshoots is at its worst. */
    static final class TestFlow extends Flow {
        final int[] sizes;
        int message;
        long served;
        private boolean one;

        TestFlow(FlowGroup group, int weight, int... sizes) {
            super(group);
            this.sizes = sizes;
            configure(weight, TrafficClass.BULK);
        }

        int largest() {
            return Arrays.stream(sizes).max().orElse(0);
        }

        /** It has one message at a time. */
        TestFlow oneAtATime() {
            one = true;
            return this;
        }

        /** Whole messages until the budget is met. */
        int send(int budget) {
            int sent = 0;
            while (sent < (one ? 1 : budget)) {
                sent += sizes[message];
                message = (message + 1) % sizes.length;
            }
            served += sent;
            return sent;
        }
    }

    private final int engines;
    final Arbiter arbiter;
    final List<TestFlow> flows = new ArrayList<>();
    final List<FlowGroup> groups = new ArrayList<>();
    long now;
    long total;

    Traffic() {
        this(ArbiterSettings.defaults());
    }

    Traffic(ArbiterSettings settings) {
        this(settings, 1);
    }

    /** Of the first engine of some. */
    Traffic(ArbiterSettings settings, int engines) {
        this.engines = engines;
        arbiter = new ChunkArbiter(settings, 0, engines, () -> now);
    }

    FlowGroup group(int weight) {
        FlowGroup group = new FlowGroup(groups.size(), weight, engines);
        groups.add(group);
        return group;
    }

    TestFlow flow(FlowGroup group, int weight, @Nullable OutputQueue output, int... sizes) {
        TestFlow flow = new TestFlow(group, weight, sizes);
        flows.add(flow);
        arbiter.attach(flow, output);
        return flow;
    }

    /** One visit whose flow still has work. Returns it. */
    TestFlow visit() {
        TestFlow flow = serve();
        arbiter.active(flow);
        return flow;
    }

    /** One visit, after which the caller says what became of the flow. */
    TestFlow serve() {
        TestFlow flow = (TestFlow) arbiter.next();
        if (flow == null) {
            throw new AssertionError("no flow can be served");
        }
        charge(flow, flow.send(flow.budget()));
        return flow;
    }

    void charge(TestFlow flow, int bytes) {
        total += bytes;
        arbiter.charge(flow, bytes, 1, 0);
    }

    void run(long bytes) {
        for (long end = total + bytes; total < end; ) {
            visit();
        }
    }

    void activateAll() {
        flows.forEach(arbiter::active);
    }

    void activate(int... indices) {
        for (int index : indices) {
            arbiter.active(flows.get(index));
        }
    }

    long served(FlowGroup group) {
        return flows.stream()
                .filter(flow -> flow.group() == group)
                .mapToLong(flow -> flow.served)
                .sum();
    }
}
