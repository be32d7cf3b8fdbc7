package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;

/**
 * Palos as its paper prints it (IV): a flow's chunk is its weight times its group's granularity (2), messages are cut at the
 * chunk, or combined until it is met, and flows that are marked urgent have a queue of their own that is served first.
 *
 * <p>What a visit sends beyond the chunk is not carried over, and the sums of weights are of all flows and groups, idle or
 * not: what both cost is why {@link Discipline#CHUNKS} does otherwise. A flow that a full port stopped goes on with the rest
 * of its chunk. A packet cannot be cut: a chunk ends with the packet that meets it.
 */
public final class PalosAsPrinted extends FlowTurns {
    private final ShareList<Flow> urgent = new ShareList<>();
    private final ShareList<Flow> bulk = new ShareList<>();
    private final int chunkTotal;
    private final int mtu;

    // The group table: by index of a group.
    private final int[] groupWeights;
    private final long[] flowWeights;
    private final int[] flows;

    private long sumOfGroups;
    private int allFlows;

    /** Creates an empty schedule. */
    public PalosAsPrinted(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        super(settings, engine);
        this.chunkTotal = settings.chunkTotal();
        this.mtu = settings.mtu();
        this.groupWeights = new int[settings.maxGroups()];
        this.flowWeights = new long[settings.maxGroups()];
        this.flows = new int[settings.maxGroups()];
    }

    /** Bytes of a flow's chunk (2), at least 1. */
    long chunk(Flow flow) {
        int group = flow.group.index();
        long total = chunkTotal > 0 ? chunkTotal : (long) allFlows * mtu;
        return Math.max(1, flow.weight * groupWeights[group] * total / (sumOfGroups * flowWeights[group]));
    }

    @Override
    ShareList<Flow> queue(Flow flow) {
        return flow.trafficClass() == TrafficClass.URGENT ? urgent : bulk;
    }

    @Override
    Flow choose() {
        Flow flow = urgent.isEmpty() ? bulk.first() : urgent.first();
        if (flow == null) {
            throw new IllegalStateException("no flow waits");
        }
        return flow;
    }

    @Override
    void grant(Flow flow) {
        if (!flow.inTurn) {
            flow.credit = chunk(flow);
            flow.statistics.chunk();
        }
        flow.inTurn = false;
        flow.budget = (int) Math.min(flow.credit, Integer.MAX_VALUE);
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        flow.credit -= bytes;
    }

    @Override
    public void full(Flow flow) {
        flow.inTurn = flow.credit > 0;
        super.full(flow);
    }

    @Override
    void joined(Flow flow) {
        int group = flow.group.index();
        flow.weight = flow.weight();
        flowWeights[group] += flow.weight;
        allFlows++;
        if (flows[group]++ == 0) {
            groupWeights[group] = flow.group.weight();
            sumOfGroups += groupWeights[group];
        }
    }

    @Override
    void left(Flow flow) {
        int group = flow.group.index();
        flowWeights[group] -= flow.weight;
        allFlows--;
        if (--flows[group] == 0) {
            sumOfGroups -= groupWeights[group];
            groupWeights[group] = 0;
        }
    }

    @Override
    public void changed(FlowGroup group) {
        int index = group.index();
        if (flows[index] > 0) {
            int weight = group.weight(); // once: it may be set again meanwhile
            sumOfGroups += weight - groupWeights[index];
            groupWeights[index] = weight;
        }
    }

    @Override
    public void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass) {
        if (!flow.member) {
            return;
        }
        flowWeights[flow.group.index()] += newWeight - flow.weight;
        flow.weight = newWeight;
        if (flow.list == urgent || flow.list == bulk) {
            boolean moves = flow.list != queue(flow);
            if (moves) {
                remove(flow);
                active(flow);
            }
        }
    }
}
