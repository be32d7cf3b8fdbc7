package io.verbena.papers.palos;

import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.papers.figures.PaperFigure.Size;
import java.util.ArrayList;
import java.util.List;

/**
 * Flows that are always backlogged, and what share of the link each gets. Built up flow by flow, then run.
 *
 * <p>Shares are of the wire's time, framing and headers with the payload: that is what flows compete for, and a share
 * of it is also the share of a flow's own peak, "normalized to its peak performance" (figure 7), where the wire is what
 * limits it.
 */
final class SharesRun {
    private static final long WARM_UP_NANOS = 500_000;
    private static final long FULL_NANOS = 4_000_000;
    private static final long QUICK_NANOS = 1_000_000;

    /** Messages to keep outstanding so that there is more work than the wire takes: by their size. */
    private static final int SMALL_DEPTH = 256;

    private static final int LARGE_DEPTH = 4;
    private static final int LARGE_FROM = 64 * 1024;

    private final PalosWorld world;
    private final Size size;
    private final List<PalosWorld.Backlogged> flows = new ArrayList<>();

    /**
     * A run of no flows yet.
     *
     * @param frames of the link
     */
    SharesRun(long seed, Size size, ArbiterSettings settings, Frames frames) {
        this.size = size;
        world = new PalosWorld(seed, settings, frames);
    }

    /** A group. */
    PalosWorld.Tenant tenant(String name, int weight) {
        return world.tenant(name, weight);
    }

    /** Adds so many flows of a group, each with messages of these sizes in turn. */
    SharesRun flows(int count, PalosWorld.Tenant tenant, int weight, int... sizes) {
        for (int i = 0; i < count; i++) {
            int depth = sizes[0] >= LARGE_FROM ? LARGE_DEPTH : SMALL_DEPTH;
            flows.add(world.flow(tenant, weight, depth, sizes));
        }
        return this;
    }

    /** Adds a queue pair of a group that sends nothing. */
    SharesRun idle(PalosWorld.Tenant tenant, int weight) {
        world.idle(tenant, weight);
        return this;
    }

    /** What each flow got, in the order in which they were added. */
    static final class Outcome {
        private final double[] wire;
        private final double[] payload;
        private final long packets;

        private Outcome(double[] wire, double[] payload, long packets) {
            this.wire = wire;
            this.payload = payload;
            this.packets = packets;
        }

        /** Shares of the link. */
        double[] wire() {
            return wire.clone();
        }

        /** Shares of the link that are bytes of messages. */
        double[] payload() {
            return payload.clone();
        }

        /** A flow's share of the payload of all. */
        double ofPayload(int flow) {
            return payload[flow] / sum(payload, 0, payload.length);
        }

        /** Packets for as much payload as a link carries in a second. */
        double packetsByPayload() {
            return packets / sum(payload, 0, payload.length);
        }
    }

    /** Runs it. */
    Outcome run() {
        return measure(WARM_UP_NANOS);
    }

    /** Gives a flow another weight while all send, and counts from that moment on. */
    Outcome reweigh(int flow, int weight) {
        flows.get(flow).weight(weight);
        return measure(0);
    }

    private Outcome measure(long warmUpNanos) {
        long nanos = world.measure(warmUpNanos, size == Size.FULL ? FULL_NANOS : QUICK_NANOS, () -> {});
        return new Outcome(
                flows.stream()
                        .mapToDouble(flow -> PalosWorld.share(flow.count().wireBytes(), nanos))
                        .toArray(),
                flows.stream()
                        .mapToDouble(flow -> PalosWorld.share(flow.count().payload(), nanos))
                        .toArray(),
                flows.stream().mapToLong(flow -> flow.count().packets()).sum());
    }

    /**
     * Runs it.
     *
     * @return a share of the link for each flow, in the order in which they were added
     */
    double[] shares() {
        return run().wire();
    }

    /** Sum of shares of flows from one to another, the latter not included. */
    static double sum(double[] shares, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += shares[i];
        }
        return sum;
    }
}
