package io.verbena.nic.arbiter.baseline;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.Flow;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.OutputQueue;
import io.verbena.nic.arbiter.TrafficClass;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Flows that always have work, and a wire that takes the packets that an arbiter chooses. */
final class Wire {
    /** A flow of messages of one size. */
    static final class TestFlow extends Flow {
        final int message;
        int left;
        long bytes;
        long messages;
        int underWay; // bytes since it was acknowledged
        boolean asked; // its last packet asked for an answer

        TestFlow(FlowGroup group, int weight, int message) {
            super(group);
            configure(weight, TrafficClass.BULK);
            this.message = message;
            this.left = message;
        }
    }

    final Arbiter arbiter;
    final List<TestFlow> flows = new ArrayList<>();
    private final int mtu;
    private final int overhead;
    long total;

    /**
     * A wire.
     *
     * @param mtu most bytes of payload in a packet
     * @param overhead bytes that a packet takes besides
     */
    Wire(Arbiter arbiter, int mtu, int overhead) {
        this.arbiter = arbiter;
        this.mtu = mtu;
        this.overhead = overhead;
    }

    /** A flow along an output, with work. */
    TestFlow flow(FlowGroup group, int weight, int message, @Nullable OutputQueue output) {
        TestFlow flow = attached(group, weight, message, output);
        arbiter.active(flow);
        return flow;
    }

    /** A flow along an output, without work. */
    TestFlow attached(FlowGroup group, int weight, int message, @Nullable OutputQueue output) {
        TestFlow flow = new TestFlow(group, weight, message);
        arbiter.attach(flow, output);
        flows.add(flow);
        return flow;
    }

    /** Serves one visit whole. Returns whose it was, or null. */
    @Nullable
    TestFlow visit() {
        TestFlow flow = (TestFlow) arbiter.next();
        if (flow != null) {
            send(flow, Integer.MAX_VALUE);
            arbiter.active(flow);
        }
        return flow;
    }

    /** Sends what a flow was granted, as far as there is room, and charges it. Returns the bytes. */
    int send(TestFlow flow, int room) {
        int spent = 0;
        int operations = 0;
        while (spent < flow.budget()) {
            int payload = Math.min(flow.left, mtu);
            if (spent + payload + overhead > room) {
                break;
            }
            spent += payload + overhead;
            flow.left -= payload;
            flow.asked = flow.takeWantsAnswer() || flow.left == 0;
            if (flow.left == 0) {
                flow.left = flow.message;
                flow.messages++;
                operations++;
            }
            if (flow.sendsOnePacket()) {
                break;
            }
        }
        flow.bytes += spent;
        flow.underWay += spent;
        total += spent;
        arbiter.charge(flow, spent, operations, 0);
        return spent;
    }

    /** Serves visits until so many bytes more were sent. */
    void run(long bytes) {
        long end = total + bytes;
        while (total < end) {
            if (visit() == null) {
                throw new IllegalStateException("nobody is served after " + total + " bytes");
            }
        }
    }

    /** A flow's part of all that was sent. */
    double share(TestFlow flow) {
        return (double) flow.bytes / total;
    }
}
