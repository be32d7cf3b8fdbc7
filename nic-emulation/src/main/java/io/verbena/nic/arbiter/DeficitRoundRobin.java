package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Groups in turn, in each group flows in turn, a quantum of bytes a visit. Byte deficits carry what a visit overshot to the
 * next (Shreedhar and Varghese, deficit round robin), so equal flows get equal bytes whatever their packet sizes. Knows no
 * weights. A flow that is alone is not sliced: it gets a long budget. One that a full port stopped goes on with the rest of
 * its quantum.
 */
public final class DeficitRoundRobin extends FlowTurns {
    /** A group's flows; in the round while there are some. */
    private static final class Lane extends Share {
        final ShareList<Flow> flows = new ShareList<>();
    }

    private final int quantum;
    private final int aloneBudget;
    private final @Nullable Lane[] lanes;
    private final ShareList<Lane> round = new ShareList<>();

    /** Creates an empty schedule. */
    public DeficitRoundRobin(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        super(settings, engine);
        this.quantum = settings.quantum();
        this.aloneBudget = settings.aloneBudget();
        this.lanes = new Lane[settings.maxGroups()];
    }

    private Lane lane(Flow flow) {
        int index = flow.group.index();
        Lane lane = lanes[index];
        if (lane == null) {
            lane = new Lane();
            lanes[index] = lane;
        }
        return lane;
    }

    @Override
    ShareList<Flow> queue(Flow flow) {
        return lane(flow).flows;
    }

    @Override
    Flow choose() {
        for (Lane lane = round.first(); lane != null; lane = round.first()) {
            Flow flow = lane.flows.first();
            if (flow == null) {
                round.remove(lane);
            } else if (flow.inTurn || flow.credit + quantum > 0) {
                return flow;
            } else {
                flow.credit += quantum; // pays what it owes, and has no visit
                lane.flows.rotate();
                round.rotate();
            }
        }
        throw new IllegalStateException("no flow waits");
    }

    @Override
    void grant(Flow flow) {
        if (!othersWait()) {
            flow.credit = aloneBudget;
        } else if (flow.inTurn) {
            flow.credit = Math.min(flow.credit, quantum);
        } else {
            flow.credit = Math.min(flow.credit, 0) + quantum;
        }
        flow.inTurn = false;
        flow.budget = (int) flow.credit;
        round.rotate();
    }

    @Override
    void placed(Flow flow, boolean first) {
        Lane lane = lane(flow);
        if (lane.list == null) {
            round.addLast(lane);
        }
        if (first && round.first() != lane) {
            round.remove(lane);
            round.addFirst(lane);
        }
    }

    @Override
    void joined(Flow flow) {
        // All flows are equal.
    }

    @Override
    void left(Flow flow) {
        // All flows are equal.
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        super.charge(flow, bytes, operations, nanos);
        flow.credit -= bytes;
    }

    @Override
    public void blocked(Flow flow) {
        flow.inTurn = flow.credit > 0;
    }

    @Override
    public void full(Flow flow) {
        flow.inTurn = flow.credit > 0;
        super.full(flow);
    }
}
