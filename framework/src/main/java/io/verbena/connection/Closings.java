package io.verbena.connection;

import io.verbena.CloseReason;
import io.verbena.dispatch.DutyCycleAgent;
import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.ArrayListUtil;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections that this side has closed: each waits until what was sent is acknowledged, tells the peer, and waits for
 * its goodbye.
 *
 * <p>Under the lock of {@link Connections}.
 */
final class Closings implements DutyCycleAgent {
    private static final Logger LOG = LoggerFactory.getLogger(Closings.class);
    private static final long CLOSING_LOOK = TimeUnit.MILLISECONDS.toNanos(1);

    private final Connections connections;
    private final String nodeName;
    private final long lingerNanos;
    private final ArrayList<Connection> closing = new ArrayList<>(); // in no order
    private final LogRateLimiter losses = new LogRateLimiter();
    private long nextDeadline = NEVER;

    Closings(Connections connections, String nodeName, long lingerNanos) {
        this.connections = connections;
        this.nodeName = nodeName;
        this.lingerNanos = lingerNanos;
    }

    /** A connection is closed from this side from here on. */
    void add(Connection c, long now) {
        c.reason = CloseReason.CLOSED_HERE;
        c.exchange().deadline = now + lingerNanos;
        begin(c, now);
    }

    /** A connection is over that the peer has refused for itself alone: it is told until it says that it knows. */
    void addOver(Connection c, long now) {
        c.exchange().peerIsToKnow = true;
        c.exchange().disconnectSent = true; // nothing of it is under way
        begin(c, now);
    }

    /** Looks at a connection from here on, and now at this one alone. */
    private void begin(Connection c, long now) {
        Exchange exchange = c.exchange();
        exchange.attempts = 0;
        exchange.nextAttempt = now;
        if (!exchange.closing) {
            exchange.closing = true;
            closing.add(c);
        }
        look(c, now);
    }

    /** Does what it is time for. */
    @Override
    public int doWork(long now) {
        nextDeadline = NEVER;
        int work = 0;
        for (int i = closing.size() - 1; i >= 0; i--) {
            Connection c = closing.get(i);
            work += look(c, now);
            if (isDone(c)) {
                c.exchange().closing = false;
                ArrayListUtil.fastUnorderedRemove(closing, i);
            }
        }
        return work;
    }

    /** Does what it is time for with one of them. */
    private int look(Connection c, long now) {
        if (isDone(c)) {
            return 0;
        }
        Exchange exchange = c.exchange();
        boolean drained = c.state == Connection.CLOSED || hasSentAll(c) || c.path.state() != QpState.RTS;
        if (!exchange.disconnectSent && !drained && now - exchange.deadline < 0) {
            lookBy(now + CLOSING_LOOK);
            return 0;
        }
        if (now - exchange.nextAttempt < 0) {
            lookBy(exchange.nextAttempt);
            return 0;
        }
        disconnect(c, drained, now);
        if (++exchange.attempts > Connections.ATTEMPTS) {
            exchange.peerIsToKnow = false;
            connections.end(c, CloseReason.CLOSED_HERE);
        } else {
            lookBy(exchange.nextAttempt);
        }
        return 1;
    }

    private static boolean isDone(Connection c) {
        return c.state == Connection.CLOSED && !c.exchange().peerIsToKnow;
    }

    private static boolean hasSentAll(Connection c) {
        ConnectionEnd end = c.end;
        return (end == null || end.finishSending()) && c.path.outstanding() == 0;
    }

    @Override
    public long nextDeadline() {
        return nextDeadline;
    }

    private void lookBy(long time) {
        nextDeadline = DutyCycleAgent.earlier(nextDeadline, time);
    }

    private void disconnect(Connection c, boolean drained, long now) {
        if (!c.isDisconnectSent()) {
            tellOfLoss(c, drained ? "its queue pair is in an error" : "it has lingered for as long as it may", now);
        }
        boolean sent = connections.send(
                c.peerNic,
                Connections.about(ConnectionFlyweight.DISCONNECT, c)
                        .status(c.exchange().peerIsToKnow ? ConnectionFlyweight.REFUSED : 0));
        c.exchange().disconnectSent = true;
        c.exchange().nextAttempt = now + (sent ? Connections.RETRY_NANOS : CLOSING_LOOK);
    }

    /** A connection ends before its time: the peer or a failure ends it, or this node, which waits for nothing more. */
    void endedEarly(Connection c, CloseReason why, long now) {
        if (c.state == Connection.CLOSING && !c.isDisconnectSent()) {
            tellOfLoss(c, why == CloseReason.CLOSED_HERE ? "its node has ended" : why.toString(), now);
        }
    }

    /**
     * A channel that its user has closed cannot bring all that it had taken; nobody is there to be told but the log.
     * One whose peer has not answered yet had taken nothing.
     */
    private void tellOfLoss(Connection c, String why, long now) {
        if (c.peer.equals(PeerTerms.UNKNOWN) || (hasSentAll(c) && c.path.state() == QpState.RTS)) {
            return;
        }
        long leftOut = losses.ask(now);
        if (leftOut >= 0) {
            LOG.warn(
                    "node '{}': channel {} was closed, and what it had sent before may not "
                            + "all arrive: {}; {} such lines left out",
                    nodeName,
                    c,
                    why,
                    leftOut);
        }
    }

    /** Whether nothing that was sent waits for the peer. */
    boolean isDrained() {
        for (Connection c : closing) {
            if (c.state != Connection.CLOSED && !c.isDisconnectSent()) {
                return false;
            }
        }
        return true;
    }

    /** Whether every peer has confirmed its goodbye. */
    boolean isQuiet() {
        for (Connection c : closing) {
            if (c.state != Connection.CLOSED) {
                return false;
            }
        }
        return true;
    }

    /** Waits for nobody any more. */
    void clear() {
        closing.clear();
    }
}
