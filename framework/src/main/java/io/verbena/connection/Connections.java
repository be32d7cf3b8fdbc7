package io.verbena.connection;

import io.verbena.CloseReason;
import io.verbena.ConnectionException;
import io.verbena.NodeRuntime;
import io.verbena.dispatch.DutyCycleAgent;
import io.verbena.nic.Nic;
import io.verbena.nic.PerformanceGroup;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.rate.agent.ConnectedPeers;
import io.verbena.rate.agent.PeerRates;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * Watches a node's connections and ends them: takes what the NIC reports and what peers say, closes what is to be
 * closed, and gives queue pairs back when nobody can be using them. {@link Handshake} is how they come to be.
 *
 * <pre>
 *    │ ── DISCONNECT ────────────▶ │  either side, when what it sent is acknowledged
 *    │ ◀────────── DISCONNECTED ── │  or at the first that says nothing for long enough
 * </pre>
 *
 * <p>Thread-safe: everything is under one lock, which is never held while the application is called.
 */
public final class Connections implements DutyCycleAgent, ConnectedPeers {
    /** When a datagram that was not answered is sent again. */
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** How often a datagram is sent. */
    static final int ATTEMPTS = 10;

    private final String nodeName;
    private final int stagingLength;
    private final Engine engine;
    private final NanoClock clock;
    private final LongSupplier random;
    private final NicReports reports;
    private final Notices notices;
    private final Handshake handshake;

    private final Object lock = new Object();
    private final ConnectionTable table;
    private final Closings closings;
    private final Retirement retirement = new Retirement(Connections::isReleased, this::retire);
    private final IdleMemory idleMemory;
    private final Redials redials;
    private final DutyCycleAgent[] agents;
    private boolean ending; // takes no more connections
    private boolean closed;

    private volatile long nextDeadline = NEVER;

    /**
     * Creates them, without any.
     *
     * @param runtime whose clock is the NIC's too
     * @param targets what peers can connect to
     * @param rules what peers may do
     * @param token what this node shows when it connects
     * @param notices tell the application of connections
     */
    public Connections(
            Nic nic,
            NodeRuntime runtime,
            ConnectionSettings settings,
            Targets targets,
            AccessRules rules,
            byte[] token,
            Notices notices) {
        this.nodeName = settings.node();
        this.stagingLength = settings.stagingLength();
        this.engine = nic.engine(0);
        this.clock = runtime.clock();
        this.random = runtime.random();
        this.reports = new NicReports(this, nic, settings);
        this.notices = notices;
        this.idleMemory = new IdleMemory(settings);
        this.closings = new Closings(this, nodeName, settings.lingerNanos());
        ConnectionMaker maker = new ConnectionMaker(nic, settings, reports.errors(), runtime.random());
        this.table = new ConnectionTable(maker, retirement, settings, reports::makeRoom);
        this.handshake = new Handshake(this, lock, maker, targets, settings, rules, token, engine.listener());
        this.redials = new Redials(notices::note);
        this.agents = new DutyCycleAgent[] {closings, retirement, handshake, reports, idleMemory, redials};
    }

    /** Sets the listener for peers that had no link for too long; under the lock. */
    public void onPeerGone(LongConsumer told) {
        reports.onPeerGone(told);
    }

    /** Bytes in which a channel keeps longer messages at first. */
    public int stagingLength() {
        return stagingLength;
    }

    /** Sets who takes datagrams about rates; before the first turn. */
    public void rates(PeerRates told) {
        reports.rates(told);
    }

    @Override
    public void flows(Flow flow) {
        synchronized (lock) {
            table.flows(flow);
        }
    }

    /** By which everything here runs. */
    public NanoClock clock() {
        return clock;
    }

    /** Whether the node is gone; under the lock. */
    boolean isClosed() {
        return closed;
    }

    /** Whether the node closes: what it has is ended in order, and nothing begins any more; under the lock. */
    boolean isEnding() {
        return ending;
    }

    /** What makes new connections. */
    public Handshake handshake() {
        return handshake;
    }

    // ---- finding ----------------------------------------------------------------------------------------------------

    /** A connection by the number of its queue pair here, which no other shares; under the lock. */
    @Nullable
    public Connection numbered(int number) {
        return table.numbered(number);
    }

    /** All that there are now. */
    ConnectionTable table() {
        return table;
    }

    /** Connections of a tenant, outgoing and incoming. Any thread. */
    public int of(PerformanceGroup group) {
        synchronized (lock) {
            return table.of(group);
        }
    }

    /** A datagram about a connection. */
    static ConnectionFlyweight about(int type, Connection c) {
        return ConnectionFlyweight.of(type, c.transaction)
                .kind(c.kind)
                .queuePairs(c.number(), c.peer.qp())
                .streams(c.stream(), c.peerStream);
    }

    /**
     * Lets a connection have more requests under way; by the thread that sends.
     *
     * @return false if as many have grown as may
     */
    public boolean grow(Connection c, int requests) {
        synchronized (lock) {
            return table.grow(c, requests);
        }
    }

    /**
     * A connection's window is again what it was at first; by who has entered its channel, and nothing is under way.
     */
    public void shrink(Connection c) {
        synchronized (lock) {
            table.shrink(c);
        }
    }

    /** Requests that connections may have under way beyond the first. */
    public int grown() {
        synchronized (lock) {
            return table.grown();
        }
    }

    /** A channel has memory for messages from here on, until it is idle. Any thread. */
    public void hasMemory(IdleMemory.Holder channel) {
        synchronized (lock) {
            idleMemory.watch(channel, clock.nanoTime());
            lookBy(idleMemory.nextDeadline());
        }
        wakeOwner();
    }

    /**
     * Runs an attempt to connect again when a pause is over, in a turn of the node. Those of many nodes are spread:
     * they may have lost the same server. Any thread.
     *
     * @param pauseNanos from now at most, and three quarters of it at least
     */
    public void redial(long pauseNanos, Runnable attempt) {
        long spread = Math.floorMod(random.getAsLong(), pauseNanos / 4 + 1);
        synchronized (lock) {
            redials.add(clock.nanoTime() + pauseNanos - spread, attempt);
            lookBy(redials.nextDeadline());
        }
        wakeOwner();
    }

    // ---- ending -----------------------------------------------------------------------------------------------------

    /** Closes a connection from this side: when what was sent is acknowledged, or lingering has been long enough. */
    public void close(Connection c) {
        synchronized (lock) {
            if (!c.become(Connection.CLOSING)) {
                return;
            }
            Shares.parts(c);
            handshake.over(c);
            closings.add(c, clock.nanoTime());
            lookBy(closings.nextDeadline());
        }
        wakeOwner();
    }

    /** A sender found its queue pair in an error; the next turn finds out why. */
    public void lookAt(Connection c) {
        synchronized (lock) {
            reports.takeEvents(clock.nanoTime());
            reports.takeErrors();
            if (c.path.state() == QpState.ERR) {
                end(c, CloseReason.PROTOCOL_ERROR);
            }
        }
        wakeOwner();
    }

    /** An operation of a remote region ended in an error. */
    public void failed(Connection c, WcStatus status) {
        if (c.state != Connection.CLOSED) {
            synchronized (lock) {
                reports.takeEvents(clock.nanoTime());
                end(c, NicReports.reasonOf(status));
            }
            wakeOwner();
        }
    }

    /** A connection is over: nothing is sent or taken any more. Its queue pair goes when nobody can be using it. */
    public void end(Connection c, CloseReason why) {
        boolean wasOpen = c.state != Connection.CONNECTING;
        long now = clock.nanoTime();
        closings.endedEarly(c, why, now);
        if (c.reason == null) {
            c.reason = why;
        }
        if (!c.become(Connection.CLOSED)) {
            return;
        }
        if (c.shared != null) {
            c.shared.close();
        } else if (c.queuePair.state() != QpState.RESET) {
            c.queuePair.modify(new QpAttributes().state(QpState.ERR));
        }
        handshake.forget(c);
        for (Connection other : table.shares().ended(c)) {
            handshake.forget(
                    other, new NotSharedException("the one whose queue pair it was to share was not made", false));
            end(other, why);
        }
        retirement.add(c, now);
        lookBy(retirement.nextDeadline());
        ConnectionEnd end = c.end;
        if (end != null) {
            end.closed(wasOpen);
        }
    }

    /** All that came by a queue pair end with it; under the lock. */
    void endNumbered(int number, CloseReason why) {
        for (Connection c : table.broken(number)) {
            end(c, why);
        }
    }

    /** A peer has refused what came by one stream of a queue pair: that connection ends, and its peer is told. */
    void refused(int number, int stream, CloseReason why) {
        Connection c = table.find(number, stream);
        if (c != null && !c.isOver()) {
            end(c, why);
            closings.addOver(c, clock.nanoTime());
            lookBy(closings.nextDeadline());
        }
    }

    private static boolean isReleased(Connection c) {
        ConnectionEnd end = c.end;
        return Shares.isReleased(c) && (end == null || end.isUnused()) && !c.exchange().peerIsToKnow;
    }

    private void retire(Connection c) {
        if (c.shared == null) {
            c.queuePair.close();
        }
        ConnectionEnd end = c.end;
        if (end != null) {
            end.retired();
        }
        table.remove(c);
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /** Whether the next turn would find something without waiting. Any thread. */
    @Override
    public boolean hasWork() {
        return !reports.isEmpty() || !notices.isEmpty();
    }

    /** When the next turn is needed at the latest. */
    @Override
    public long nextDeadline() {
        return nextDeadline;
    }

    /** Does what there is to do. @return how much that was */
    @Override
    public int doWork(long now) {
        if (!hasWork() && now - nextDeadline < 0) {
            return 0;
        }
        int work = 0;
        synchronized (lock) {
            if (!closed) {
                work += reports.take(now);
                if (now - nextDeadline >= 0) {
                    nextDeadline = NEVER;
                    work += onTimer(now);
                }
            }
        }
        return work + tell(now);
    }

    private int tell(long now) {
        if (notices.isEmpty()) {
            return 0;
        }
        boolean entered = engine.enterCallback();
        try {
            return notices.tell(now);
        } finally {
            if (entered) {
                engine.leaveCallback();
            }
        }
    }

    private int onTimer(long now) {
        int work = 0;
        try {
            for (DutyCycleAgent agent : agents) {
                work += agent.doWork(now);
            }
        } finally {
            for (DutyCycleAgent agent : agents) {
                lookBy(agent.nextDeadline());
            }
        }
        return work;
    }

    /** The next turn is needed at a time, at the latest; under the lock. */
    void lookBy(long time) {
        nextDeadline = DutyCycleAgent.earlier(nextDeadline, time);
    }

    void wakeOwner() {
        engine.wake();
    }

    /** A peer says something of a connection; under the lock. */
    void onDatagram(long peerNic, ConnectionFlyweight d) {
        switch (d.type()) {
            case ConnectionFlyweight.REQUEST:
                send(peerNic, handshake.answer(peerNic, d));
                break;
            case ConnectionFlyweight.REPLY:
                send(peerNic, handshake.answered(peerNic, d));
                break;
            case ConnectionFlyweight.READY:
                handshake.ready(peerNic, d);
                break;
            case ConnectionFlyweight.REJECT:
                handshake.rejected(peerNic, d);
                break;
            case ConnectionFlyweight.DISCONNECT:
                Connection c = table.find(peerNic, d);
                if (c != null) {
                    boolean refused = d.status() == ConnectionFlyweight.REFUSED; // by this side, the peer says
                    end(c, refused ? CloseReason.PROTOCOL_ERROR : CloseReason.CLOSED_BY_PEER);
                }
                send(
                        peerNic,
                        ConnectionFlyweight.of(ConnectionFlyweight.DISCONNECTED, d.transaction())
                                .inAnswerTo(d));
                break;
            default:
                Connection gone = table.find(peerNic, d);
                if (gone != null && gone.isDisconnectSent()) {
                    gone.exchange().peerIsToKnow = false;
                    end(gone, CloseReason.CLOSED_HERE);
                }
        }
    }

    /** Sends a datagram. @return false if there is no way to the peer now */
    boolean send(long peerNic, ConnectionFlyweight datagram) {
        return engine.sendDatagram(peerNic, datagram.buffer(), 0, datagram.length());
    }

    // ---- the node's end ---------------------------------------------------------------------------------------------

    /** Closes every connection from this side; {@link #isDrained} says when all is acknowledged. */
    public void closeAll() {
        List<Connection> open;
        synchronized (lock) {
            ending = true;
            open = table.all();
        }
        for (Connection c : open) {
            close(c);
        }
    }

    /** Whether nothing that was sent waits for the peer. */
    public boolean isDrained() {
        synchronized (lock) {
            return closings.isDrained();
        }
    }

    /** Whether every peer has confirmed its goodbye. */
    public boolean isQuiet() {
        synchronized (lock) {
            return closings.isQuiet();
        }
    }

    /** Ends what is left, at once. */
    public void shutDown() {
        synchronized (lock) {
            for (Connection c : table.all()) {
                if (!c.isDisconnectSent() && c.state == Connection.CLOSING) {
                    send(c.peerNic, about(ConnectionFlyweight.DISCONNECT, c));
                }
                c.opened().completeExceptionally(new ConnectionException("node '" + nodeName + "' was closed"));
                end(c, CloseReason.CLOSED_HERE);
            }
            closings.clear();
            handshake.clear();
            table.shares().closeQueuePairs();
            retirement.retireAll(true);
            closed = true;
        }
        notices.tell(clock.nanoTime());
    }
}
