package io.verbena.nic.arbiter;

import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Where flows that have work stand, and which is next: groups below their floor, then urgent flows, then the round of
 * groups.
 *
 * <p>Behind a full output nothing moves: a flag and two counts say that its flows cannot be served. Only where others
 * can, what is met behind it steps aside, and comes back to the head when there is room. {@link #next} takes constant
 * time on the average.
 */
final class GroupSchedule {
    /** Bytes that a round over the groups moves a group on the mean, at least. */
    private static final int MIN_TURN = 16 * 1024;

    /** Bytes that a group's urgent flows may be ahead of its share. */
    private static final int URGENT_BURST = 64 * 1024;

    private static final int MIN_TOTAL = 64 * 1024;
    private static final int MAX_TOTAL = 1024 * 1024;
    private static final int FRACTION = WeightedRound.FRACTION;

    /** Mask: every 16th wait is timed. */
    private static final int SAMPLED = 15;

    private final ArbiterSettings settings;
    private final int shift; // units are so much larger than bytes
    private final NanoClock clock;
    private final GroupRates rates;
    private final UrgentTurns urgentTurns;
    private final WeightedRound<GroupEntry> groups = new WeightedRound<>();
    private int flows; // that have work
    private int ready; // of them, whose output has room and whose group is not above its ceiling
    private int readyInTurn; // of all, urgent or not, whose output has room for who waits for its turn
    private int entered;
    private final NanoClock turnClock; // the engine's time, one for all of its turn
    private long lapUnits; // of the last lap over the groups, as all engines were told

    // How the last flow was chosen.
    private boolean belowFloor; // its group had not had its floor

    // For how long more than one group has had work.
    private long contendedNanos;
    private long contendedSince;

    GroupSchedule(ArbiterSettings settings, int shift, int engine, NanoClock clock, NanoClock turnClock) {
        this.settings = settings;
        this.shift = shift;
        this.clock = clock;
        this.turnClock = turnClock;
        this.rates = new GroupRates(turnClock);
        this.urgentTurns = new UrgentTurns(
                engine, Math.max(1, URGENT_BURST >> shift), Math.max(1, settings.urgentWindow() >> shift));
    }

    // ---- what stands where
    // -------------------------------------------------------------------------------------------

    /** Flows that have work. */
    int flows() {
        return flows;
    }

    /** Whether more than one group has work. */
    boolean isContended() {
        return groups.members() > 1;
    }

    /** Whether a flow can be served. */
    boolean hasReady() {
        return ready > 0 && (readyInTurn > 0 || !urgentTurns.isEmpty());
    }

    /** Groups that were looked at for all choices so far. */
    long steps() {
        return groups.steps();
    }

    /** A flow has work. */
    void enter(Flow flow, FlowQueue queue) {
        GroupEntry entry = queue.entry;
        flows++;
        if (entry.flows++ == 0) {
            join(entry);
        }
        if (flow.urgent) {
            queue.urgent++;
            entry.urgent.flows.join(flow);
        } else {
            queue.flows.join(flow);
            if (queue.member) {
                entry.queues.weigh(queue, queue.weight + flow.weight);
            } else {
                queue.weight = flow.weight;
                entry.queues.join(queue);
            }
        }
        if (!entry.parked) {
            count(flow, 1);
            resume(entry);
            if (flow.urgent) {
                urgentTurns.offer(entry);
            }
        }
        if (flows > 1 && (++entered & SAMPLED) == 0) {
            flow.waitsSince = clock.nanoTime();
        }
    }

    /**
     * A flow has none left, or cannot go on.
     *
     * @param keepsCredit what is left over is its own, however late it goes on
     */
    void leave(Flow flow, FlowQueue queue, boolean keepsCredit) {
        GroupEntry entry = queue.entry;
        if (!entry.parked) {
            count(flow, -1);
        }
        flows--;
        flow.waitsSince = 0;
        if (flow.urgent) {
            queue.urgent--;
            entry.urgent.flows.leave(flow, keepsCredit);
        } else {
            queue.flows.leave(flow, keepsCredit);
            if (queue.flows.members() > 0) {
                entry.queues.weigh(queue, queue.weight - flow.weight);
            } else {
                entry.queues.leave(queue, false);
            }
        }
        if (--entry.flows == 0) {
            part(entry);
        }
    }

    private void count(Flow flow, int change) {
        OutputQueue output = flow.output;
        boolean full = false;
        if (output != null && flow.urgent) {
            output.urgentBacklog += change;
            full = output.urgentFull;
        } else if (output != null) {
            output.backlog += change;
            full = output.full;
        }
        ready += full ? 0 : change;
        readyInTurn += output != null && output.full ? 0 : change;
    }

    private void join(GroupEntry entry) {
        if (groups.members() == 1) {
            contendedSince = turnClock.nanoTime();
        }
        groups.join(entry);
        entry.contended = contended();
        entry.account.enter();
    }

    private void part(GroupEntry entry) {
        publish(entry);
        if (groups.members() == 2) {
            contendedNanos = entry.contended;
        }
        urgentTurns.withdraw(entry);
        rates.unpark(entry);
        groups.leave(entry, false);
        entry.account.leave();
    }

    private long contended() {
        return groups.members() > 1 ? contendedNanos + turnClock.nanoTime() - contendedSince : contendedNanos;
    }

    /** Adds the time for which the group has had work, and another too. */
    private void publish(GroupEntry entry) {
        long now = contended();
        if (now != entry.contended) {
            entry.statistics.backlogged(now - entry.contended);
            entry.contended = now;
        }
    }

    /** A flow's weight changes, in the same class. */
    void weigh(Flow flow, FlowQueue queue, int weight) {
        if (!flow.member) {
            flow.weight = weight;
        } else if (flow.urgent) {
            queue.entry.urgent.flows.weigh(flow, weight);
        } else {
            queue.entry.queues.weigh(queue, queue.weight + weight - flow.weight);
            queue.flows.weigh(flow, weight);
        }
    }

    /** A group is new here, or its weight or rates have changed. */
    void changed(GroupEntry entry) {
        groups.weigh(entry, entry.group.weight());
        entry.account.reweigh();
        rates.changed(entry);
    }

    /** The rates of groups and flows. */
    GroupRates rates() {
        return rates;
    }

    /** A group is gone for good, with all of its flows. */
    void forget(GroupEntry entry) {
        rates.forget(entry);
    }

    /** A group has work, and none of its flows can be served. */
    private void stall(GroupEntry entry) {
        groups.stall(entry);
        entry.account.pause();
    }

    // ---- outputs
    // -------------------------------------------------------------------------------------------------------

    /** A flow has met its output without room. */
    void full(OutputQueue output, boolean forUrgent) {
        if (!output.full) {
            output.full = true;
            ready -= output.backlog;
            readyInTurn -= output.backlog + output.urgentBacklog;
        }
        if (forUrgent && !output.urgentFull) {
            output.urgentFull = true;
            ready -= output.urgentBacklog;
        }
    }

    /** An output may be tried again. */
    void room(OutputQueue output) {
        if (output.full) {
            output.full = false;
            ready += output.backlog;
            readyInTurn += output.backlog + output.urgentBacklog;
            ShareList<FlowQueue> stalled = output.stalledQueues;
            for (FlowQueue queue = stalled.last(); queue != null; queue = stalled.last()) {
                stalled.remove(queue);
                queue.entry.queues.resume(queue);
                resume(queue.entry);
            }
        }
        if (output.urgentFull) {
            output.urgentFull = false;
            ready += output.urgentBacklog;
        }
        ShareList<Flow> stalled = output.stalledFlows;
        for (Flow flow = stalled.last(); flow != null; flow = stalled.last()) {
            stalled.remove(flow);
            GroupEntry entry = flow.queue().entry;
            entry.urgent.flows.resume(flow);
            urgentTurns.offer(entry);
            resume(entry);
        }
    }

    /** A group has a flow that can be served. */
    private void resume(GroupEntry entry) {
        if (entry.list == null) {
            groups.resume(entry);
            entry.account.resume();
        }
    }

    // ---- who is next
    // -------------------------------------------------------------------------------------------------

    /** The flow to serve next, where it stands; null if none can be served. */
    @Nullable
    Flow next() {
        while (ready > 0) {
            Flow flow = choose();
            if (flow == null) {
                return null;
            }
            GroupEntry entry = flow.queue().entry;
            if (!rates.admits(entry)) {
                park(entry);
            } else if (flow.limit != null && !rates.admits(flow)) {
                leave(flow, flow.queue(), true);
                rates.park(flow);
            } else {
                return flow;
            }
        }
        return null;
    }

    private @Nullable Flow choose() {
        belowFloor = false;
        if (rates.hasFloors() && groups.members() > 1) {
            for (int i = rates.belowFloor(0); i >= 0; i = rates.belowFloor(i + 1)) {
                Flow flow = choose(rates.floored(i)); // none if all its outputs are full
                if (flow != null) {
                    belowFloor = true;
                    return flow;
                }
            }
        }
        if (!urgentTurns.isEmpty()) {
            Flow flow = urgentTurns.select(groups.members() > 1);
            if (flow != null) {
                return flow;
            }
        }
        if (readyInTurn == 0) {
            return null; // no lap passes while those in turn wait for room on the same output as who is urgent
        }
        while (true) {
            long units = total();
            GroupEntry entry = groups.select(units);
            if (entry == null) {
                throw new IllegalStateException(readyInTurn + " flows are ready and no group is");
            }
            if (entry.began) {
                begin(entry, units);
            }
            Flow flow = choose(entry);
            if (flow != null) {
                return flow;
            }
            stall(entry);
        }
    }

    private void begin(GroupEntry entry, long units) {
        entry.began = false;
        if (units != lapUnits) {
            lapUnits = units;
            entry.account.lap(units);
        }
        publish(entry);
        urgentTurns.offer(entry); // its turns have paid what was early
    }

    /** The flow of a group whose turn it is, urgent ones first; null if all are behind full outputs. */
    private @Nullable Flow choose(GroupEntry entry) {
        if (entry.urgent.flows.hasReady()) {
            Flow flow = urgentTurns.select(entry);
            if (flow != null) {
                return flow;
            }
        }
        long units = groups.members() > 1 ? groups.units(entry.weight) : total();
        units = Math.max(units, Math.max(1, ((long) entry.flows * settings.minChunk()) >> shift));
        FlowQueue queue = entry.select(units);
        return queue == null ? null : queue.flows.select(units);
    }

    /** Units of one lap over the groups. */
    private long total() {
        long total = settings.chunkTotal();
        if (total == 0) {
            total = Math.min(MAX_TOTAL, Math.max(MIN_TOTAL, (long) flows * ArbiterSettings.MTU));
        }
        return Math.max(1, Math.max(total, (long) groups.members() * MIN_TURN) >> shift);
    }

    // ---- what it may send, and has sent
    // ------------------------------------------------------------------------------

    /** What the flow chosen may be charged in its visit, in fractions; at least 1. */
    long credit(Flow flow, FlowQueue queue) {
        GroupEntry entry = queue.entry;
        long credit = Long.MAX_VALUE;
        if (belowFloor) {
            credit = entry.floorTokens << FRACTION;
        } else if (groups.members() > 1) {
            credit = flow.urgent ? urgentTurns.left(entry) : entry.credit;
        }
        if (flow.urgent) {
            credit = entry.urgent.flows.members() > 1 ? Math.min(credit, flow.credit) : credit;
        } else {
            credit = entry.queues.members() > 1 ? Math.min(credit, queue.credit) : credit;
            credit = queue.flows.members() > 1 ? Math.min(credit, flow.credit) : credit;
        }
        return entry.ceiling != 0 ? Math.min(credit, entry.tokens << FRACTION) : credit;
    }

    /** Takes from the credit of all that the flow is part of. */
    void charge(Flow flow, FlowQueue queue, long units) {
        GroupEntry entry = queue.entry;
        long cost = units << FRACTION;
        // A floor above its share leaves a group without turns, but not in ever deeper debt.
        long least = belowFloor ? Math.min(entry.credit, -(total() << FRACTION)) : Long.MIN_VALUE;
        entry.credit = Math.max(entry.credit - cost, least);
        flow.credit -= cost;
        if (!flow.urgent) {
            queue.credit -= cost;
        }
    }

    /** Takes from the tokens of a group that has rates. */
    void spend(GroupEntry entry, long units, int operations) {
        if (entry.limited) {
            entry.tokens -= entry.ceiling != 0 ? units : 0;
            entry.operations.charge(operations);
        }
        if (entry.floor > 0) {
            entry.floorTokens = Math.max(entry.floorTokens - units, -GroupLedger.LOT);
        }
    }

    /** A flow's visit is over: turns end whose credit is spent. */
    void served(Flow flow, FlowQueue queue) {
        GroupEntry entry = queue.entry;
        if (flow.urgent) {
            entry.urgent.flows.served(flow);
            urgentTurns.served(entry);
        } else {
            queue.flows.served(flow);
            entry.queues.served(queue);
        }
        groups.served(entry);
    }

    // ---- ceilings and rates
    // ----------------------------------------------------------------------------------------------------

    private void park(GroupEntry entry) {
        readyInTurn -= entry.inTurn();
        ready -= entry.count(-1);
        urgentTurns.withdraw(entry);
        if (entry.list != null) {
            stall(entry);
        }
        rates.park(entry);
    }

    /** When {@link #expire} has something to do. */
    long deadline() {
        return rates.deadline();
    }

    /** Groups that waited for their ceiling take part again, and flows that waited for their rate. */
    void expire(long now) {
        for (Share share = rates.expired(now); share != null; share = rates.expired(now)) {
            if (share instanceof Flow flow) {
                enter(flow, flow.queue());
            } else if (share instanceof GroupEntry entry) {
                ready += entry.count(1);
                readyInTurn += entry.inTurn();
                resume(entry);
                urgentTurns.offer(entry);
            }
        }
    }
}
