package io.verbena.verification.simulate;

import io.verbena.nic.append.AppendConsumer;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.append.AppendRecord;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.QpType;
import io.verbena.verification.simulate.AppendPlan.Feature;
import io.verbena.verification.simulate.AppendTally.Event;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The owner's application: makes the queue, takes what comes, stands still, changes and destroys it; and holds each
 * time what the queue says of itself against what was taken from it.
 */
final class AppendOwner implements Actor {
    /** How often the background thread looks for what only time brings. */
    private static final long TICK = 1_000_000;

    private static final int MAX_HELD = 6;

    private final Simulation simulation;
    private final AppendWalk walk;
    private final AppendPlan plan;
    private final AppendHost host;
    private final SimRandom random;
    private final AppendTally tally;

    private final List<AppendConsumer> consumers = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private @Nullable AppendQueue queue;
    private @Nullable AppendConsumer taking;
    private Simulation.@Nullable Participant participant;
    private int number; // queues so far
    private long lazyUntil;
    private long nextTick;
    private long records;
    private long bytes;
    private long allowed; // bytes that may be mapped
    private long footprint;
    private int mostReserve;
    private long rnr;

    AppendOwner(Simulation simulation, AppendWalk walk, AppendPlan plan, AppendHost host, AppendTally tally) {
        this.simulation = simulation;
        this.walk = walk;
        this.plan = plan;
        this.host = host;
        this.tally = tally;
        random = simulation.newRandom();
    }

    @Nullable
    AppendQueue queue() {
        return queue;
    }

    /** Tells the present queue from those before it. */
    int number() {
        return number;
    }

    /** The owner's process has come up. */
    void open() {
        lazyUntil = 0;
        participant = simulation.add(host.node.name() + ".consumer", this);
        create();
    }

    /** The owner's process has died, and the queue with it. */
    void died() {
        Simulation.Participant was = participant;
        if (was != null) {
            was.remove();
            participant = null;
        }
        held.clear();
        gone();
    }

    private void gone() {
        if (queue != null) {
            consumers.clear();
            taking = null;
            queue = null;
            walk.queueGone(number);
            number++;
        }
    }

    /** Makes a queue if there is none. */
    void create() {
        if (queue != null || !host.isAlive()) {
            return;
        }
        AppendQueueAttributes attributes = plan.attributes();
        host.node.act(() -> queue = host.pd().createAppendQueue(attributes));
        AppendQueue fresh = queue;
        for (int i = 0; fresh != null && plan.consumers > 1 && i < plan.consumers; i++) {
            consumers.add(fresh.consumer());
        }
        records = 0;
        bytes = 0;
        rnr = 0;
        footprint = 0;
        mostReserve = plan.reserve;
        AppendQueue made = queue;
        allowed = made == null ? 0 : made.attributes().memoryLimit();
    }

    // ---- what it does besides taking ----------------------------------------------------------------------------

    void stall(long nanos) {
        tally.event(Event.STALLS);
        lazyUntil = simulation.nowNanos() + nanos;
    }

    void hurry() {
        lazyUntil = 0;
        release(held.size());
    }

    void modify(SimRandom chance) {
        AppendQueue q = queue;
        if (q == null || !host.isAlive()) {
            return;
        }
        int reserve = 1 + chance.nextInt(3);
        long limit = chance.nextInt(2) == 0 ? 0 : plan.least(reserve) + (long) chance.nextInt(4) * plan.chunkLength;
        look(q);
        host.node.act(() -> q.modify(new AppendQueueAttributes(q.attributes())
                .reserveChunks(plan.reserveChunks(reserve))
                .memoryLimit(limit)
                .lowWatermark(-1)));
        if (queue == q) {
            allowed = allowed(q.query(), q.attributes().memoryLimit());
        }
        mostReserve = Math.max(mostReserve, reserve);
        tally.event(Event.MODIFY);
    }

    /** Destroys the queue, if it is empty or by force. */
    void destroy(boolean force) {
        AppendQueue q = queue;
        if (q == null || !host.isAlive()) {
            return;
        }
        boolean[] done = new boolean[1];
        boolean[] empty = new boolean[1];
        boolean alive = host.node.act(() -> {
            empty[0] = q.depth() == 0 && q.query().heldRecords() == 0;
            done[0] = q.destroy(force);
        });
        if (!alive) {
            return; // died has seen to it
        }
        if (done[0] != (force || empty[0])) {
            throw new WalkFailure("destroyed " + done[0] + ", by force " + force + ", empty " + empty[0]);
        }
        tally.event(force ? Event.DESTROY_FORCED : done[0] ? Event.DESTROY_EMPTY : Event.DESTROY_BUSY);
        if (done[0]) {
            tally.queue(q.query());
            gone();
        }
    }

    // ---- taking -------------------------------------------------------------------------------------------------

    @Override
    public int step() {
        AppendQueue q = queue;
        long now = simulation.nowNanos();
        int[] work = new int[1];
        if (now >= nextTick && host.isAlive()) {
            nextTick = now + TICK;
            host.node.act(() -> work[0] = host.node.nic().backgroundWork());
        }
        if (q == null || queue != q || !host.isAlive() || lazyUntil > now) {
            return work[0];
        }
        release(random.nextInt(4) == 0 ? random.nextInt(held.size() + 1) : 0);
        host.node.act(() -> work[0] += poll(q));
        if (queue == q && host.isAlive()) {
            look(q);
        }
        return work[0];
    }

    @Override
    public long nextDeadlineNanos() {
        return lazyUntil > simulation.nowNanos() ? Math.min(lazyUntil, nextTick) : nextTick;
    }

    private int poll(AppendQueue q) {
        int limit = 1 + random.nextInt(40);
        if (consumers.isEmpty()) {
            return q.poll(this::record, limit);
        }
        taking = consumers.get(random.nextInt(consumers.size()));
        int taken = taking.poll(this::record, limit);
        for (int i = 0; i < taken; i++) {
            tally.event(Event.SEVERAL);
        }
        return taken;
    }

    /** A record that was held says what it said, and goes. */
    private record Held(AppendRecord record, long checksum) {}

    private static long checksum(DirectBuffer b, int offset, int length) {
        long sum = length;
        for (int i = 0; i < length; i++) {
            sum = 31 * sum + b.getByte(offset + i);
        }
        return sum;
    }

    /** Releases so many of the held records, any of them. */
    private void release(int count) {
        for (int i = 0; i < count; i++) {
            int which = random.nextInt(held.size());
            Held one = held.remove(which);
            AppendRecord r = one.record;
            if (checksum(r.buffer(), r.offset(), r.length()) != one.checksum) {
                throw new WalkFailure("a record of " + r.length() + " bytes has changed while it was held");
            }
            if (which > 0) {
                tally.event(Event.RELEASED);
            }
            r.release();
        }
    }

    private void hold(AppendQueue q, DirectBuffer b, int offset, int length) {
        AppendRecord into = new AppendRecord();
        AppendConsumer by = taking;
        if (by != null) {
            by.hold(into);
        } else {
            q.hold(into);
        }
        if (into.length() != length || into.offset() != offset || into.buffer() != b) {
            throw new WalkFailure("held a record of " + into.length() + " bytes, expected " + length);
        }
        held.add(new Held(into, checksum(b, offset, length)));
        tally.event(Event.HELD);
    }

    private void record(DirectBuffer b, int offset, int length, int qpNumber, int immediate, int flags) {
        if ((flags & RecordDescriptor.HAS_IMMEDIATE) == 0) {
            throw new WalkFailure("record of " + length + " bytes without its immediate value");
        }
        host.node.note("record qp=" + qpNumber + " len=" + length + " imm=" + Integer.toHexString(immediate));
        QpType type = walk.taken(number, qpNumber, immediate, b, offset, length);
        AppendQueue q = queue;
        if (q != null && plan.has(Feature.HOLDS) && held.size() < MAX_HELD && random.nextInt(8) == 0) {
            hold(q, b, offset, length);
        }
        records++;
        bytes += length;
        tally.bytes += length;
        tally.event(Event.TAKEN);
        if (length == 0) {
            tally.event(Event.EMPTY);
        } else if (length > plan.chunkLength / 4) {
            tally.event(Event.LARGE);
        }
        if (type != QpType.RC) {
            tally.event(Event.UNRELIABLE);
        }
    }

    /**
     * What was there when the limit was lowered may stay, but not grow; but for the chunk that a queue which rests has
     * to take before a message in parts ends.
     */
    private long allowed(AppendQueueStatistics s, long limit) {
        return Math.max(limit, s.footprint() + (plan.sharesReserve && s.announcedFree() == 0 ? plan.chunkLength : 0));
    }

    /** Footprint, limit and counters, whenever the owner looks. */
    private void look(AppendQueue q) {
        AppendQueueStatistics s = q.query();
        long limit = q.attributes().memoryLimit();
        if (s.footprint() > allowed
                || s.footprint() < (s.setAside() > 0 || plan.sharesReserve ? 0 : plan.chunkLength)) {
            throw new WalkFailure("footprint " + s.footprint() + ", limit " + limit + ", allowed " + allowed);
        }
        allowed = allowed(s, limit);
        if (s.footprint() < footprint) {
            tally.event(Event.GIVEN_BACK);
        }
        footprint = s.footprint();
        if (s.records() != records || s.bytes() != bytes) {
            throw new WalkFailure("the queue counts " + s.records() + " records of " + s.bytes() + " bytes, taken were "
                    + records + " of " + bytes);
        }
        if (s.rnr() < rnr || s.highWater() < s.footprint()) {
            throw new WalkFailure("counters went back: " + s);
        }
        rnr = s.rnr();
    }

    /** Whether everything was taken and no claim is open. */
    boolean isEmpty() {
        AppendQueue q = queue;
        return q == null || q.depth() == 0;
    }

    /** After the surplus time a drained queue has its chunk and its reserve, and nothing else. */
    void checkDrained() {
        AppendQueue q = queue;
        if (q == null) {
            return;
        }
        AppendQueueStatistics s = q.query();
        long base = (1L + mostReserve) * plan.chunkLength;
        if (s.footprint() > base || s.setAside() != 0 || s.depth() != 0) {
            throw new WalkFailure("drained, but " + s + ", expected a footprint of " + base);
        }
        look(q);
    }

    /** The end: destroyed without force, all its memory goes. */
    void close() {
        AppendQueue q = queue;
        if (q == null) {
            return;
        }
        destroy(false);
        simulation.runUntil(q::isFreed, AppendWalk.MAX_SETTLING);
        if (plan.has(Feature.DESTROY)) { // its id is free again
            create();
            AppendQueue again = queue;
            if (again == null || again.depth() != 0) {
                throw new WalkFailure("no empty queue in the place of one that was destroyed");
            }
        }
    }
}
