package io.verbena;

import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.engine.NicEvents;
import io.verbena.nic.port.LogLimit;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import org.agrona.collections.Int2ObjectHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Watches a node's connections and ends them: takes what the NIC reports and what peers say, closes what is to be closed,
 * and gives queue pairs back when nobody can be using them. {@link Handshake} is how they come to be.
 *
 * <pre>
 *    │ ── DISCONNECT ────────────▶ │  either side, when what it sent is acknowledged
 *    │ ◀────────── DISCONNECTED ── │  or at the first that says nothing for long enough
 * </pre>
 *
 * <p>Thread-safe: everything is under one lock, which is never held while the application is called.
 */
final class Connections {
    /** When a datagram that was not answered is sent again. */
    static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final long CLOSING_LOOK = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long IDLE_LOOK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long RETIRE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How often a datagram is sent. */
    static final int ATTEMPTS = 10;

    private static final int ERRORS_A_TURN = 1024;
    private static final int EVENTS_A_TURN = 256;
    private static final int ERROR_QUEUE_DEPTH = 16 << 10;

    /** Requests by which all connections together may grow. */
    private static final int MOST_GROWN = 128 << 10;

    private final String nodeName;
    private final Engine engine;
    private final NicEvents events;
    private final NodeContext context;
    private final CompletionQueue errors;
    private final Notices notices;
    private final Channels channels;
    private final ConnectionMaker maker;
    private final Handshake handshake;
    private final CompletionHandler onError = this::onError;

    private final Object lock = new Object();
    private final Int2ObjectHashMap<Connection> byNumber = new Int2ObjectHashMap<>();
    private int grown; // requests that connections may have under way beyond the first
    private final List<Connection> closing = new ArrayList<>();
    private final ArrayDeque<Connection> retiring = new ArrayDeque<>();
    private final LostPeers lostPeers = new LostPeers();
    private final IdleMemory idleMemory;
    private LongConsumer onPeerGone = peer -> {};
    private boolean ending; // takes no more connections
    private boolean closed;

    private volatile long nextDeadline = Long.MAX_VALUE;
    private final AtomicLong malformed = new AtomicLong();
    private final LogLimit losses = new LogLimit();

    Connections(Node node, Nic nic, NodeContext context, Channels channels, Directory directory, Notices notices) {
        this.nodeName = node.name();
        this.engine = nic.engine(0);
        this.events = nic.events();
        this.context = context;
        this.errors = nic.createCompletionQueue(ERROR_QUEUE_DEPTH);
        this.notices = notices;
        this.channels = channels;
        this.idleMemory = new IdleMemory(context);
        this.maker = new ConnectionMaker(node, this, nic, context, channels, errors);
        this.handshake = new Handshake(this, lock, maker, directory, notices, context, nodeName, engine);
    }

    /** Sets who is told of peers that had no link for too long; under the lock. */
    void onPeerGone(LongConsumer told) {
        onPeerGone = told;
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
    Handshake handshake() {
        return handshake;
    }

    // ---- finding ----------------------------------------------------------------------------------------------------

    /** A connection by the number of its queue pair here; under the lock. */
    @Nullable
    Connection numbered(int number) {
        return byNumber.get(number);
    }

    /** The connection that a datagram is about; under the lock. */
    @Nullable
    Connection find(long peerNic, ConnectionFlyweight datagram) {
        Connection c = byNumber.get(datagram.receiverQp());
        return c != null && c.peerNic == peerNic && c.peerQp == datagram.senderQp() ? c : null;
    }

    /** A datagram about a connection. */
    static ConnectionFlyweight about(int type, Connection c) {
        return ConnectionFlyweight.of(type, c.transaction).kind(c.kind).queuePairs(c.number, c.peerQp);
    }

    /** Makes a connection and lists it, under the lock; where numbers are short, takes those that wait only for stragglers. */
    Connection create(
            long peerNic,
            long transaction,
            boolean incoming,
            int kind,
            String name,
            Tenant tenant,
            SenderQuota messages) {
        Connection c;
        try {
            c = maker.make(peerNic, transaction, incoming, kind, name, tenant, messages);
        } catch (IllegalStateException e) {
            if (retiring.isEmpty()) {
                throw e;
            }
            retireAll();
            c = maker.make(peerNic, transaction, incoming, kind, name, tenant, messages);
        }
        byNumber.put(c.number, c);
        makeRoomForErrors();
        return c;
    }

    /**
     * Lets a connection have more requests under way; by the thread that sends.
     *
     * @return false if as many have grown as may
     */
    boolean grow(Connection c, int requests) {
        synchronized (lock) {
            int more = requests - c.queuePair.maxSend();
            if (c.state >= Connection.CLOSED || grown + more > MOST_GROWN) {
                return false;
            }
            grown += more;
            c.grown += more;
            makeRoomForErrors();
            c.queuePair.resizeSend(requests);
            return true;
        }
    }

    /** A connection has so many requests again as at first; by who has entered its channel, and nothing is under way. */
    void shrink(Connection c, int requests) {
        synchronized (lock) {
            if (c.grown > 0 && c.state < Connection.CLOSED) {
                c.queuePair.resizeSend(requests);
                grown -= c.grown;
                c.grown = 0;
            }
        }
    }

    /** Requests that connections may have under way beyond the first. */
    int grown() {
        synchronized (lock) {
            return grown;
        }
    }

    /** A channel has memory for messages from here on, until it is idle. Any thread. */
    void hasMemory(Channel channel) {
        synchronized (lock) {
            lookBy(idleMemory.watch(channel, System.nanoTime()));
        }
        wakeOwner();
    }

    /** A completion queue that overruns ends every connection: it has room for all that can be outstanding. */
    private void makeRoomForErrors() {
        long wanted = (long) byNumber.size() * maker.mostErrors() + grown + ERROR_QUEUE_DEPTH;
        int depth = (int) Math.min(wanted, CompletionQueue.MAX_DEPTH);
        if (depth > errors.depth() && !errors.hasOverrun()) {
            errors.resize(depth);
        }
    }

    // ---- ending -----------------------------------------------------------------------------------------------------

    /** Closes a connection from this side: when what was sent is acknowledged, or lingering has been long enough. */
    void close(Connection c) {
        synchronized (lock) {
            if (!c.become(Connection.CLOSING)) {
                return;
            }
            c.reason = CloseReason.CLOSED_HERE;
            long now = System.nanoTime();
            c.deadline = now + context.lingerNanos;
            c.attempts = 0;
            c.nextAttempt = now;
            handshake.over(c);
            closing.add(c);
            goOnClosing(now);
        }
        wakeOwner();
    }

    /** A sender found its queue pair in an error; the next turn finds out why. */
    void lookAt(Connection c) {
        synchronized (lock) {
            takeEvents(System.nanoTime()); // the death of a peer explains the errors that follow from it
            drainErrors();
            if (c.queuePair.state() == QpState.ERR) {
                end(c, CloseReason.PROTOCOL_ERROR);
            }
        }
        wakeOwner();
    }

    /** An operation of a remote region ended in an error. */
    void failed(Connection c, WcStatus status) {
        if (c.state != Connection.CLOSED) {
            synchronized (lock) {
                takeEvents(System.nanoTime());
                end(c, CloseReason.of(status));
            }
            wakeOwner();
        }
    }

    /** A connection is over: nothing is sent or taken any more. Its queue pair goes when nobody can be using it. */
    void end(Connection c, CloseReason why) {
        boolean wasOpen = c.state != Connection.CONNECTING;
        if (c.state == Connection.CLOSING && !c.disconnectSent && why != CloseReason.CLOSED_HERE) {
            tellOfLoss(c, why.toString());
        }
        if (c.reason == null) {
            c.reason = why;
        }
        if (!c.become(Connection.CLOSED)) {
            return;
        }
        if (c.queuePair.state() != QpState.RESET) {
            c.queuePair.modify(new QpAttributes().state(QpState.ERR));
        }
        handshake.forget(c);
        c.deadline = System.nanoTime() + RETIRE_NANOS;
        retiring.add(c);
        lookBy(c.deadline);
        notices.closed(c, wasOpen);
    }

    /** A channel that its user has closed cannot bring all that it had taken; nobody is there to be told but the log. */
    private void tellOfLoss(Connection c, String why) {
        if (c.queuePair.outstanding() == 0 && c.queuePair.state() == QpState.RTS) {
            return;
        }
        long leftOut = losses.ask(System.nanoTime());
        if (leftOut >= 0) {
            LOG.warn(
                    "node '{}': channel {} was closed, and what it had sent before may not all arrive: {}; {} such lines left out",
                    nodeName,
                    c,
                    why,
                    leftOut);
        }
    }

    private int goOnClosing(long now) {
        int work = 0;
        for (int i = closing.size() - 1; i >= 0; i--) {
            Connection c = closing.get(i);
            if (c.state == Connection.CLOSED) {
                closing.remove(i);
                continue;
            }
            boolean drained = c.queuePair.outstanding() == 0 || c.queuePair.state() != QpState.RTS;
            if (!c.disconnectSent && !drained && now - c.deadline < 0) {
                lookBy(now + CLOSING_LOOK);
                continue;
            }
            if (now - c.nextAttempt < 0) {
                lookBy(c.nextAttempt);
                continue;
            }
            work++;
            if (!c.disconnectSent) {
                tellOfLoss(c, drained ? "its queue pair is in an error" : "it has lingered for as long as it may");
            }
            boolean sent = send(c.peerNic, about(ConnectionFlyweight.DISCONNECT, c));
            c.disconnectSent = true;
            c.nextAttempt = now + (sent ? RETRY_NANOS : CLOSING_LOOK);
            lookBy(c.nextAttempt);
            if (++c.attempts > ATTEMPTS) {
                closing.remove(i);
                end(c, CloseReason.CLOSED_HERE);
            }
        }
        return work;
    }

    private int retire(long now) {
        int work = 0;
        while (!retiring.isEmpty() && retiring.peek().deadline - now <= 0) {
            retire(retiring.remove());
            work++;
        }
        if (!retiring.isEmpty()) {
            lookBy(retiring.peek().deadline);
        }
        return work;
    }

    private void retireAll() {
        for (Connection c = retiring.poll(); c != null; c = retiring.poll()) {
            retire(c);
        }
    }

    private void retire(Connection c) {
        c.queuePair.close();
        byNumber.remove(c.number);
        grown -= c.grown;
        if (c.channel != null) {
            c.channel.release();
            channels.retire(c.channel);
        }
        if (c.region != null) {
            c.region.retire();
        }
    }

    // ---- turns ------------------------------------------------------------------------------------------------------

    /** Whether the next turn would find something without waiting. Any thread. */
    boolean hasWork() {
        return !events.isEmpty() || !errors.isEmpty() || !notices.isEmpty();
    }

    /** When the next turn is needed at the latest. */
    long nextDeadline() {
        return nextDeadline;
    }

    /** Management datagrams that made no sense. */
    long malformed() {
        return malformed.get();
    }

    /** Does what there is to do. @return how much that was */
    int doWork(long now) {
        if (!hasWork() && now - nextDeadline < 0) {
            return 0;
        }
        int work = 0;
        synchronized (lock) {
            if (!closed) {
                work += takeEvents(now);
                work += takeDatagrams();
                work += drainErrors();
                if (now - nextDeadline >= 0) {
                    nextDeadline = Long.MAX_VALUE;
                    work += onTimer(now);
                }
            }
        }
        return work + tell();
    }

    private int tell() {
        if (notices.isEmpty()) {
            return 0;
        }
        boolean entered = engine.enterCallback();
        try {
            return notices.tell();
        } finally {
            if (entered) {
                engine.leaveCallback();
            }
        }
    }

    private int onTimer(long now) {
        int work = goOnClosing(now) + retire(now);
        work += handshake.remind(now);
        if (!lostPeers.isEmpty()) {
            work += giveUpPeers(now);
        }
        long nextLook = idleMemory.look(now);
        if (nextLook != IdleMemory.NEVER) {
            lookBy(nextLook);
        }
        if (errors.hasOverrun()) {
            for (Connection c : List.copyOf(byNumber.values())) {
                if (c.queuePair.state() == QpState.ERR) {
                    end(c, CloseReason.PROTOCOL_ERROR);
                }
            }
            lookBy(now + IDLE_LOOK);
        }
        return work;
    }

    void lookBy(long time) {
        long next = nextDeadline;
        if (next == Long.MAX_VALUE || time - next < 0) {
            nextDeadline = time;
        }
    }

    private void wakeOwner() {
        engine.wake();
    }

    private int takeDatagrams() {
        int work = 0;
        for (NicEvents.Datagram d = events.pollDatagram(); d != null; d = events.pollDatagram()) {
            work++;
            ConnectionFlyweight datagram = ConnectionFlyweight.wrap(d.bytes());
            if (!datagram.isSound()) {
                malformed.incrementAndGet();
                LOG.debug("node '{}' dropped a malformed datagram of {} bytes", nodeName, d.bytes().length);
            } else {
                onDatagram(d.peerNic(), datagram);
            }
            if (work == EVENTS_A_TURN) {
                break;
            }
        }
        return work;
    }

    private void onDatagram(long peerNic, ConnectionFlyweight d) {
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
                Connection c = find(peerNic, d);
                if (c != null) {
                    end(c, CloseReason.CLOSED_BY_PEER);
                }
                send(
                        peerNic,
                        ConnectionFlyweight.of(ConnectionFlyweight.DISCONNECTED, d.transaction())
                                .inAnswerTo(d));
                break;
            default:
                Connection gone = find(peerNic, d);
                if (gone != null && gone.disconnectSent) {
                    end(gone, CloseReason.CLOSED_HERE);
                }
        }
    }

    /** @return false if there is no way to the peer now */
    boolean send(long peerNic, ConnectionFlyweight datagram) {
        return engine.sendDatagram(peerNic, datagram.buffer(), 0, datagram.length());
    }

    private int takeEvents(long now) {
        int work = 0;
        for (AsyncEvent event = events.pollEvent(); event != null; event = events.pollEvent()) {
            work++;
            event.acknowledge(); // before its queue pair may be closed for it
            switch (event.type()) {
                case QP_FATAL:
                    endNumbered((int) event.element(), CloseReason.PEER_LOST);
                    break;
                case QP_REQ_ERR:
                case QP_ACCESS_ERR:
                    endNumbered((int) event.element(), CloseReason.PROTOCOL_ERROR);
                    break;
                case PORT_ERR:
                    lostPeers.lost(event.element(), now + context.peerTimeoutNanos);
                    lookBy(now + Math.min(IDLE_LOOK, context.peerTimeoutNanos));
                    break;
                case PORT_ACTIVE:
                    lostPeers.found(event.element());
                    break;
                default:
            }
            if (work == EVENTS_A_TURN) {
                break;
            }
        }
        return work;
    }

    private void endNumbered(int number, CloseReason reason) {
        Connection c = byNumber.get(number);
        if (c != null) {
            end(c, reason);
        }
    }

    private int giveUpPeers(long now) {
        List<Long> gone = lostPeers.giveUp(now);
        for (long peer : gone) {
            onPeerGone.accept(peer);
            for (Connection c : List.copyOf(byNumber.values())) {
                if (c.peerNic == peer) {
                    end(c, CloseReason.PEER_LOST);
                }
            }
        }
        if (!lostPeers.isEmpty()) {
            lookBy(now + IDLE_LOOK);
        }
        return gone.size();
    }

    private int drainErrors() {
        return errors.isEmpty() ? 0 : errors.poll(onError, ERRORS_A_TURN);
    }

    private void onError(Completion completion) {
        Connection c = byNumber.get(completion.qpNumber());
        if (c == null || completion.isSuccess()) {
            return;
        }
        WcStatus status = completion.status();
        if (c.state != Connection.CLOSED && status != WcStatus.WR_FLUSH_ERR) {
            LOG.debug("node '{}': {} ended in {}", nodeName, c, status);
        }
        end(c, CloseReason.of(status));
    }

    // ---- the node's end ---------------------------------------------------------------------------------------------

    /** Closes every connection from this side; {@link #isDrained} says when all is acknowledged. */
    void closeAll() {
        List<Connection> open;
        synchronized (lock) {
            ending = true;
            open = List.copyOf(byNumber.values());
        }
        for (Connection c : open) {
            close(c);
            if (c.channel != null && c.state == Connection.CLOSING) {
                c.queuePair.doorbell(); // for what was enqueued; from here on nothing is
            }
        }
    }

    /** Whether nothing that was sent waits for the peer. */
    boolean isDrained() {
        synchronized (lock) {
            for (Connection c : closing) {
                if (c.state != Connection.CLOSED && !c.disconnectSent) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Whether every peer has confirmed its goodbye. */
    boolean isQuiet() {
        synchronized (lock) {
            for (Connection c : closing) {
                if (c.state != Connection.CLOSED) {
                    return false;
                }
            }
            return true;
        }
    }

    /** Ends what is left, at once. */
    void shutDown() {
        synchronized (lock) {
            for (Connection c : List.copyOf(byNumber.values())) {
                if (!c.disconnectSent && c.state == Connection.CLOSING) {
                    send(c.peerNic, about(ConnectionFlyweight.DISCONNECT, c));
                }
                c.opened.completeExceptionally(new ConnectionException("node '" + nodeName + "' was closed"));
                end(c, CloseReason.CLOSED_HERE);
            }
            closing.clear();
            handshake.clear();
            retireAll();
            closed = true;
        }
        notices.tell();
    }
}
