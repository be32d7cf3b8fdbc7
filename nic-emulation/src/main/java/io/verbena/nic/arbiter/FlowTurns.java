package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * What the disciplines have in common that others are compared with: flows wait in queues, in the order in which they got
 * work, and those behind a full port are passed over.
 *
 * <p>A flow behind a full port is taken out of its queue when it is met there, and put back at the head when the port has
 * room. While no flow could be served none is looked at.
 */
abstract class FlowTurns implements Arbiter {
    private final int aloneBudget;
    private final int engine;
    private int scheduled; // flows that have work
    private int ready; // of them, not behind a full port

    FlowTurns(ArbiterSettings settings, int engine) {
        this.aloneBudget = settings.aloneBudget();
        this.engine = engine;
    }

    /** The queue in which a flow waits. */
    abstract ShareList<Flow> queue(Flow flow);

    /** The head of the queue whose turn it is, where it stays; there is one. */
    abstract Flow choose();

    /** Sets the budget of a flow that is served now. */
    abstract void grant(Flow flow);

    /** A flow has a place: it was attached. */
    abstract void joined(Flow flow);

    /** A flow has none any more. */
    abstract void left(Flow flow);

    /** A flow stands in its queue now: at the end, or at the head because a full port has kept it from its turn. */
    void placed(Flow flow, boolean first) {
        // Most have no list of queues.
    }

    /** Whether anybody has work besides the flow that is granted a visit. */
    final boolean othersWait() {
        return scheduled > 0;
    }

    @Override
    public void attach(Flow flow, @Nullable Port port) {
        if (!flow.member) {
            flow.member = true;
            flow.port = port;
            joined(flow);
        } else if (flow.port != port) {
            boolean had = flow.list != null;
            remove(flow);
            flow.port = port;
            if (had) {
                place(flow, false);
                counted(flow);
            }
        }
    }

    @Override
    public void detach(Flow flow) {
        if (flow.member) {
            remove(flow);
            flow.member = false;
            left(flow);
            flow.port = null;
            flow.credit = 0;
            flow.inTurn = false;
        }
    }

    @Override
    public void active(Flow flow) {
        if (flow.list == null) {
            place(flow, false);
            counted(flow);
        }
    }

    @Override
    public void idle(Flow flow) {
        flow.inTurn = false;
    }

    @Override
    public void blocked(Flow flow) {
        flow.inTurn = false;
    }

    @Override
    public void full(Flow flow) {
        Port port = flow.port;
        if (port == null) {
            throw new IllegalStateException("a flow without a port has met a full one");
        }
        if (!port.full) {
            port.full = true;
            ready -= port.backlog;
        }
        if (flow.list == null) {
            place(flow, true);
            counted(flow);
        }
    }

    @Override
    public void room(Port port) {
        if (port.full) {
            port.full = false;
            ready += port.backlog;
            for (Flow flow = port.stalledFlows.last(); flow != null; flow = port.stalledFlows.last()) {
                port.stalledFlows.remove(flow);
                place(flow, true);
            }
        }
    }

    private void place(Flow flow, boolean first) {
        if (first) {
            queue(flow).addFirst(flow);
        } else {
            queue(flow).addLast(flow);
        }
        placed(flow, first);
    }

    private void counted(Flow flow) {
        scheduled++;
        Port port = flow.port;
        if (port == null || !port.full) {
            ready++;
        }
        if (port != null) {
            port.backlog++;
        }
    }

    /** Takes a flow out of where it waits, if it does. */
    final void remove(Flow flow) {
        ShareList<?> list = flow.list;
        if (list == null) {
            return;
        }
        list.remove(flow);
        scheduled--;
        Port port = flow.port;
        if (port == null || !port.full) {
            ready--;
        }
        if (port != null) {
            port.backlog--;
        }
    }

    @Override
    public @Nullable Flow next() {
        while (ready > 0) {
            Flow flow = choose();
            Port port = flow.port;
            if (port != null && port.full) {
                queue(flow).remove(flow);
                port.stalledFlows.addLast(flow);
            } else {
                remove(flow);
                grant(flow);
                return flow;
            }
        }
        return null;
    }

    @Override
    public boolean nextAlone(Flow flow) {
        Port port = flow.port;
        if (scheduled > 0 || (port != null && port.full)) {
            return false;
        }
        grant(flow);
        if (port == null) {
            flow.budget = aloneBudget; // nothing is cut into packets there
        }
        return true;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        flow.statistics.visit(bytes, operations);
        flow.group.statistics().part(engine).visit(bytes, operations);
    }

    @Override
    public boolean isTimed() {
        return false;
    }

    @Override
    public boolean hasActive() {
        return ready > 0;
    }

    @Override
    public void changed(FlowGroup group) {
        // Weights are not looked at.
    }

    @Override
    public void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass) {
        // Weights and classes are not looked at.
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
