package io.verbena.nic.engine;

import io.verbena.nic.append.Appender;
import io.verbena.nic.append.TailPointerTable;
import io.verbena.nic.arbiter.Arbiter;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.engine.ReceiveSchedule.Source;
import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlDescriptor;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.memory.MemoryTable;
import io.verbena.nic.memory.QueuePairWord;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.LogLimit;
import io.verbena.nic.port.PacketHandler;
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
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.DethFlyweight;
import io.verbena.nic.wire.Opcode;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLongArray;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
final class Datapath implements TransportServices, PacketHandler {
    private static final Logger LOG = LoggerFactory.getLogger(Datapath.class);

    /** Number of the queue pair that management datagrams are sent to, as QP1 is InfiniBand's. */
    static final int MANAGEMENT_QP = 1;

    private static final long UNKNOWN = Long.MIN_VALUE;
    private static final VarHandle LAST_TURN;

    static {
        try {
            LAST_TURN = MethodHandles.lookup().findVarHandle(Datapath.class, "lastTurn", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final int index;
    private final long nicId;
    private final String nicName;
    private final MemoryTable regions;
    private final AddressTable addresses;
    private final TailPointerTable appendQueues;
    private final Appender appender;
    private final ControlBlock control;
    private final NanoClock clock;
    private final Arbiter arbiter;
    private final Outbound outbound;
    private final AtomicLongArray counters; // the engine's own: written under its baton alone
    private final NicEvents events;

    private final LogLimit reports = new LogLimit();
    private final TimerQueue timers = new TimerQueue(this::broken);
    private final LinkTable links;
    private final QueuePairTable queuePairs;
    private final OccupiedSlots occupied;
    private final List<Path> touched = new ArrayList<>();
    private final List<CompletionRing> completed = new ArrayList<>();
    private final List<QpContext> fatal = new ArrayList<>(); // to go to ERR at the end of the turn

    private long now = UNKNOWN; // of this turn, read when it is first asked for
    private boolean delivered; // completions or records, in this turn

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private long lastTurn;

    private boolean failed; // for good

    Datapath(
            int index,
            EngineContext context,
            Arbiter arbiter,
            Doorbells doorbells,
            AtomicLongArray counters,
            Executor later) {
        EngineContext.Tables tables = context.tables();
        this.index = index;
        this.nicId = context.nic().id();
        this.nicName = context.nic().name();
        this.regions = tables.regions();
        this.addresses = tables.addresses();
        this.appendQueues = tables.appendQueues();
        this.appender = appendQueues.appender(index);
        this.control = tables.control();
        this.clock = context.run().clock();
        this.lastTurn = clock.nanoTime();
        this.arbiter = arbiter;
        this.outbound = new Outbound(arbiter, doorbells, this, clock);
        this.counters = counters;
        this.events = context.events();
        this.queuePairs = new QueuePairTable(control.limits().maxQueuePairs());
        this.occupied = new OccupiedSlots(control);
        this.links = new LinkTable(index, nicId, control, this, appendQueues, later);
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
        if (!occupied.isEmpty()) {
            openFreed();
        }
        int work = outbound.acknowledgeAll();
        work += receive();
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

    /** Peers may execute directly where a slot has become theirs. */
    private void openFreed() {
        for (QpContext qp = occupied.takeFree(); qp != null; qp = occupied.takeFree()) {
            open(qp);
        }
    }

    /** Time has passed since the last turn. */
    void beginTurn() {
        now = UNKNOWN;
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

    private int receive() {
        int work = 0;
        links.begin();
        int limit = links.visit();
        for (Source source = links.next(); source != null; source = links.next()) {
            Link link = source.link;
            int packets;
            try {
                packets = link.poll(this, limit);
            } catch (RuntimeException | Error e) {
                links.broken(link, e);
                detach(source);
                continue;
            }
            boolean up = link.state() == Link.State.UP;
            if (packets > 0) {
                work += packets;
                count(NicCounter.PACKETS_RECEIVED, packets);
                Path path = links.find(link.peerNic());
                if (path != null) {
                    touch(path); // the peer may sleep until there is room
                }
                if (path == null || path.link() != link) {
                    link.flush(); // the other end of a link to itself, or one that another has replaced
                }
                links.received(source, packets == limit || !up);
            } else if (!up) {
                detach(source);
                work++;
            }
        }
        return work;
    }

    /** The link that the round has come to is not up any more. */
    private void detach(Source source) {
        try {
            links.detach(source);
        } catch (RuntimeException | Error e) {
            links.broken(source.link, e);
        }
    }

    /** Ends a turn: fails what overran, flushes links, wakes peers, raises completion events. */
    void finish() {
        while (!fatal.isEmpty()) {
            QpContext qp = fatal.remove(fatal.size() - 1);
            try {
                qp.completionsLost();
            } catch (RuntimeException | Error e) {
                broken(qp, e);
            }
        }
        for (int i = 0; i < touched.size(); i++) {
            Path path = touched.get(i);
            path.settle();
            Link link = path.link();
            if (link == null) {
                links.forgetUnused(path);
                continue;
            }
            try {
                link.flush();
                ControlBlock peer = path.peerControl();
                if (peer != null) {
                    wake(link, peer);
                }
            } catch (RuntimeException | Error e) {
                links.broken(link, e);
            }
        }
        touched.clear();
        if (!completed.isEmpty()) {
            VarHandle.fullFence(); // entries first, then the look at who has asked to be told
            for (int i = 0; i < completed.size(); i++) {
                fire(completed.get(i));
            }
            completed.clear();
            delivered = true; // also where the entries themselves were told of before
        }
        if (now != UNKNOWN) {
            lastTurn(now);
            now = UNKNOWN; // between turns time passes
        }
    }

    private void fire(CompletionRing ring) {
        try {
            ring.fire();
        } catch (RuntimeException | Error e) {
            long leftOut = reports.ask(clock.nanoTime());
            if (leftOut >= 0) {
                LOG.error(
                        "completion queue {} of {}: nobody could be told of completions; {} such lines left out",
                        ring.number(),
                        this,
                        leftOut,
                        e);
            }
        }
    }

    /** When the last turn was that had to know the time, as each has while answers are awaited. Any thread. */
    long lastTurn() {
        return (long) LAST_TURN.getOpaque(this);
    }

    /** A turn is made now, or asked for. Any thread. */
    void lastTurn(long time) {
        LAST_TURN.setOpaque(this, time);
    }

    private static void wake(Link link, ControlBlock peer) {
        VarHandle.fullFence(); // what was written there first, then the looks at who has asked to be told, and who
        // sleeps
        int announcement = link.takeAnnouncement();
        if (announcement >= 0) {
            peer.markArrival(
                    announcement / ControlDescriptor.MAX_ANNOUNCING, announcement % ControlDescriptor.MAX_ANNOUNCING);
        }
        int words = peer.limits().maxEngines();
        for (int i = 0; i < words; i++) {
            if (peer.isParked(i)) {
                link.wakePeer(i);
            }
        }
    }

    /** Whether the last turn delivered something that a sleeping application thread may wait for. */
    boolean takeDelivered() {
        boolean was = delivered;
        delivered = false;
        return was;
    }

    /** Whether something is left to be sent. */
    boolean hasActive() {
        return !failed && outbound.hasActive();
    }

    /** Whether another turn would send something now; under the baton. */
    boolean hasMore() {
        return hasActive() || (!failed && outbound.hasBulkRoom());
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
        touched.clear();
        outbound.clear();
        queuePairs.failAll(this);
        event(AsyncEventType.DEVICE_FATAL, index);
        finish();
    }

    /**
     * Ends for good.
     *
     * @param stopped whether no thread drives the engine any more; otherwise what its links hold is left to the collector
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
        boolean known = qp.failure() != null;
        if (!known) {
            count(NicCounter.QUEUE_PAIRS_BROKEN);
            long leftOut = reports.ask(clock.nanoTime());
            if (leftOut >= 0) {
                LOG.error(
                        "queue pair {} of {} goes to ERR, others go on; {} such lines left out",
                        qp.number(),
                        this,
                        leftOut,
                        cause);
            }
        }
        try {
            qp.failed(cause.toString());
        } catch (RuntimeException | Error e) {
            known = true;
        }
        if (known) {
            qp.giveUp(); // not even in ERR does it go through
        }
    }

    /** A completion queue is full, or was: what would complete there cannot go on ({@code IBV_EVENT_CQ_ERR}). */
    private void dropped(CompletionRing ring, boolean first, int qpNumber) {
        count(NicCounter.COMPLETIONS_DROPPED);
        if (first) {
            event(AsyncEventType.CQ_ERR, ring.number());
            queuePairs.completingTo(ring, fatal);
            return;
        }
        QpContext qp = queuePairs.find(qpNumber);
        if (qp != null && qp.state() != QpState.ERR && !fatal.contains(qp)) {
            fatal.add(qp);
        }
    }

    // ---- packets in --------------------------------------------------------------------------------------------

    @Override
    public void onPacket(Link link, DirectBuffer b, int offset, int length) {
        // Whatever is read of a packet that a peer has mapped is read once.
        Opcode opcode = length < BthFlyweight.LENGTH ? null : Opcode.of(BthFlyweight.opcode(b, offset));
        int headers = Opcode.check(opcode, b, offset, length);
        if (opcode == null || headers < 0) {
            rejected(length);
            return;
        }
        int number = BthFlyweight.destinationQp(b, offset);
        if (number == MANAGEMENT_QP && opcode == Opcode.UD_SEND_ONLY) {
            links.charge(null, length);
            events.datagram(link.peerNic(), b, offset + headers, length - headers);
            delivered = true;
            return;
        }
        QpContext qp = queuePairs.find(number);
        if (qp == null || !qp.type().takes(opcode) || !isFromPeer(qp, link, BthFlyweight.sourceQp(b, offset))) {
            rejected(length);
            return;
        }
        links.charge(qp.group(), length);
        try {
            if (opcode.isRequest()) {
                qp.responder().onRequest(link.peerNic(), opcode, b, offset, length, headers);
                delivered |= opcode.family() == Opcode.Family.APPEND;
            } else {
                qp.requester().onResponse(opcode, b, offset, length, headers);
            }
        } catch (RuntimeException | Error e) {
            broken(qp, e);
        }
    }

    private void rejected(int length) {
        count(NicCounter.PACKETS_REJECTED);
        links.charge(null, length);
    }

    /** Whether a queue pair takes packets from that one; datagrams may come from anybody. */
    private static boolean isFromPeer(QpContext qp, Link link, int sourceQp) {
        Path path = qp.path();
        return qp.type() == QpType.UD || (qp.peerQp() == sourceQp && path != null && path.peerNic() == link.peerNic());
    }

    /**
     * Sends a management datagram.
     *
     * @return false if there is no room or no link now
     */
    boolean sendDatagram(long peerNic, DirectBuffer b, int offset, int length) {
        now = UNKNOWN;
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
        BthFlyweight.encode(link.buffer(), at, Opcode.UD_SEND_ONLY.code(), 0, MANAGEMENT_QP, 0, MANAGEMENT_QP);
        DethFlyweight.encode(link.buffer(), at + Opcode.UD_SEND_ONLY.dethOffset(), 0, MANAGEMENT_QP);
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
        fatal.remove(qp);
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

    void configure(QpContext qp, int weight, TrafficClass trafficClass) {
        int before = qp.weight();
        qp.configure(weight, trafficClass);
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
        if (now == UNKNOWN) {
            now = clock.nanoTime();
        }
        return now;
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
        return nicId;
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
            dropped(ring, ring.noteOverrun(), qpNumber);
            return;
        }
        delivered = true;
        if (ring.noteOffered((flags & CqeDescriptor.SOLICITED) != 0 || status != WcStatus.SUCCESS.ordinal())) {
            completed.add(ring);
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
        if (qp.type() != QpType.RC || occupied.isClosed(qp)) { // the direct path is for RC alone
            publish(qp, QpState.RESET);
        } else if (qp.state() == QpState.RTR) {
            open(qp);
        } else {
            publish(qp, qp.state());
        }
    }

    /** The peer may execute directly from now on. */
    private void open(QpContext qp) {
        Path path = qp.path();
        if (path != null) {
            appendQueues
                    .initiators()
                    .connected(qp.number(), path.peerNic(), index); // before the peer can see that it is
        }
        publish(qp, qp.state());
    }

    private void publish(QpContext qp, QpState state) {
        control.setQpWord(qp.number(), QueuePairWord.pack(state.ordinal(), qp.directAccess(), qp.takesFrom(), qp.pd()));
    }

    @Override
    public void touch(Path path) {
        if (path.touch()) {
            touched.add(path);
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
        return "engine " + index + " of " + nicName;
    }
}
