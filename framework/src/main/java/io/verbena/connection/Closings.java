package io.verbena.connection;

import io.verbena.CloseReason;
import io.verbena.dispatch.DutyCycleAgent;
import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.verbs.QpState;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
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
    private final List<Connection> closing = new ArrayList<>();
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
        c.exchange().attempts = 0;
        c.exchange().nextAttempt = now;
        closing.add(c);
    }

    /** Does what it is time for. */
    @Override
    public int doWork(long now) {
        nextDeadline = NEVER;
        int work = 0;
        for (int i = closing.size() - 1; i >= 0; i--) {
            Connection c = closing.get(i);
            boolean over = c.state == Connection.CLOSED;
            if (over && !c.exchange().peerIsToKnow) {
                closing.remove(i);
                continue;
            }
            boolean drained = over || hasSentAll(c) || c.path.state() != QpState.RTS;
            if (!c.isDisconnectSent() && !drained && now - c.exchange().deadline < 0) {
                lookBy(now + CLOSING_LOOK);
                continue;
            }
            if (now - c.exchange().nextAttempt < 0) {
                lookBy(c.exchange().nextAttempt);
                continue;
            }
            work++;
            disconnect(c, drained, now);
            if (++c.exchange().attempts > Connections.ATTEMPTS) {
                c.exchange().peerIsToKnow = false;
                closing.remove(i);
                connections.end(c, CloseReason.CLOSED_HERE);
            } else {
                lookBy(c.exchange().nextAttempt);
            }
        }
        return work;
    }

    /** A connection is over that the peer has refused for itself alone: it is told until it says that it knows. */
    void addOver(Connection c, long now) {
        c.exchange().peerIsToKnow = true;
        c.exchange().disconnectSent = true; // nothing of it is under way
        c.exchange().attempts = 0;
        c.exchange().nextAttempt = now;
        if (!closing.contains(c)) {
            closing.add(c);
        }
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
     */
    private void tellOfLoss(Connection c, String why, long now) {
        if (hasSentAll(c) && c.path.state() == QpState.RTS) {
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
