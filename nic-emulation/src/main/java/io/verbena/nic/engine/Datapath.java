package io.verbena.nic.engine;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryTable;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.transport.AddressTable;
import io.verbena.nic.transport.InlineData;
import io.verbena.nic.transport.Path;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.transport.TransportServices;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.DethFlyweight;
import io.verbena.nic.wire.Opcode;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * One engine's work: packets in, timers, then whatever the arbiter chooses out, acknowledgements, one flush a link. All
 * of it under the baton; {@link Engine} says who holds that and when.
 *
 * <pre>
 *   links ── poll ─▶ responder, completer ─┐            ┌─▶ requester ─▶ link.claim/commit │ direct path
 *   doorbells ─────▶ schedule ─────────────┴▶ arbiter ──┴─▶ responder's answers
 *   timers ────────▶ schedule                acknowledgements ─▶ flush ─▶ wake a parked peer
 * </pre>
 */
final class Datapath implements TransportServices {
    private final int index;
    private final EngineContext.Identity nic;
    private final MemoryTable regions;
    private final AddressTable addresses;
    private final Appender appender;
    private final TurnClock clock;
    private final Arbiter arbiter;
    private final Outbound outbound;
    private final AtomicLongArray counters; // the engine's own: written under its baton alone
    private final NicEvents events;

    private final TimerQueue timers = new TimerQueue(this::broken);
    private final LinkTable links;
    private final QueuePairTable queuePairs;
    private final PublishedStates published;
    private final Inbound inbound;
    private final TurnEnd ending;
    private final Failures failures;

    private boolean delivered; // completions or records, in this turn
    private boolean failed; // for good

    Datapath(
            int index,
            EngineContext context,
            Function<NanoClock, Arbiter> arbiters,
            Doorbells doorbells,
            AtomicLongArray counters,
            Executor later) {
        EngineContext.Tables tables = context.tables();
        this.index = index;
        this.nic = context.nic();
        this.regions = tables.regions();
        this.addresses = tables.addresses();
        TailPointerTable appendQueues = tables.appendQueues();
        this.appender = appendQueues.appender(index);
        ControlBlock control = tables.control();
        NanoClock time = context.run().clock();
        this.clock = new TurnClock(time);
        this.arbiter = arbiters.apply(this::now);
        this.outbound =
                new Outbound(arbiter, doorbells, this, time, context.run().timesVisits());
        this.counters = counters;
        this.events = context.events();
        this.queuePairs = new QueuePairTable(control.limits().maxQueuePairs());
        this.failures = new Failures(queuePairs, time, this);
        this.published = new PublishedStates(control, appendQueues, index);
        this.links = new LinkTable(index, nic.id(), control, this, appendQueues, later);
        this.ending = new TurnEnd(time, this);
        this.inbound = new Inbound(links, queuePairs, events, this);
    }

    // ---- turns -------------------------------------------------------------------------------------------------

    /**
     * A whole turn. Requests that arrive in it are acknowledged in the next, or by whoever posts before that: an answer
     * and the acknowledgement of what it answers then leave together, in one packet train and one system call.
     *
     * @return the amount of work done
     */
    int turn() {
        beginTurn();
        if (failed) {
            finish();
            return 0;
        }
        published.openFreed();
        int work = outbound.acknowledgeAll();
        work += inbound.receive();
        if (timers.next() != Long.MAX_VALUE) {
            work += timers.expire(now());
        }
        if (arbiter.nextDeadlineNanos() != Long.MAX_VALUE) {
            arbiter.expire(now());
        }
        work += outbound.send();
        finish();
        return work;
    }

    /** Time has passed since the last turn. */
    void beginTurn() {
        clock.beginTurn();
    }

    /**
     * A poster's turn: sends only, a bounded amount.
     *
     * @param rung the poster's own queue pair, whose doorbell went by no queue; or null
     */
    void sendTurn(@Nullable QpContext rung) {
        beginTurn();
        if (!failed) {
            if (rung != null) {
                outbound.send(rung);
            } else {
                outbound.send();
            }
            if (links.socketLinks() > 0) {
                outbound.acknowledgeAll(); // one system call for both
            }
        } else if (rung != null) {
            ring(rung);
        }
        finish();
    }

    /** A poster's turn for one request that is not in its queue yet; as {@link Outbound#executeNow}. */
    boolean executeNow(QpContext qp, int slot, InlineData data, int longest) {
        beginTurn();
        boolean done = !failed && outbound.executeNow(qp, slot, data, longest);
        finish();
        return done;
    }

    /** Ends a turn: fails what overran, flushes links, wakes peers, raises completion events. */
    void finish() {
        failures.settle();
        ending.flush(links);
        delivered |= ending.raise();
        clock.endTurn();
    }

    /** As {@link TurnClock#lastTurn()}. Any thread. */
    long lastTurn() {
        return clock.lastTurn();
    }

    /** As {@link TurnClock#lastTurn(long)}. Any thread. */
    void lastTurn(long time) {
        clock.lastTurn(time);
    }

    /** Whether the last turn delivered something that a sleeping application thread may wait for. */
    boolean takeDelivered() {
        boolean was = inbound.takeDelivered() || delivered;
        delivered = false;
        return was;
    }

    /** Whether something is left to be sent. */
    boolean hasActive() {
        return !failed && outbound.hasActive();
    }

    /** Whether another turn would send something now; under the baton. */
    boolean hasMore() {
        return hasActive() || (!failed && outbound.hasRoom());
    }

    /** When timers need the next turn. */
    long nextDeadline() {
        return failed ? Long.MAX_VALUE : Math.min(timers.next(), arbiter.nextDeadlineNanos());
    }

    // ---- failure -------------------------------------------------------------------------------------------------

    /** Whether {@link #fail} was called. */
    boolean hasFailed() {
        return failed;
    }

    /**
     * The engine met an exception that it cannot go on from: closes the links, puts every queue pair in ERR. Afterwards
     * nothing is received or sent; what is posted is flushed.
     */
    void fail() {
        failed = true;
        links.closeAll();
        ending.forgetPaths();
        outbound.clear();
        queuePairs.failAll(this);
        event(AsyncEventType.DEVICE_FATAL, index);
        finish();
    }

    /**
     * Ends for good.
     *
     * @param stopped whether no thread drives the engine any more; otherwise what its links hold is left to the
     *     collector
     */
    void close(boolean stopped) {
        links.closeAll();
        if (stopped) {
            links.releaseAll();
        }
        outbound.close();
    }

    @Override
    public void broken(QpContext qp, Throwable cause) {
        failures.broken(qp, cause);
    }

    // ---- management --------------------------------------------------------------------------------------------

    /**
     * Sends a management datagram.
     *
     * @return false if there is no room or no link now
     */
    boolean sendDatagram(long peerNic, DirectBuffer b, int offset, int length) {
        clock.beginTurn();
        Path path = links.find(peerNic);
        Link link = path == null ? null : path.link();
        if (path == null || link == null || link.state() != Link.State.UP) {
            return false;
        }
        int headers = Opcode.UD_SEND_ONLY.headerLength();
        if (headers + length > link.maxPacket()) {
            throw new IllegalArgumentException(
                    "datagram of " + length + " bytes > maximum " + (link.maxPacket() - headers));
        }
        int at = link.claim(headers + length);
        if (at == Link.NO_ROOM) {
            return false;
        }
        BthFlyweight.encode(
                link.buffer(), at, Opcode.UD_SEND_ONLY.code(), 0, Inbound.MANAGEMENT_QP, 0, Inbound.MANAGEMENT_QP);
        DethFlyweight.encode(link.buffer(), at + Opcode.UD_SEND_ONLY.dethOffset(), 0, Inbound.MANAGEMENT_QP);
        link.buffer().putBytes(at + headers, b, offset, length);
        link.commit();
        touch(path);
        finish();
        return true;
    }

    // ---- what is here ------------------------------------------------------------------------------------------

    void add(QpContext qp) {
        queuePairs.add(qp);
        outbound.attach(qp);
    }

    void remove(QpContext qp) {
        failures.forget(qp);
        queuePairs.remove(qp);
        timers.remove(qp);
        Path path = qp.path();
        Path waitedFor = qp.blockedOn;
        if (path != null) {
            path.queuePairs().remove(qp);
        }
        outbound.remove(qp);
        if (path != null) {
            links.forgetUnused(path);
        }
        if (waitedFor != null) {
            links.forgetUnused(waitedFor);
        }
    }

    void configure(QpContext qp, int weight, TrafficClass trafficClass, RateLimit limit) {
        int before = qp.weight();
        qp.configure(weight, trafficClass);
        qp.configure(limit);
        arbiter.changed(qp, before, weight, trafficClass);
    }

    void changed(FlowGroup group) {
        arbiter.changed(group);
    }

    /** The links, and the paths that lead over them. */
    LinkTable links() {
        return links;
    }

    /** A link is up. */
    void attach(Link link) {
        try {
            links.attach(link);
        } catch (RuntimeException | Error e) {
            links.broken(link, e);
        }
    }

    /** A queue pair's doorbell was heard. */
    void ring(QpContext qp) {
        if (!failed) {
            schedule(qp);
        } else if (qp.state() != QpState.RESET) {
            try {
                qp.error(); // flushes
            } catch (RuntimeException | Error e) {
                broken(qp, e);
            }
        }
    }

    // ---- services of the state machines ------------------------------------------------------------------------

    @Override
    public long now() {
        return clock.now();
    }

    @Override
    public @Nullable MemoryRegion region(int key) {
        return regions.find(key);
    }

    @Override
    public @Nullable MemoryRegion remoteRegion(int key, int qpNumber) {
        return regions.findRemote(key, qpNumber);
    }

    @Override
    public MemoryTable regions() {
        return regions;
    }

    @Override
    public AddressTable addresses() {
        return addresses;
    }

    @Override
    public Path path(long peerNic) {
        return links.path(peerNic);
    }

    @Override
    public long nicId() {
        return nic.id();
    }

    @Override
    public Appender appender() {
        return appender;
    }

    @Override
    public void complete(
            CompletionRing ring,
            long wrId,
            int status,
            int opcode,
            int flags,
            int qpNumber,
            int peerQp,
            int byteLength,
            int immediate,
            int vendorError) {
        if (status != WcStatus.SUCCESS.ordinal()) {
            count(NicCounter.ERROR_COMPLETIONS);
        }
        if (!ring.offer(wrId, status, opcode, flags, qpNumber, peerQp, byteLength, immediate, vendorError)) {
            failures.overrun(ring, qpNumber);
            return;
        }
        delivered = true;
        if (ring.noteOffered((flags & CqeDescriptor.SOLICITED) != 0 || status != WcStatus.SUCCESS.ordinal())) {
            ending.add(ring);
        }
    }

    @Override
    public void event(AsyncEventType type, long element) {
        events.raise(type, element);
        delivered = true;
    }

    @Override
    public void attach(QpContext qp) {
        outbound.attach(qp);
    }

    @Override
    public void unblock(Path path) {
        outbound.unblock(path);
    }

    @Override
    public void schedule(QpContext qp) {
        outbound.schedule(qp);
    }

    @Override
    public void nothingUnderWay(QpContext qp) {
        outbound.nothingUnderWay(qp);
    }

    @Override
    public void acknowledge(QpContext qp) {
        outbound.acknowledge(qp);
    }

    @Override
    public void arm(QpContext qp, long deadlineNanos) {
        timers.arm(qp, deadlineNanos);
    }

    @Override
    public void publishState(QpContext qp) {
        published.publish(qp);
    }

    @Override
    public void touch(Path path) {
        if (path.touch()) {
            ending.add(path);
        }
    }

    @Override
    public void count(NicCounter counter) {
        count(counter, 1);
    }

    @Override
    public void count(NicCounter counter, int n) {
        int i = counter.ordinal();
        counters.lazySet(i, counters.getPlain(i) + n);
    }

    @Override
    public String toString() {
        return "engine " + index + " of " + nic.name();
    }
}
