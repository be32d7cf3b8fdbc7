package io.verbena.nic.arbiter;

import java.util.Arrays;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Data-chunk scheduling with exact shares, after Palos: a flow's chunk is its weight times its group's granularity,
 * groups share by weight, and what a visit overshoots or leaves over is carried to the next.
 *
 * <pre>
 *   floors ─▶ urgent turns ─▶ groups ──▶ GroupEntry (N x its weight / weights of groups with work)
 *                                          └─▶ FlowQueue, one an output (sum of its active flows' weights)
 *                                                └─▶ Flow (chunk = weight x granularity)
 * </pre>
 *
 * <p>All three levels are a {@link WeightedRound}. Idle groups and flows are in no sum. A full output costs nothing but
 * a flag: its queues keep place and credit, so that room goes by weight and not by who met it first. Whoever is the
 * only member of a round owes nothing there, for nobody else had work. {@link GroupSchedule} says where what stands and
 * who is next; here is how much, and in which unit.
 */
public final class ChunkArbiter implements Arbiter {
    private static final int FRACTION = WeightedRound.FRACTION;

    /** An operation counts as much as so many bytes (as a shift) where chunks are bytes and operations are charged. */
    private static final int OPERATION_SHIFT = 10;

    private final ArbiterSettings settings;
    private final ChargedUnit unit;
    private final NanoClock clock;
    private final EngineAccounts books;
    private final GroupSchedule schedule;
    private final GroupRates rates; // of the schedule
    private @Nullable GroupEntry[] entries = {};
    private int urgentFlows; // that are attached

    // The visit under way.
    private @Nullable Flow served;
    private boolean alone; // it is the only flow with work
    private boolean contended; // another group has work too

    /** Creates an empty schedule that asks one clock for all times. */
    public ChunkArbiter(ArbiterSettings settings, int engine, int engines, NanoClock clock) {
        this(settings, engine, engines, clock, clock);
    }

    /**
     * Creates an empty schedule.
     *
     * @param engine its number in the NIC, from 0
     * @param engines of the NIC
     * @param clock times visits and waits
     * @param turn where all other time comes from: one reading may do for a whole turn of the engine
     */
    public ChunkArbiter(ArbiterSettings settings, int engine, int engines, NanoClock clock, NanoClock turn) {
        this.settings = settings;
        this.unit = settings.unit();
        this.clock = clock;
        int shift = unit == ChargedUnit.OPERATIONS ? OPERATION_SHIFT : 0;
        this.books = new EngineAccounts(engine, engines, shift);
        this.schedule = new GroupSchedule(settings, shift, engine, clock, turn);
        this.rates = schedule.rates();
    }

    // ---- control path ----------------------------------------------------------------------------------------------

    @Override
    public void attach(Flow flow, @Nullable OutputQueue output) {
        FlowQueue before = flow.queue;
        if (before != null && before.output == output) {
            return;
        }
        boolean scheduled = flow.member || flow.parked;
        boolean visited = served == flow;
        detach(flow);
        flow.weight = flow.weight();
        flow.output = output;
        FlowQueue queue = entry(flow.group).attach(output);
        flow.queue = queue;
        classify(flow, flow.trafficClass() == TrafficClass.URGENT);
        rates.changed(flow);
        if (scheduled) {
            schedule.enter(flow, queue);
        }
        if (visited) {
            served = flow;
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
        rates.unpark(flow);
        if (flow.member) {
            schedule.leave(flow, queue, true);
        }
        classify(flow, false);
        queue.entry.detach(queue);
        flow.queue = null;
        flow.output = null;
    }

    private GroupEntry entry(FlowGroup group) {
        int index = group.index();
        if (index >= entries.length) {
            entries = Arrays.copyOf(entries, Math.max(index + 1, entries.length * 2));
        }
        GroupEntry entry = entries[index];
        if (entry == null || entry.group != group) {
            if (entry != null) {
                schedule.forget(entry); // destroyed, and its index is another's now
            }
            entry = new GroupEntry(group, books);
            entries[index] = entry;
            schedule.changed(entry);
        }
        return entry;
    }

    /** A flow that has no work is urgent from now on, or is not. */
    private void classify(Flow flow, boolean urgent) {
        if (flow.urgent != urgent) {
            flow.urgent = urgent;
            int change = urgent ? 1 : -1;
            urgentFlows += change;
            OutputQueue output = flow.output;
            if (output != null) {
                output.urgentFlows(change, settings.urgentWindow());
            }
        }
    }

    @Override
    public void changed(FlowGroup group) {
        GroupEntry entry = group.index() < entries.length ? entries[group.index()] : null;
        if (entry != null && entry.group == group) {
            schedule.changed(entry);
        }
    }

    @Override
    public void changed(Flow flow, int oldWeight, int newWeight, TrafficClass newClass) {
        FlowQueue queue = flow.queue;
        if (queue == null) {
            return; // it is looked at when it is attached
        }
        rates.changed(flow);
        boolean urgent = newClass == TrafficClass.URGENT;
        boolean moves = flow.member && flow.urgent != urgent;
        if (moves) {
            schedule.leave(flow, queue, true);
            classify(flow, urgent);
            flow.weight = newWeight;
            schedule.enter(flow, queue);
        } else {
            classify(flow, urgent);
            schedule.weigh(flow, queue, newWeight);
        }
    }

    // ---- work comes and goes
    // -----------------------------------------------------------------------------------------

    @Override
    public void active(Flow flow) {
        if (served == flow) {
            settle(flow);
        }
        if (!flow.member && !flow.parked) {
            schedule.enter(flow, flow.queue());
        }
    }

    @Override
    public void idle(Flow flow) {
        leave(flow, false);
    }

    @Override
    public void blocked(Flow flow) {
        leave(flow, true);
    }

    private void leave(Flow flow, boolean keepsCredit) {
        if (served == flow) {
            settle(flow);
        }
        rates.unpark(flow);
        if (flow.member) {
            schedule.leave(flow, flow.queue(), keepsCredit);
        }
    }

    @Override
    public void full(Flow flow) {
        OutputQueue output = flow.output;
        if (output == null) {
            throw new IllegalStateException("a flow without an output has met a full one");
        }
        schedule.full(output, isEarly());
        active(flow);
    }

    @Override
    public void room(OutputQueue output) {
        schedule.room(output);
    }

    @Override
    public int turnBytes() {
        return urgentFlows == 0 ? Integer.MAX_VALUE : settings.urgentWindow();
    }

    @Override
    public boolean hasActive() {
        return schedule.hasReady();
    }

    // ---- visits
    // ------------------------------------------------------------------------------------------------------

    @Override
    public @Nullable Flow next() {
        Flow flow = schedule.next();
        if (flow != null) {
            served = flow;
            alone = schedule.flows() == 1;
            contended = schedule.isContended();
            if (flow.waitsSince != 0) {
                delayed(flow);
            }
            int budget = budget(flow, schedule.credit(flow, flow.queue()));
            flow.budget = isFree(flow) ? budget : rates.budget(flow, budget);
        }
        return flow;
    }

    private void delayed(Flow flow) {
        long waited = clock.nanoTime() - flow.waitsSince;
        flow.waitsSince = 0;
        flow.statistics.delayed(waited);
        flow.queue().entry.statistics.delayed(waited);
    }

    private int budget(Flow flow, long credit) {
        long units = (credit >> FRACTION) + ((credit & ((1L << FRACTION) - 1)) == 0 ? 0 : 1);
        long bytes =
                unit == ChargedUnit.BYTES ? units : (Math.min(units, Integer.MAX_VALUE) * flow.bytesAUnit) >> Byte.SIZE;
        return (int) Math.max(1, Math.min(bytes, most(flow)));
    }

    /** Bytes that a visit may have at most: where there are urgent flows they are not to wait for long. */
    private int most(Flow flow) {
        boolean longest = flow.urgent ? alone : urgentFlows == 0;
        return longest ? settings.aloneBudget() : Math.min(settings.aloneBudget(), settings.urgentWindow());
    }

    @Override
    public boolean nextAlone(Flow flow) {
        GroupEntry entry = flow.queue().entry;
        if (schedule.flows() != 0 || flow.limit != null || (entry.limited && !rates.admitsAlone(entry))) {
            return false;
        }
        served = flow;
        alone = true;
        contended = false;
        flow.budget = isFree(flow) ? most(flow) : rates.budget(flow, most(flow));
        return true;
    }

    /** Whether no rate bounds a flow or its group, nor has done so in its last visit. */
    private static boolean isFree(Flow flow) {
        return flow.limit == null && !flow.onePacket && !flow.queue().entry.limited;
    }

    /** Whether the flow that is served is urgent. */
    private boolean isEarly() {
        Flow flow = served;
        return flow != null && flow.urgent;
    }

    @Override
    public void charge(Flow flow, int bytes, int operations, long nanos) {
        FlowQueue queue = flow.queue();
        GroupEntry entry = queue.entry;
        long units = unit == ChargedUnit.BYTES ? bytes : measure(flow, bytes, operations, nanos);
        if (flow.member) {
            schedule.charge(flow, queue, units);
        }
        schedule.spend(entry, units, operations);
        FlowLimit limit = flow.limit;
        if (limit != null) {
            rates.charge(limit, bytes, operations);
        }
        flow.statistics.visit(bytes, operations, units);
        entry.account.charge(bytes, operations, units);
        if (contended) {
            entry.statistics.contended(units);
        }
    }

    /** What a visit is charged where that is not its bytes; learns how many bytes a unit is. */
    private long measure(Flow flow, int bytes, int operations, long nanos) {
        long units = unit == ChargedUnit.NIC_TIME ? nanos : operations;
        flow.unmeasured += bytes;
        if (units > 0) {
            long now = (flow.unmeasured << Byte.SIZE) / units;
            flow.unmeasured = 0;
            flow.bytesAUnit = Math.max(1, Math.min(Integer.MAX_VALUE, flow.bytesAUnit + (now - flow.bytesAUnit) / 4));
        }
        return units;
    }

    /** The visit is over. */
    private void settle(Flow flow) {
        served = null;
        if (flow.member) {
            schedule.served(flow, flow.queue());
        }
    }

    /** Groups that were looked at so far: what choosing among them has cost. */
    long steps() {
        return schedule.steps();
    }

    /** How often a group or flow was moved while it waited for its ceiling or rate. */
    long moves() {
        return rates.moves();
    }

    // ---- time
    // --------------------------------------------------------------------------------------------------------

    @Override
    public long nextDeadlineNanos() {
        return schedule.deadline();
    }

    @Override
    public void expire(long nowNanos) {
        schedule.expire(nowNanos);
    }
}
