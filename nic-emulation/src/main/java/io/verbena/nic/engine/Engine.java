package io.verbena.nic.engine;

import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.LinkEndpoint;
import io.verbena.nic.port.LinkListener;
import io.verbena.nic.port.PollStrategy.Waiting;
import io.verbena.nic.port.Waiter;
import io.verbena.nic.queue.SlotWriter;
import io.verbena.nic.transport.InlineData;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.nic.verbs.NicCounter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Runs a NIC's work: the one place that knows about threads. The work is done by whoever holds the baton: the engine's
 * own thread, the application that calls {@link #doWork}, or a thread that posts and finds the baton free.
 *
 * <p>No doorbell is lost: a poster queues it and then tries the baton, or leaves it to the owner, who is unparked if it
 * is parked; {@link EngineTurns} says what the holder does when it lets the baton go. No sleeper is left asleep:
 * {@link Owner}.
 */
public final class Engine implements AutoCloseable {
    /** How long after a turn the next one is waited for: several times what a system call takes. */
    private static final long LONGEST_LEFT = TimeUnit.MICROSECONDS.toNanos(20);

    private final int index;
    private final EngineContext context;
    private final boolean assisted;
    private final NanoClock clock;
    private final Waiter waiter;
    private final AtomicLongArray ownCounters = new AtomicLongArray(NicCounter.values().length);
    private final Datapath datapath;
    private final Guests guests;
    private final Baton baton = new Baton();
    private final Doorbells doorbells;
    private final @Nullable EngineThread thread;
    private final Owner owner;
    private final Commands commands;
    private final EngineTurns turns;
    private final ArrivingLinks links;
    private final BooleanSupplier workCheck = this::hasWork; // made once: sleeping allocates nothing

    /** Who runs application code that this engine has called. */
    private final CallbackThreads inCallback = new CallbackThreads();

    private volatile boolean closed;

    /**
     * Creates an engine; {@link #start} lets its thread run, if it has one.
     *
     * @param index of the engine in its NIC, from 0
     * @param context what it shares with the NIC's other engines
     * @param waiter in which its owner sleeps
     * @param arbiters makes the arbiter that says who sends next, given the clock of the engine's turns
     */
    public Engine(int index, EngineContext context, Waiter waiter, Function<NanoClock, Arbiter> arbiters) {
        this.index = index;
        this.context = context;
        this.waiter = waiter;
        EngineContext.Run run = context.run();
        ControlBlock control = context.tables().control();
        this.assisted = run.mode() != EngineMode.THREAD;
        this.clock = run.clock();
        this.doorbells = new Doorbells(control.limits().maxQueuePairs());
        this.datapath = new Datapath(index, context, arbiters, doorbells, ownCounters, this::later);
        this.guests = new Guests(control, run.engines() + index, new GuestWaits(run.polling()));
        this.thread = run.mode() == EngineMode.INVOKER
                ? null
                : new EngineThread(this, run.polling().create(Waiting.ENGINE));
        this.owner = new Owner(index, control, waiter, clock, datapath, thread);
        this.commands = new Commands(baton, datapath, owner, guests);
        this.links = new ArrivingLinks(context, datapath, commands);
        this.turns =
                new EngineTurns(baton, datapath, doorbells, commands, owner, guests, waiter, new WaiterPace(clock));
    }

    /** Index of the engine in its NIC. */
    public int index() {
        return index;
    }

    /** Who runs it. */
    public EngineMode mode() {
        return context.run().mode();
    }

    /**
     * Whether the calling thread may do turns: any may but in the mode THREAD, where only the engine's own does them
     * (also in application code that runs there, which would otherwise wait for itself).
     */
    public boolean mayAssist() {
        return assisted || (thread != null && thread.isCurrent());
    }

    /**
     * Whether the calling thread may do turns to send what a queue pair has. What goes by a socket is left to the
     * owner: turns of two threads move the engine's state between their processors.
     */
    public boolean mayAssist(QpContext qp) {
        return mayAssist() && !isLeftToOwner(qp) && (!qp.isFlushCostly() || owns());
    }

    /**
     * Whether a queue pair's sending is left to the engine's own thread: while several groups send to its peer, and the
     * peer is what is short. Who posts is slower than who sends. If it did a turn with each message, it would have
     * nothing queued whenever room comes, and its turns would give that room to the others.
     */
    private boolean isLeftToOwner(QpContext qp) {
        return qp.contended && thread != null && qp.trafficClass() != TrafficClass.URGENT && !owns();
    }

    /** Starts the engine's own thread, where the mode has one. */
    public void start(String threadName) {
        if (thread != null) {
            thread.start(threadName);
        }
    }

    /**
     * Sets what the engine's own thread does after each turn, when it has let the baton go: application code may run
     * there. Without a thread of its own (INVOKER) the application calls it itself.
     */
    public void agent(EngineAgent work) {
        owner.agent(work);
        wake();
    }

    /** The agent's share of a turn of the engine's own thread. */
    int agentWork() {
        return owner.agentWork();
    }

    // ---- turns -------------------------------------------------------------------------------------------------

    /**
     * Runs one turn if nobody else does: I/O (on the waiter's owner), packets, timers, sending. An exception from
     * within (a link's, or a fault of ours) is fatal for the engine: {@link AsyncEventType#DEVICE_FATAL}.
     *
     * <p>The waiter may call handlers of the application. Within {@linkplain #isInCallback a callback} it does not:
     * this then is {@link #progress}.
     *
     * @return the amount of work done; 0 if there was none, or somebody else holds the baton
     */
    public int doWork() {
        return turns.run(!isInCallback() || !waiter.runsApplication());
    }

    /**
     * Runs one turn as {@link #doWork} does, but calls no application code, so that it may be called from anywhere:
     * where the waiter {@linkplain Waiter#runsApplication may call some}, what is ready on sockets stays there.
     *
     * @return the amount of work done; 0 if there was none, or somebody else holds the baton
     */
    public int progress() {
        return turns.run(!waiter.runsApplication());
    }

    /**
     * A queue pair has new requests, which are to go at once. In the modes INVOKER and ASSISTED the calling thread runs
     * a bounded turn if the baton is free; otherwise the holder will see the doorbell. What goes by a socket is left to
     * the owner unless that {@linkplain Owner#sleepsThrough sleeps}, and what is sent beside other groups to the
     * engine's own thread.
     */
    public void ring(QpContext qp) {
        boolean helps = assisted && !isLeftToOwner(qp) && (!qp.isFlushCostly() || owns() || owner.sleepsThrough(qp));
        if (helps && baton.tryTake()) {
            turns.assist(qp);
            return;
        }
        if (!qp.ring()) {
            return; // rung already, and not heard yet
        }
        doorbells.ring(qp);
        if (helps && baton.tryTake()) {
            turns.assist(null);
        } else {
            owner.wake();
        }
    }

    /**
     * A queue pair that waits for answers already has a new request. Where packets go by a socket, and the last turn is
     * a moment ago, it is left to the next turn, which those answers need in any case: what is posted in the meantime
     * shares its system call. Otherwise as {@link #ring}.
     */
    public void ringSoon(QpContext qp) {
        if (!sharesFlush(qp)) {
            ring(qp);
            return;
        }
        long now = clock.nanoTime();
        if (now - datapath.lastTurn() > LONGEST_LEFT) {
            datapath.lastTurn(now);
            ring(qp);
        } else if (qp.ring()) {
            doorbells.ring(qp);
            owner.wake();
        }
    }

    /** Whether a request that the calling thread posts may wait for the next turn, to share its system call. */
    public boolean sharesFlush(QpContext qp) {
        return assisted && qp.isFlushCostly() && qp.trafficClass() != TrafficClass.URGENT && owns();
    }

    /**
     * Executes a request as it is posted: cut-through, if the calling thread may run the engine, finds the baton free,
     * and nothing is before it. It lies in the next free slot of its send ring, which is empty.
     *
     * @param writer puts it there under the baton, where nobody posts; null: it is there
     * @param data its inline data, if it has any, which is not in the slot yet
     * @param longest most bytes of data
     * @return whether it was done, or has failed; if not, nothing has happened to it and it is to be posted
     */
    public boolean executeNow(QpContext qp, int slot, @Nullable SlotWriter writer, InlineData data, int longest) {
        if (!assisted || isLeftToOwner(qp) || !doorbells.isEmpty() || !baton.tryTake()) {
            return false;
        }
        boolean done;
        boolean delivered;
        try {
            int at = writer == null ? slot : writer.write(qp.sendRing());
            done = at >= 0 && datapath.executeNow(qp, at, data, longest);
            delivered = datapath.takeDelivered();
        } catch (RuntimeException | Error e) {
            turns.fail(e);
            throw e;
        } finally {
            baton.release();
        }
        if (delivered) { // nothing else had anything to send, and what is executed at once arms no timer
            turns.leave(true, false);
        }
        if (!doorbells.isEmpty() && baton.tryTake()) {
            turns.assist(null);
        }
        return done;
    }

    /** Whether the calling thread is the one that does the I/O and sleeps in the waiter. */
    private boolean owns() {
        return owner.isCurrent();
    }

    /**
     * When timers need the next turn, in the clock's nanoseconds, or {@link Long#MAX_VALUE}. For whoever drives the
     * engine without {@link #await}.
     */
    public long nextDeadlineNanos() {
        return datapath.nextDeadline();
    }

    // ---- callbacks ---------------------------------------------------------------------------------------------

    /**
     * Application code is about to be called by the thread that drives this engine: until {@link #leaveCallback} it may
     * not drive it again. Does nothing on other threads, and within another callback.
     *
     * @return whether {@link #leaveCallback} must follow
     */
    public boolean enterCallback() {
        return owns() && inCallback.enter();
    }

    /** The application code has returned. */
    public void leaveCallback() {
        inCallback.leave();
    }

    /**
     * Whether the caller is application code that this engine has called: a handler of its agent, or of a channel on
     * its waiter's event loop. Nothing that drives or waits for this engine may be done there.
     */
    public boolean isInCallback() {
        return inCallback.isInside() || waiter.isRunning();
    }

    private void refuseInCallback() {
        if (isInCallback()) {
            throw new IllegalStateException(this + " cannot be waited for within one of its own callbacks");
        }
    }

    // ---- sleeping ----------------------------------------------------------------------------------------------

    /**
     * Blocks the owner until there is something to do, {@link #wake} is called, or the time is over. With the mode
     * INVOKER the application calls this when {@link #doWork} found nothing; from a thread that does not own the waiter
     * it sleeps as a guest. The owner's wait runs the waiter's event loop, and with it handlers of the application.
     *
     * @param nanos most nanoseconds to block
     * @throws IllegalStateException within {@linkplain #isInCallback a callback}
     */
    public void await(long nanos) {
        refuseInCallback();
        if (!owns()) {
            awaitAsGuest(nanos, workCheck);
            return;
        }
        owner.sleep(nanos, workCheck); // what came for guests has woken them: WakingWaiter, EngineTurns
    }

    /**
     * Sleeps until a condition holds, while others drive the engine. For application threads that wait for a completion
     * queue or an append queue.
     *
     * @param nanos most nanoseconds to sleep
     * @param condition looked at after each arrival; must be cheap
     * @return whether the condition held
     * @throws IllegalStateException within {@linkplain #isInCallback a callback}
     */
    public boolean awaitAsGuest(long nanos, BooleanSupplier condition) {
        return awaitAsGuest(guests.waits(), nanos, condition);
    }

    /** The same, for threads that share a choice of their own how they wait. */
    public boolean awaitAsGuest(GuestWaits choice, long nanos, BooleanSupplier condition) {
        refuseInCallback();
        return guests.await(choice, nanos, condition);
    }

    /**
     * What waits here have cost: of the thread that drives the engine, or of application threads that made no choice of
     * their own. Any thread.
     */
    public WaitStatistics waitStatistics(Waiting who) {
        return (who == Waiting.ENGINE ? owner.counters() : guests.waits().counters()).statistics();
    }

    WaitCounters waitCounters() {
        return owner.counters();
    }

    /** Whether a sleeper would find something to do. */
    public boolean hasWork() {
        return !doorbells.isEmpty()
                || !commands.isEmpty()
                || closed
                || turns.hasLeft()
                || datapath.hasActive()
                || datapath.links().hasInbound()
                || owner.isAwaited();
    }

    /**
     * Adds something that whoever drives the engine looks at before it blocks, such as {@code AppendQueue.isDrained}
     * ({@code isEmpty} is its consumer's). An engine with a thread of its own and without such checks is not woken for
     * what peers append or write directly.
     */
    public void addParkCheck(BooleanSupplier check) {
        owner.addParkCheck(check);
    }

    /** Takes a check back. */
    public void removeParkCheck(BooleanSupplier check) {
        owner.removeParkCheck(check);
    }

    /** Wakes the threads that sleep here. Any thread. */
    public void wake() {
        waiter.wake();
        guests.wake();
    }

    // ---- control path ------------------------------------------------------------------------------------------

    /**
     * Runs something under the baton, after waiting for it.
     *
     * @throws IllegalStateException if the baton is not available within 10 s
     */
    public void call(Runnable action) {
        commands.call(action);
    }

    /**
     * Runs something under the baton without waiting for it: now if nobody holds it, else before the next turn sends.
     * Whatever {@link #call} or this was given later comes after it.
     */
    public void callSoon(Runnable action) {
        commands.callSoon(action);
    }

    /** The path to a peer NIC. Under the baton ({@link #call}). */
    public Path path(long peerNic) {
        return datapath.links().path(peerNic);
    }

    /** Adds a queue pair. Under the baton. */
    public void add(QpContext qp) {
        datapath.add(qp);
    }

    /** Removes a queue pair. Under the baton. */
    public void remove(QpContext qp) {
        datapath.remove(qp);
    }

    /** Sets a queue pair's weight, class and rate limit. Under the baton. */
    public void configure(QpContext qp, int weight, TrafficClass trafficClass, RateLimit limit) {
        datapath.configure(qp, weight, trafficClass, limit);
    }

    /** A group's weight or rates have changed. Under the baton. */
    public void changed(FlowGroup group) {
        datapath.changed(group);
    }

    /** What the state machines of this engine's queue pairs need. */
    public TransportServices services() {
        return datapath;
    }

    /** Takes links, and reports of links that were refused and of peers that died. For any thread. */
    public LinkListener listener() {
        return links;
    }

    /** Runs something under the baton in the next turn. Any thread. */
    private void later(Runnable command) {
        commands.later(command);
    }

    /**
     * Sends a management datagram: at most once, unordered, for connection management.
     *
     * @return false if there is no link to that NIC or no room on it now
     * @throws IllegalArgumentException if it is longer than a packet
     */
    public boolean sendDatagram(long peerNic, DirectBuffer buffer, int offset, int length) {
        boolean[] sent = new boolean[1];
        call(() -> sent[0] = datapath.sendDatagram(peerNic, buffer, offset, length));
        return sent[0];
    }

    /** What a fabric needs to bring links to this engine. */
    public LinkEndpoint endpoint() {
        return new LinkEndpoint(
                context.nic().id(),
                index,
                new WakingWaiter(waiter, guests),
                context.tables().memory(),
                links);
    }

    /** What was counted under this engine's baton. Any thread. */
    public long counter(NicCounter counter) {
        return ownCounters.get(counter.ordinal());
    }

    /** Events and datagrams of the NIC. */
    public NicEvents events() {
        return context.events();
    }

    boolean isClosed() {
        return closed;
    }

    Waiter waiter() {
        return waiter;
    }

    /** Stops the thread and closes the links. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        waiter.wake();
        guests.wake();
        boolean stopped = thread == null || thread.join();
        guests.close();
        call(() -> datapath.close(stopped));
    }

    @Override
    public String toString() {
        return datapath.toString();
    }
}
