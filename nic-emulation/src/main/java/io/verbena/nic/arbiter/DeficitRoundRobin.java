package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Groups in turn, in each group flows in turn, a quantum of bytes a visit. Byte deficits carry what a visit overshot to the
 * next (Shreedhar and Varghese, deficit round robin), so equal flows get equal bytes whatever their packet sizes. Knows no
 * weights. A flow that is alone is not sliced: it gets a long budget.
 */
public final class DeficitRoundRobin implements Arbiter {
    /** A group's flows; in the round while there are some. */
    private static final class Lane extends Share {
        final ShareList<Flow> flows = new ShareList<>();
    }

    private final int quantum;
    private final int aloneBudget;
    private final int engine;
    private final Lane[] lanes;
    private final ShareList<Lane> round = new ShareList<>();

    /** Creates an empty schedule. */
    public DeficitRoundRobin(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        this.quantum = settings.quantum();
        this.aloneBudget = settings.aloneBudget();
        this.engine = engine;
        this.lanes = new Lane[settings.maxGroups()];
    }

    @Override
    public void attach(Flow flow, @Nullable Port port) {
        int index = flow.group.index();
        if (lanes[index] == null) {
            lanes[index] = new Lane();
        }
        if (flow.port != port) {
            boolean scheduled = flow.list != null;
            detach(flow);
            flow.port = port;
            if (scheduled) {
                active(flow);
            }
        }
    }

    @Override
    public void detach(Flow flow) {
        remove(flow);
        flow.port = null;
        flow.credit = 0;
        flow.inTurn = false;
    }

    private Lane lane(Flow flow) {
        return lanes[flow.group.index()];
    }

    private void remove(Flow flow) {
        Port port = flow.port;
        if (port != null && flow.list == port.stalledFlows) {
            port.stalledFlows.remove(flow);
        } else if (flow.list != null) {
            Lane lane = lane(flow);
            lane.flows.remove(flow);
            if (lane.flows.isEmpty()) {
                round.remove(lane);
            }
        }
    }

    @Override
    public void active(Flow flow) {
        if (flow.list == null) {
            Lane lane = lane(flow);
            lane.flows.addLast(flow);
            if (lane.list == null) {
                round.addLast(lane);
            }
        }
    }

    @Override
    public void idle(Flow flow) {
        flow.credit = Math.min(flow.credit, 0);
    }

    @Override
    public void blocked(Flow flow) {
        // What is left of its quantum stays: a flow that waits for a link has earned it.
    }

    @Override
    public void full(Flow flow) {
        Port port = flow.port;
        if (port == null) {
            throw new IllegalStateException("a flow without a port has met a full one");
        }
        port.full = true;
        if (flow.list == null) {
            flow.inTurn = flow.credit > 0;
            port.stalledFlows.addFirst(flow);
        }
    }

    @Override
    public void room(Port port) {
        port.full = false;
        for (Flow flow = port.stalledFlows.last(); flow != null; flow = port.stalledFlows.last()) {
            port.stalledFlows.remove(flow);
            Lane lane = lane(flow);
            lane.flows.addFirst(flow);
            if (lane.list == null) {
                round.addFirst(lane);
            }
        }
    }

    @Override
    public @Nullable Flow next() {
        for (Lane lane = round.first(); lane != null; lane = round.first()) {
            round.remove(lane);
            Flow flow = lane.flows.first();
            if (flow == null) {
                throw new IllegalStateException("a scheduled group has no flow");
            }
            lane.flows.remove(flow);
            Port port = flow.port;
            boolean stalls = port != null && port.full;
            boolean alone = round.isEmpty() && lane.flows.isEmpty();
            boolean pays = !stalls && !alone && !flow.inTurn && flow.credit + quantum <= 0;
            if (port != null && stalls) {
                port.stalledFlows.addLast(flow);
            } else if (pays) {
                flow.credit += quantum;
                lane.flows.addLast(flow);
            }
            if (!lane.flows.isEmpty()) {
                round.addLast(lane);
            }
            if (!stalls && !pays) {
                long turn = flow.inTurn ? flow.credit : Math.min(flow.credit, quantum) + quantum;
                flow.inTurn = false;
                grant(flow, alone ? aloneBudget : turn);
                return flow;
            }
        }
        return null;
    }

    private static void grant(Flow flow, long bytes) {
        flow.credit = bytes;
        flow.budget = (int) bytes;
    }

    @Override
    public boolean nextAlone(Flow flow) {
        if (!round.isEmpty() || flow.list != null) {
            return false;
        }
        grant(flow, aloneBudget);
        return true;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        flow.credit -= bytes;
        flow.statistics.visit(bytes, operations);
        flow.group.statistics().part(engine).visit(bytes, operations);
    }

    @Override
    public boolean isTimed() {
        return false;
    }

    @Override
    public boolean hasActive() {
        return !round.isEmpty();
    }

    @Override
    public void changed(FlowGroup group) {
        // All groups are equal.
    }

    @Override
    public void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass) {
        // All flows are equal.
    }

    @Override
    public long nextDeadlineNanos() {
        return Long.MAX_VALUE;
    }

    @Override
    public void expire(long nowNanos) {
        // Nothing waits for a time.
    }

    @Override
    public boolean wantsAcknowledgements() {
        return false;
    }

    @Override
    public void acknowledged(Flow flow) {
        // Not asked for.
    }
}
