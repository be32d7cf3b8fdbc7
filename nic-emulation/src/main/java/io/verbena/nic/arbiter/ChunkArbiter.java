package io.verbena.nic.arbiter;

import java.util.Arrays;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Data-chunk scheduling with exact shares, after Palos: a flow's chunk is its weight times its group's granularity, groups
 * share by weight, and what a visit overshoots or leaves over is carried to the next.
 *
 * <pre>
 *   groups ──▶ GroupEntry (N x its weight / weights of groups with work)
 *                └─▶ FlowQueue, one a port (sum of its active flows' weights)
 *                       └─▶ Flow (chunk = weight x granularity)
 * </pre>
 *
 * All three levels are a {@link WeightedRound}. Idle groups and flows are in no sum. A full port costs nothing but a flag:
 * its queues keep place and credit, so that room goes by weight and not by who met it first.
 */
public final class ChunkArbiter implements Arbiter {
    private static final int LEAST_TOTAL = 64 * 1024;
    private static final int MOST_TOTAL = 1024 * 1024;

    private final ArbiterSettings settings;
    private final EngineAccounts books;
    private final boolean timed;
    private final WeightedRound<GroupEntry> groups = new WeightedRound<>();
    private @Nullable GroupEntry[] entries = {};
    private int flows; // that have work
    private int ready; // of them, whose port has room
    private boolean alone; // the flow served is the only one
    private @Nullable Flow served;

    /** Creates an empty schedule. */
    public ChunkArbiter(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        this.settings = settings;
        this.books = new EngineAccounts(engine, engines);
        this.timed = settings.unit() == ChargedUnit.NIC_TIME;
    }

    // ---- control path ----------------------------------------------------------------------------------------------

    @Override
    public void attach(Flow flow, @Nullable Port port) {
        FlowQueue before = flow.queue;
        if (before != null && before.port == port) {
            return;
        }
        boolean scheduled = flow.member;
        detach(flow);
        flow.weight = flow.weight();
        flow.port = port;
        flow.queue = entry(flow.group).attach(port);
        if (scheduled) {
            enter(flow, flow.queue);
        }
    }

    @Override
    public void detach(Flow flow) {
        FlowQueue queue = flow.queue;
        if (queue == null) {
            return;
        }
        if (served == flow) {
            served = null;
        }
        if (flow.member) {
            leave(flow, queue);
        }
        queue.entry.detach(queue);
        flow.queue = null;
        flow.port = null;
    }

    private GroupEntry entry(FlowGroup group) {
        int index = group.index();
        if (index >= entries.length) {
            entries = Arrays.copyOf(entries, Math.max(index + 1, entries.length * 2));
        }
        GroupEntry entry = entries[index];
        if (entry == null || entry.group != group) {
            entry = new GroupEntry(group, books);
            entries[index] = entry;
        }
        return entry;
    }

    @Override
    public void changed(FlowGroup group) {
        GroupEntry entry = group.index() < entries.length ? entries[group.index()] : null;
        if (entry != null && entry.group == group) {
            groups.weigh(entry, group.weight());
            entry.account.reweigh();
        }
    }

    @Override
    public void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass) {
        FlowQueue queue = flow.queue;
        if (queue != null && flow.member) {
            queue.entry.queues.weigh(queue, queue.weight + newWeight - flow.weight);
            queue.flows.weigh(flow, newWeight);
        } else {
            flow.weight = newWeight;
        }
    }

    // ---- work comes and goes
    // -----------------------------------------------------------------------------------------

    @Override
    public void active(Flow flow) {
        if (served == flow) {
            settle(flow);
        }
        if (!flow.member) {
            enter(flow, queue(flow));
        }
    }

    @Override
    public void idle(Flow flow) {
        flow.credit = Math.min(flow.credit, 0);
        blocked(flow);
    }

    @Override
    public void blocked(Flow flow) {
        if (served == flow) {
            settle(flow);
        }
        if (flow.member) {
            leave(flow, queue(flow));
        }
    }

    @Override
    public void full(Flow flow) {
        FlowQueue queue = queue(flow);
        Port port = queue.port;
        if (port == null) {
            throw new IllegalStateException("a flow without a port has met a full one");
        }
        if (!port.full) {
            port.full = true;
            ready -= port.backlog;
        }
        active(flow);
    }

    @Override
    public void room(Port port) {
        if (!port.full) {
            return;
        }
        port.full = false;
        ready += port.backlog;
        ShareList<FlowQueue> stalled = port.stalledQueues;
        for (FlowQueue queue = stalled.last(); queue != null; queue = stalled.last()) {
            stalled.remove(queue);
            GroupEntry entry = queue.entry;
            entry.queues.resume(queue);
            if (entry.list == null) {
                groups.resume(entry);
            }
        }
    }

    private static FlowQueue queue(Flow flow) {
        FlowQueue queue = flow.queue;
        if (queue == null) {
            throw new IllegalStateException("the flow is not attached");
        }
        return queue;
    }

    private void enter(Flow flow, FlowQueue queue) {
        GroupEntry entry = queue.entry;
        queue.flows.join(flow);
        if (queue.member) {
            entry.queues.weigh(queue, queue.weight + flow.weight);
        } else {
            queue.weight = flow.weight;
            entry.queues.join(queue);
            if (!entry.member) {
                groups.join(entry);
                entry.account.enter();
            } else if (entry.list == null) {
                groups.resume(entry);
            }
        }
        entry.flows++;
        flows++;
        Port port = queue.port;
        if (port == null) {
            ready++;
        } else {
            port.backlog++;
            ready += port.full ? 0 : 1;
        }
    }

    private void leave(Flow flow, FlowQueue queue) {
        GroupEntry entry = queue.entry;
        Port port = queue.port;
        if (port == null) {
            ready--;
        } else {
            port.backlog--;
            ready -= port.full ? 0 : 1;
        }
        flows--;
        entry.flows--;
        queue.flows.leave(flow);
        if (queue.flows.members() > 0) {
            entry.queues.weigh(queue, queue.weight - flow.weight);
            return;
        }
        queue.credit = Math.min(queue.credit, 0);
        entry.queues.leave(queue);
        if (entry.queues.members() == 0) {
            entry.credit = Math.min(entry.credit, 0);
            groups.leave(entry);
            entry.account.leave();
        }
    }

    // ---- visits
    // ------------------------------------------------------------------------------------------------------

    @Override
    public @Nullable Flow next() {
        if (ready == 0) {
            return null;
        }
        while (true) {
            GroupEntry entry = groups.select(total());
            if (entry == null) {
                throw new IllegalStateException(ready + " flows are ready and no group is");
            }
            long lapBytes = Math.max(groups.bytes(entry.weight), (long) entry.flows * settings.minChunk());
            FlowQueue queue = entry.select(lapBytes);
            if (queue == null) {
                groups.stall(entry);
                continue;
            }
            Flow flow = queue.flows.select(lapBytes);
            if (flow == null) {
                throw new IllegalStateException("a queue in turn has no flow");
            }
            alone = flows == 1;
            served = flow;
            flow.budget = alone ? settings.aloneBudget() : budget(flow, queue, entry);
            return flow;
        }
    }

    /** Bytes of one lap over the groups. */
    private long total() {
        long total = settings.chunkTotal();
        if (total == 0) {
            total = Math.min(MOST_TOTAL, Math.max(LEAST_TOTAL, (long) flows * settings.mtu()));
        }
        return Math.max(total, (long) groups.members() * settings.minTurn());
    }

    private static int budget(Flow flow, FlowQueue queue, GroupEntry entry) {
        long credit = Math.min(flow.credit, Math.min(queue.credit, entry.credit));
        long bytes = (credit + (1L << WeightedRound.FRACTION) - 1) >> WeightedRound.FRACTION;
        return (int) Math.min(bytes, Integer.MAX_VALUE);
    }

    @Override
    public boolean nextAlone(Flow flow) {
        if (flows != 0) {
            return false;
        }
        alone = true;
        served = flow;
        flow.budget = settings.aloneBudget();
        return true;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        FlowQueue queue = queue(flow);
        GroupEntry entry = queue.entry;
        if (!alone) {
            long units = (long) bytes << WeightedRound.FRACTION;
            flow.credit -= units;
            queue.credit -= units;
            entry.credit -= units;
        }
        flow.statistics.visit(bytes, operations);
        entry.account.charge(bytes, operations, bytes);
    }

    /** The visit is over: turns end whose credit is spent. */
    private void settle(Flow flow) {
        served = null;
        FlowQueue queue = queue(flow);
        GroupEntry entry = queue.entry;
        if (alone) {
            alone = false;
            flow.credit = 0;
            queue.credit = 0;
            entry.credit = 0;
        }
        queue.flows.served(flow);
        entry.queues.served(queue);
        groups.served(entry);
    }

    @Override
    public boolean hasActive() {
        return ready > 0;
    }

    // ---- time
    // --------------------------------------------------------------------------------------------------------

    @Override
    public boolean isTimed() {
        return timed;
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
