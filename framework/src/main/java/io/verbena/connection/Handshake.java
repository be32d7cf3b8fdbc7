package io.verbena.connection;

import io.verbena.CloseReason;
import io.verbena.ConnectionException;
import io.verbena.dispatch.DutyCycleAgent;
import io.verbena.fabric.FabricCounters;
import io.verbena.fabric.RejectionLog;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.port.LinkListener;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections, by management datagrams ({@link ConnectionFlyweight}):
 *
 * <pre>
 *   asks                          answers
 *    │ ── REQUEST ───────────────▶ │  queue pair to RTS, saved under the transaction
 *    │ ◀─────────────── REPLY ──── │  (or REJECT, with a reason)
 *    │ ── READY ─────────────────▶ │  now it may send, too
 * </pre>
 *
 * <p>A datagram may be lost: each is sent again a bounded number of times, and what comes twice is answered in the same
 * way twice. A reader who gets a message knows by it that the other side is READY.
 *
 * <p>Thread-safe, under the lock of {@link Connections}; what is said so here is called under it.
 */
public final class Handshake implements DutyCycleAgent {
    private final Connections connections;
    private final Object lock;
    private final ConnectionMaker maker;
    private final Targets targets;
    private final ConnectionSettings settings;
    private final AccessRules rules;
    private final ConnectionDatagrams datagrams;
    private final String nodeName;
    private final RejectionLog rejections;
    private final AccessControl access;
    private final PeerUsage usage;
    private LongFunction<PeerIdentity> peers = nic -> PeerIdentity.ANONYMOUS;
    private LongPredicate linked = nic -> true;
    private final Long2ObjectHashMap<Connection> pending = new Long2ObjectHashMap<>();
    private final AcceptedRequests accepted = new AcceptedRequests();
    private final List<Connection> unconfirmed = new ArrayList<>();
    private long nextDeadline = NEVER;
    private long transactions;

    Handshake(
            Connections connections,
            Object lock,
            ConnectionMaker maker,
            Targets targets,
            ConnectionSettings settings,
            AccessRules rules,
            byte[] token,
            LinkListener listener) {
        this.rejections = new RejectionLog(new FabricCounters(), listener);
        this.connections = connections;
        this.lock = lock;
        this.maker = maker;
        this.transactions = maker.randomTransaction();
        this.targets = targets;
        this.settings = settings;
        this.rules = rules;
        this.datagrams = new ConnectionDatagrams(settings, token);
        this.usage = new PeerUsage(rules, maker::quota);
        this.nodeName = settings.node();
        this.access = new AccessControl(rules, nodeName, connections.clock(), rejections);
    }

    /** Sets who knows which peer a NIC belongs to; before the node is reached. */
    public void peers(LongFunction<PeerIdentity> known) {
        peers = known;
    }

    /** Sets who knows which peers have a link; before the node is reached. */
    public void linked(LongPredicate known) {
        linked = known;
    }

    // ---- asking -----------------------------------------------------------------------------------------------------

    /**
     * Prepares a connection to a peer whose link is up; {@link #request} is what to send it.
     *
     * @param answersTo the inbox for what comes back, or null
     * @param waits whether it may share a queue pair that the peer does not know yet; {@link #ask} waits for that
     */
    public Connection prepare(
            long peerNic,
            int kind,
            String name,
            ConnectionOwner owner,
            @Nullable MessageQueue answersTo,
            ChannelSettings wanted,
            boolean waits) {
        synchronized (lock) {
            if (connections.isClosed()) {
                throw new IllegalStateException("node '" + nodeName + "' is closed");
            }
            NewConnection asked =
                    new NewConnection(peerNic, transactions++, false, kind, name, owner, answersTo, wanted);
            Connection c = connections.table().ask(asked, waits);
            c.exchange().firstPsn = maker.randomPsn();
            try {
                if (!Shares.joins(c)) {
                    ConnectionMaker.toInit(c, wanted);
                }
            } catch (IllegalArgumentException e) { // not what the tenant may set
                connections.end(c, CloseReason.CLOSED_HERE);
                throw e;
            }
            pending.put(c.transaction, c);
            return c;
        }
    }

    /** The request for a connection. */
    public ConnectionFlyweight request(Connection c, @Nullable MessageQueue answersTo, int maxPacket) {
        return datagrams.request(c, answersTo, maxPacket);
    }

    /** Sends the request for a connection, again and again until it is answered or {@linkplain #abandon abandoned}. */
    void ask(Connection c, @Nullable MessageQueue answersTo, int maxPacket) {
        synchronized (lock) {
            c.exchange().request = datagrams.request(c, answersTo, maxPacket).compact();
            c.exchange().waits = connections.table().shares().waits(c);
            if (c.exchange().waits) {
                return;
            }
            askAgain(c, c.exchange().request, connections.clock().nanoTime());
            connections.lookBy(nextDeadline);
        }
        connections.wakeOwner();
    }

    /** The queue pair that a connection joins is known to the peer now. */
    private void askAtLast(Connection c) {
        ConnectionFlyweight request = c.exchange().request;
        if (request != null && pending.get(c.transaction) == c) {
            c.exchange().waits = false;
            askAgain(
                    c,
                    request.queuePairs(c.number(), Shares.peerQp(c)),
                    connections.clock().nanoTime());
            connections.lookBy(nextDeadline);
        }
    }

    private void askAgain(Connection c, ConnectionFlyweight request, long now) {
        connections.send(c.peerNic, request);
        c.exchange().nextAttempt = now + Connections.RETRY_NANOS;
        lookBy(c.exchange().nextAttempt);
    }

    /** Nobody waits for it any more. */
    public void abandon(Connection c) {
        synchronized (lock) {
            if (pending.remove(c.transaction) != null) {
                connections.end(c, CloseReason.CLOSED_HERE);
            }
        }
    }

    // ---- answering --------------------------------------------------------------------------------------------------

    /** Answers a request that came by a datagram. */
    public ConnectionFlyweight answer(long peerNic, ConnectionFlyweight request) {
        return answer(peerNic, request, peers.apply(peerNic));
    }

    /** Answers a request, or again in the same way one that came before and is still permitted. */
    public ConnectionFlyweight answer(long peerNic, ConnectionFlyweight request, PeerIdentity peer) {
        synchronized (lock) {
            if (connections.isEnding()) {
                return datagrams.reject(request, ConnectionFlyweight.CLOSING, "node '" + nodeName + "' is closing");
            }
            String name = request.text();
            boolean region = request.kind() == ConnectionFlyweight.REGION;
            Target target = region ? targets.region(name) : targets.inbox(name);
            int rights = access.rights(peer, request, target);
            if (rights == 0) {
                return datagrams.reject(
                        request,
                        ConnectionFlyweight.NOT_PERMITTED,
                        "node '" + nodeName + "' does not permit that: its AccessPolicy gives " + peer
                                + " no right to '" + name + "'");
            }
            Connection known = accepted.find(peerNic, request.transaction());
            if (known != null) {
                return again(known, request);
            }
            if (target == null) {
                return datagrams.reject(
                        request,
                        ConnectionFlyweight.UNKNOWN_NAME,
                        "node '" + nodeName + "' has no " + (region ? "region" : "inbox") + " '" + name + "'");
            }
            int limit = peer.equals(PeerIdentity.SAME_PROCESS) ? Integer.MAX_VALUE : rules.maxConnections();
            Object user = peer.key(peerNic);
            String excess = usage.defect(user, limit, target.regionLength());
            if (excess != null) {
                rejections.rejected("node '" + request.node() + "'", "no connection to '" + name + "': " + excess);
                return datagrams.reject(
                        request, ConnectionFlyweight.NO_RESOURCES, "node '" + nodeName + "' refuses: " + excess);
            }
            try {
                return accept(peerNic, request, target, rights, user);
            } catch (NotSharedException e) {
                return datagrams.reject(
                        request,
                        e.isApart() ? ConnectionFlyweight.APART : ConnectionFlyweight.NOT_SHARED,
                        "node '" + nodeName + "': " + e.getMessage());
            } catch (IllegalArgumentException e) {
                rejections.rejected(
                        "node '" + request.node() + "'", "no connection to '" + name + "': " + e.getMessage());
                return datagrams.reject(
                        request, ConnectionFlyweight.INVALID, "node '" + nodeName + "' cannot: " + e.getMessage());
            } catch (IllegalStateException e) {
                rejections.rejected(
                        "node '" + request.node() + "'",
                        "no room for a connection to '" + name + "' of node '" + nodeName + "': " + e.getMessage());
                return datagrams.reject(
                        request,
                        ConnectionFlyweight.NO_RESOURCES,
                        "node '" + nodeName
                                + "' has no room for another connection; raise its "
                                + "maxConnections or maxRegions, or its tenant's");
            }
        }
    }

    /** Answers a request that came before: in the same way, until the peer has shown that it got the answer. */
    private static ConnectionFlyweight again(Connection c, ConnectionFlyweight request) {
        ConnectionFlyweight reply = c.exchange().reply;
        return reply != null
                ? reply
                : Connections.about(ConnectionFlyweight.REPLY, c).pathMtu(request.pathMtu());
    }

    private ConnectionFlyweight accept(
            long peerNic, ConnectionFlyweight request, Target target, int rights, Object user) {
        int regionKey = target.regionKey(rights);
        PeerUsage.Charge charge = usage.charge(user, target.regionLength());
        ChannelSettings wanted = target.settings();
        NewConnection asked = new NewConnection(
                peerNic,
                request.transaction(),
                true,
                request.kind(),
                request.text(),
                target.owner(),
                target.queue(),
                wanted);
        SenderQuota messages = usage.take(charge);
        Connection c;
        try {
            c = connections.table().accept(asked, request, messages);
        } catch (RuntimeException e) {
            usage.giveBack(charge);
            throw e;
        }
        c.rights = rights;
        c.charge = charge;
        c.exchange().firstPsn = maker.randomPsn();
        int mtu = Math.min(settings.pathMtu(), request.pathMtu());
        try {
            if (!Shares.joins(c)) {
                ConnectionMaker.toInit(c, wanted);
            }
            reach(c, request, mtu);
        } catch (IllegalArgumentException e) { // more than the link carries, or the tenant may set since a moment ago
            connections.end(c, CloseReason.PROTOCOL_ERROR);
            throw e;
        }
        ConnectionFlyweight reply =
                datagrams.reply(c, mtu, target, regionKey, messages).compact();
        c.exchange().reply = reply;
        c.exchange().attempts = 1;
        c.exchange().nextAttempt = connections.clock().nanoTime() + Connections.RETRY_NANOS;
        accepted.add(c);
        unconfirmed.add(c);
        lookBy(c.exchange().nextAttempt);
        connections.lookBy(nextDeadline);
        return reply;
    }

    /** The peer has said what its end is: brings the queue pair to where it sends, unless it is there. */
    private void reach(Connection c, ConnectionFlyweight peer, int mtu) {
        if (!connections.table().shares().takeStream(c, peer)) {
            throw new IllegalArgumentException("stream " + peer.senderStream() + " of " + peer + " is not a new one");
        }
        ConnectionMaker.takePeer(c, connections.table().shares().common(c, PeerTerms.of(peer)), peer);
        if (!Shares.joins(c)) {
            maker.toReady(c, mtu, peer.psn());
            connections.table().shares().opened(c).forEach(this::askAtLast);
        }
    }

    /** The peer answered. @return what to tell it */
    public ConnectionFlyweight answered(long peerNic, ConnectionFlyweight reply) {
        synchronized (lock) {
            Connection c = pending.get(reply.transaction());
            if (c != null && c.peerNic == peerNic && isAnswerTo(c, reply)) {
                pending.remove(c.transaction);
                try {
                    reach(c, reply, reply.pathMtu());
                } catch (IllegalArgumentException e) { // not what was asked for
                    c.opened()
                            .completeExceptionally(
                                    new ConnectionException("the peer's answer makes no sense: " + e.getMessage()));
                    connections.end(c, CloseReason.PROTOCOL_ERROR);
                    return ConnectionFlyweight.of(ConnectionFlyweight.DISCONNECT, reply.transaction())
                            .inAnswerTo(reply);
                }
                boolean open = c.become(Connection.OPEN); // or it closes already, and its exchange goes on
                c.opened().complete(c);
                if (open) {
                    c.endExchange();
                } else { // what was said of its end before, the peer could not tell whose it was
                    c.exchange().nextAttempt = connections.clock().nanoTime();
                    connections.lookBy(c.exchange().nextAttempt);
                }
                return Connections.about(ConnectionFlyweight.READY, c);
            }
            Connection known = connections.table().find(peerNic, reply);
            if (known != null && known.transaction == reply.transaction() && known.state < Connection.CLOSED) {
                return Connections.about(ConnectionFlyweight.READY, known); // also while what was sent is under way
            }
            // Nobody waits for this connection any more: the peer need not keep it.
            return ConnectionFlyweight.of(ConnectionFlyweight.DISCONNECT, reply.transaction())
                    .inAnswerTo(reply);
        }
    }

    private static boolean isAnswerTo(Connection c, ConnectionFlyweight reply) {
        return c.number() == reply.receiverQp() && c.stream() == reply.receiverStream() && c.kind == reply.kind();
    }

    /** What to say to who wants a connection that the peer has rejected. */
    RuntimeException rejection(Connection c, ConnectionFlyweight rejection) {
        synchronized (lock) {
            return Shares.rejected(c, rejection);
        }
    }

    void rejected(long peerNic, ConnectionFlyweight rejection) {
        synchronized (lock) {
            Connection c = pending.get(rejection.transaction());
            if (c != null && c.peerNic == peerNic) {
                pending.remove(c.transaction);
                c.opened().completeExceptionally(Shares.rejected(c, rejection));
                connections.end(c, CloseReason.REFUSED);
            }
        }
    }

    /** The peer has the answer. */
    void ready(long peerNic, ConnectionFlyweight ready) {
        synchronized (lock) {
            Connection c = connections.table().find(peerNic, ready);
            if (c != null && c.incoming && unconfirmed.remove(c)) {
                confirmed(c);
            }
        }
    }

    private void confirmed(Connection c) {
        c.confirm();
        if (c.state != Connection.OPEN) {
            return;
        }
        c.endExchange();
        ConnectionEnd end = c.end;
        if (end != null) {
            end.opened();
        }
    }

    // ---- reminding --------------------------------------------------------------------------------------------------

    /** Asks again those who have not answered, and answers again those who have not shown that they got the answer. */
    @Override
    public int doWork(long now) {
        nextDeadline = NEVER;
        int work = 0;
        for (Connection c : pending.values()) {
            work += askAgain(c, now);
        }
        for (int i = unconfirmed.size() - 1; i >= 0; i--) {
            work += remindOf(unconfirmed.get(i), now);
        }
        return work;
    }

    @Override
    public long nextDeadline() {
        return nextDeadline;
    }

    private void lookBy(long time) {
        nextDeadline = DutyCycleAgent.earlier(nextDeadline, time);
    }

    private int askAgain(Connection c, long now) {
        ConnectionFlyweight request = c.exchange().request;
        if (request == null || c.exchange().waits || c.opened().isDone()) {
            return 0; // asked without datagrams, or too late; whoever waits abandons it
        }
        if (now - c.exchange().nextAttempt < 0) {
            lookBy(c.exchange().nextAttempt);
            return 0;
        }
        if (connections.isEnding()) {
            c.opened().completeExceptionally(new ConnectionException("node '" + nodeName + "' was closed"));
        } else if (!linked.test(c.peerNic)) { // its node was closed, or died, before it answered
            c.opened().completeExceptionally(new ConnectionException("the link was lost before an answer came"));
        } else {
            askAgain(c, request, now);
        }
        return 1;
    }

    private int remindOf(Connection c, long now) {
        if (c.state == Connection.OPEN) { // a message was quicker than READY
            unconfirmed.remove(c);
            confirmed(c);
            return 1;
        }
        if (now - c.exchange().nextAttempt < 0) {
            lookBy(c.exchange().nextAttempt);
            return 0;
        }
        ConnectionFlyweight reply = c.exchange().reply;
        if (reply == null || ++c.exchange().attempts > Connections.ATTEMPTS) {
            connections.end(c, CloseReason.TIMED_OUT);
            return 1;
        }
        connections.send(c.peerNic, reply);
        c.exchange().nextAttempt = now + Connections.RETRY_NANOS;
        lookBy(c.exchange().nextAttempt);
        return 1;
    }

    /** It needs no confirmation any more. Under the lock. */
    void over(Connection c) {
        unconfirmed.remove(c);
    }

    /** A connection cannot be made; under the lock. */
    void forget(Connection c, RuntimeException why) {
        if (pending.remove(c.transaction, c)) {
            c.opened().completeExceptionally(why);
        }
    }

    /** A connection is over: a request like its own would be a new one. Under the lock. */
    void forget(Connection c) {
        String why = "it ended before it was open: " + c.reason;
        // One that was to share a queue pair that has met an error may have one of its own.
        boolean again = Shares.joins(c) && !connections.isEnding();
        forget(c, again ? new NotSharedException(why, false) : new ConnectionException(why));
        unconfirmed.remove(c);
        PeerUsage.Charge charge = c.charge;
        if (charge != null) {
            c.charge = null;
            usage.giveBack(charge);
        }
        if (c.incoming) {
            accepted.remove(c);
        }
    }

    /** Nobody waits for anything any more. Under the lock. */
    void clear() {
        pending.clear();
    }
}
