package io.verbena.verification.simulate;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.append.AppendQueue;
import io.verbena.nic.append.AppendQueueAttributes;
import io.verbena.nic.append.RecordDescriptor;
import io.verbena.nic.sim.Actor;
import io.verbena.nic.sim.SimNode;
import io.verbena.nic.sim.SimRandom;
import io.verbena.nic.sim.Simulation;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.verification.simulate.WalkTally.Event;
import io.verbena.verification.walk.WalkFailure;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/** A NIC with the application on it: memory, queues, and what polls them. Comes up again with all of it anew. */
final class SimulatedHost implements Actor {
    private static final int DEPTH = 4096;
    private static final int BATCH = 64;
    private static final int ASSISTS = 8;

    final SimNode node;
    /** Bytes of a slot of its local region: a message. */
    final int slot;

    private final Simulation simulation;
    private final WalkTally tally;
    private final AppendQueueAttributes appendAttributes;
    private final List<PairEnd> ends = new ArrayList<>();

    /** Channels by the number of the queue pair at this host, of this life, also of queue pairs that are gone. */
    private final Map<Integer, DirectionModel> arriving = new LinkedHashMap<>();

    private final Map<Integer, DirectionModel> leaving = new LinkedHashMap<>();

    private Simulation.@Nullable Participant participant;
    private Runnable afterDeath = () -> {};
    private @Nullable SharedReceives shared;
    private @Nullable World world;
    private HostCounter counter;
    /** The application does not look at its queues before this time. */
    long lazyUntil;

    /** Receives that are consumed are posted anew, for nothing may be held up any more. */
    boolean refills;

    private long errorsPolled;
    private int polls;

    /** What a life has. */
    private record World(HostMemory memory, CompletionQueue sends, CompletionQueue receives, AppendQueue appends) {}

    SimulatedHost(
            Simulation simulation, SimNode node, WalkTally tally, AppendQueueAttributes appendAttributes, int slot) {
        this.slot = slot;
        this.simulation = simulation;
        this.node = node;
        this.tally = tally;
        this.appendAttributes = appendAttributes;
        this.counter = new HostCounter(node.name());
        node.onKill(this::died);
    }

    int addEnd(PairEnd end) {
        ends.add(end);
        return ends.size() - 1;
    }

    int ends() {
        return ends.size();
    }

    /** Makes what the application needs; after all ends were added, and after each restart. */
    void open() {
        Nic nic = node.nic();
        HostMemory memory = new HostMemory(node, ends.size(), slot);
        world = new World(
                memory,
                nic.createCompletionQueue(DEPTH),
                nic.createCompletionQueue(DEPTH),
                memory.pd().createAppendQueue(appendAttributes));
        shared = new SharedReceives(this, tally);
        counter = new HostCounter(name());
        arriving.clear();
        leaving.clear();
        errorsPolled = 0;
        lazyUntil = 0;
        participant = simulation.add(name() + ".app", this);
    }

    private World world() {
        World present = world;
        if (present == null) {
            throw new IllegalStateException(name() + " is down");
        }
        return present;
    }

    HostMemory memory() {
        return world().memory;
    }

    /** The counter that all channels add to. */
    HostCounter counter() {
        return counter;
    }

    SharedReceives shared() {
        SharedReceives present = shared;
        if (present == null) {
            throw new IllegalStateException(name() + " is down");
        }
        return present;
    }

    /** A receive was posted to the shared queue that not every message fits. */
    void trap() {
        for (PairEnd end : ends) {
            if (end.shares) {
                end.incoming().trapped = true;
            }
        }
    }

    /** Whether a queue pair takes its receives from the shared queue now. */
    boolean isShared() {
        for (PairEnd end : ends) {
            if (end.shares && end.qp != null && end.isPresent()) {
                return true;
            }
        }
        return false;
    }

    String name() {
        return node.name();
    }

    boolean isAlive() {
        return world != null;
    }

    int life() {
        return node.incarnation();
    }

    CompletionQueue sends() {
        return world().sends;
    }

    CompletionQueue receives() {
        return world().receives;
    }

    AppendQueue appends() {
        return world().appends;
    }

    void know(int qpNumber, DirectionModel out, DirectionModel in) {
        leaving.put(qpNumber, out);
        arriving.put(qpNumber, in);
    }

    void onDeath(Runnable action) {
        afterDeath = action;
    }

    // ---- life and death ----------------------------------------------------------------------------------------

    void pauseFor(long nanos) {
        Simulation.Participant nic = node.participant();
        Simulation.Participant app = participant;
        if (nic != null && app != null) {
            nic.pauseFor(nanos);
            app.pauseFor(nanos);
        }
    }

    void resume() {
        Simulation.Participant nic = node.participant();
        Simulation.Participant app = participant;
        if (nic != null && app != null) {
            nic.resume();
            app.resume();
        }
    }

    void crash() {
        node.crash();
        died();
    }

    private void died() {
        tallyLife();
        world = null;
        shared = null;
        if (participant != null) {
            participant.remove();
            participant = null;
        }
        afterDeath.run();
    }

    void restart() {
        node.restart();
        open();
        for (PairEnd end : ends) {
            end.incoming().forgetRecords();
        }
    }

    private void tallyLife() {
        if (world != null) {
            tally.add(Event.HOLES, world.appends.query().holes());
        }
    }

    /** Makes a completion queue larger or smaller; nothing in it may be lost. */
    void resize(SimRandom random) {
        World w = world;
        if (w == null) {
            return;
        }
        CompletionQueue queue = random.nextInt(2) == 0 ? w.sends : w.receives;
        int depth = (DEPTH / 4) << random.nextInt(4);
        node.act(() -> queue.resize(depth));
        tally.add(Event.RESIZES);
    }

    /** Registers the local region anew while it is in use: its key is another from here on. */
    void moveLocal() {
        World w = world;
        if (w == null || !w.memory.moveLocal()) {
            return;
        }
        tally.add(Event.MOVES);
        for (PairEnd end : ends) {
            end.outgoing().sourceMoved();
            end.incoming().receivesMoved();
        }
        shared().moved();
    }

    /** The same with the region that the peers reach; refused where a window is bound to it. */
    void moveTarget() {
        World w = world;
        boolean bound = false;
        for (PairEnd end : ends) {
            if (end.window.memoryWindow == null || !end.isPresent()) {
                continue;
            }
            if (end.window.state == PairWindow.State.BINDING || end.window.state == PairWindow.State.VOIDING) {
                return; // it may be bound
            }
            bound |= end.window.state == PairWindow.State.BOUND;
        }
        if (w == null) {
            return;
        }
        try {
            if (!w.memory.moveTarget()) {
                return;
            }
        } catch (IllegalStateException e) {
            if (!bound) {
                throw e;
            }
            tally.add(Event.REFUSALS);
            return;
        }
        tally.add(Event.MOVES);
        if (bound) {
            throw new WalkFailure(name() + ": a region was registered anew with a window bound to it");
        }
        for (PairEnd end : ends) {
            end.incoming().targetMoved();
        }
    }

    // ---- the application ---------------------------------------------------------------------------------------

    @Override
    public int step() {
        if (world == null || lazyUntil > simulation.nowNanos()) {
            return 0;
        }
        int[] work = new int[1];
        node.act(() -> work[0] = poll());
        return work[0];
    }

    @Override
    public long nextDeadlineNanos() {
        return lazyUntil > simulation.nowNanos() ? lazyUntil : NO_DEADLINE;
    }

    private int poll() {
        World w = world();
        int work = 0;
        boolean assists = polls++ % ASSISTS == 0; // an empty queue's poll runs the engine
        if (assists || !w.sends.isEmpty()) {
            work += w.sends.poll(this::sent, BATCH);
        }
        if (assists || !w.receives.isEmpty()) {
            work += w.receives.poll(this::received, BATCH);
        }
        work += w.appends.poll(this::record, BATCH);
        if (!node.isAlive()) {
            return work; // killed in an operation that a poll has run
        }
        for (AsyncEvent e = node.nic().pollAsyncEvent();
                e != null;
                e = node.nic().pollAsyncEvent()) {
            work++;
            e.acknowledge();
            event(e);
        }
        if (refills) {
            shared().fill();
        }
        return work;
    }

    /** Polls until there is nothing. */
    void drain() {
        while (world != null) {
            int[] work = new int[1];
            if (!node.act(() -> work[0] = poll()) || work[0] == 0) {
                return;
            }
        }
    }

    private void sent(Completion c) {
        if (!node.isAlive()) {
            return; // it has died in this poll: nobody hears of it
        }
        node.note(c);
        errorsPolled += c.isSuccess() ? 0 : 1;
        DirectionModel channel = leaving.get(c.qpNumber());
        if (channel == null) {
            throw new WalkFailure(name() + ": completion of no queue pair: " + c);
        }
        channel.completed(KeptCompletion.of(c));
    }

    private void received(Completion c) {
        if (!node.isAlive()) {
            return; // it has died in this poll: nobody hears of it
        }
        node.note(c);
        errorsPolled += c.isSuccess() ? 0 : 1;
        DirectionModel channel = arriving.get(c.qpNumber());
        if (channel == null) {
            throw new WalkFailure(name() + ": receive of no queue pair: " + c);
        }
        channel.received(KeptCompletion.of(c));
    }

    private void record(DirectBuffer b, int offset, int length, int qpNumber, int immediate, int flags) {
        if (!node.isAlive()) {
            return; // it has died in this poll: nobody hears of it
        }
        node.note("record qp=" + qpNumber + " len=" + length);
        DirectionModel channel = arriving.get(qpNumber);
        if (channel == null) {
            throw new WalkFailure(name() + ": record of no queue pair: " + qpNumber);
        }
        channel.record(qpNumber, b, offset, length, (flags & RecordDescriptor.HAS_IMMEDIATE) != 0, immediate);
    }

    private void event(AsyncEvent e) {
        node.note("event " + e.type() + ' ' + e.element());
        tally.event(e.type());
        switch (e.type()) {
            case CQ_ERR:
            case SRQ_ERR:
            case DEVICE_FATAL:
                throw new WalkFailure(name() + ": " + e);
            case SRQ_LIMIT:
                shared().limitReached((int) e.element());
                break;
            case LAST_WQE_REACHED:
                DirectionModel last = arriving.get((int) e.element());
                if (last == null
                        || !last.target.shares
                        || (last.target.number() == e.element() && ++last.target.lastWqe > 1)) {
                    throw new WalkFailure(name() + ": " + e + " is not of a shared receive queue, or comes again");
                }
                break;
            case QP_REQ_ERR:
            case QP_ACCESS_ERR:
                DirectionModel channel = arriving.get((int) e.element());
                if (channel != null && channel.target.number() == e.element() && !channel.isFlawed()) {
                    throw new WalkFailure(name() + ": " + e + ", but the peer has posted nothing wrong");
                }
                break;
            default:
                break;
        }
    }

    // ---- the end -----------------------------------------------------------------------------------------------

    /** At the end: sums, guards, counters. */
    void check(boolean everythingKnown) {
        World w = world();
        counter.check(w.memory.target().getLong(0), everythingKnown);
        w.memory.check();
        shared().check(0);
        Nic nic = node.nic();
        if (nic.counter(NicCounter.ERROR_COMPLETIONS) != errorsPolled) {
            throw new WalkFailure(name() + ": counter of error completions " + nic.counter(NicCounter.ERROR_COMPLETIONS)
                    + ", polled " + errorsPolled);
        }
        if (nic.counter(NicCounter.EVENTS_DROPPED) != 0) {
            throw new WalkFailure(name() + ": events were dropped");
        }
        tally.add(Event.DIRECT, nic.counter(NicCounter.DIRECT_OPERATIONS));
        tally.add(Event.MERGED, nic.counter(NicCounter.MERGED_APPENDS));
        tallyLife();
    }

    /** Whether records are still to come that the peers were told are there. */
    boolean owesRecords() {
        for (PairEnd end : ends) {
            if (end.incoming().owesRecords()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public String toString() {
        return node.toString();
    }
}
