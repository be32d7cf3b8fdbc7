package io.verbena.connection;

import io.verbena.CloseReason;
import io.verbena.mux.SharedConnection;
import io.verbena.mux.SharedPath;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.arbiter.FlowStatistics;
import io.verbena.nic.arbiter.RateLimit;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.nic.memory.Access;
import io.verbena.nic.verbs.QpState;
import io.verbena.path.SendPath;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One end of a connection between two nodes: the queue pair, and where it is in its life.
 *
 * <pre>
 *   CONNECTING ──▶ OPEN ──▶ CLOSING ──▶ CLOSED ──▶ (retired: queue pair and memory given back)
 *   ACCEPTED ───▶ OPEN                     ▲
 *        └───────────┴──── failure ────────┘
 * </pre>
 *
 * <p>Concurrency: changed under the lock of {@link Connections}, but for the step from ACCEPTED to OPEN, which the
 * reader of the first message takes too; a change of state also under the connection's own monitor, under which its
 * end is told. {@link #state} and {@link #reason} are for any thread.
 */
public final class Connection {
    /** Asked for, not answered yet. */
    static final int CONNECTING = 0;
    /** Answered; the peer has not shown yet that it got the answer. */
    public static final int ACCEPTED = 1;
    /** Messages flow. */
    public static final int OPEN = 2;
    /** Closed here; waits until what was sent is acknowledged, and then for the peer's goodbye. */
    public static final int CLOSING = 3;
    /** Over. */
    public static final int CLOSED = 4;

    /** What carries it here; sending goes by {@link #path} alone. */
    public final QueuePair queuePair;
    /** What is sent goes by it. */
    public final SendPath path;
    /** The same, if it shares its queue pair; else null. */
    public final @Nullable SharedPath shared;
    /** NIC of the peer. */
    public final long peerNic;
    /** What the side that asked calls it. */
    public final long transaction;
    /** Whether the peer has asked for it. */
    public final boolean incoming;
    /** {@link ConnectionFlyweight#INBOX} or {@link ConnectionFlyweight#REGION}. */
    public final int kind;
    /** What it leads to, by name. */
    public final String name;

    /** One of the states above; only ever a later one. */
    public volatile int state;
    /** Why it is closed, or null while it is not. */
    public volatile @Nullable CloseReason reason;

    /** What the peer said, written before the state becomes OPEN or ACCEPTED. */
    public PeerTerms peer = PeerTerms.UNKNOWN;
    /** Of which stream of its queue pair is what comes from it; written with that. */
    public int peerStream;

    /** What uses it on this side; null where the peer reaches a region. */
    public @Nullable ConnectionEnd end;

    // Under the lock of Connections.
    private @Nullable Exchange exchange;

    @Nullable
    SharedConnection among; // with which it counts, on the side that asks; null if it cannot share

    int group; // of the NIC's, to which its queue pair belongs

    PeerUsage.@Nullable Charge charge; // what it counts for against the peer's limits

    /** What the peer may do with a region, or this side with the peer's. */
    public int rights = Access.REMOTE;

    int grown; // requests that it may have under way beyond the first

    Connection(
            QueuePair queuePair,
            SendPath path,
            long peerNic,
            long transaction,
            boolean incoming,
            int kind,
            String name) {
        this.queuePair = queuePair;
        this.path = path;
        this.shared = path instanceof SharedPath sharedPath ? sharedPath : null;
        this.peerNic = peerNic;
        this.transaction = transaction;
        this.incoming = incoming;
        this.kind = kind;
        this.name = name.intern(); // of which there are few
        this.state = incoming ? ACCEPTED : CONNECTING;
    }

    /** What it leads to, by names. */
    @Override
    public String toString() {
        String what = (kind == ConnectionFlyweight.INBOX ? "inbox '" : "region '") + name + "'";
        String whom = peer.name().isEmpty() ? "a peer" : "node '" + peer.name() + "'";
        return incoming ? "from " + whom + " to " + what : "to " + what + " of " + whom;
    }

    /** Number of the queue pair here. */
    public int number() {
        return queuePair.number();
    }

    /** What is sent by that queue pair is of this stream. */
    public int stream() {
        return shared == null ? ConnectionMaker.FIRST_STREAM : shared.stream();
    }

    /** Ends when it is open, or cannot be opened. Under the lock of {@link Connections}, or before it is asked for. */
    public CompletableFuture<Connection> opened() {
        return exchange().opened;
    }

    /** What is said about it until it is answered. Under the lock of {@link Connections}. */
    Exchange exchange() {
        Exchange made = exchange;
        if (made == null) {
            made = new Exchange();
            if (state >= OPEN) {
                made.opened.complete(this);
            }
            exchange = made;
        }
        return made;
    }

    /** It is open: nothing more is said about it before it ends. Under the lock of {@link Connections}. */
    void endExchange() {
        exchange = null;
    }

    /** Whether the peer was told that it is over. Under the lock of {@link Connections}. */
    boolean isDisconnectSent() {
        Exchange last = exchange;
        return last != null && last.disconnectSent;
    }

    /** Whether it is over for good: nothing comes by it any more. */
    public boolean isOver() {
        return state >= CLOSED;
    }

    /** Its weight among those of its owner. */
    public int weight() {
        return shared == null ? queuePair.weight() : shared.weight();
    }

    /** Whether what it sends goes before others. */
    public boolean isUrgent() {
        return queuePair.trafficClass() == TrafficClass.URGENT;
    }

    /** How fast its queue pair may send at most. */
    public RateLimit rateLimit() {
        return queuePair.rateLimit();
    }

    /** Sets weight, class or rate limit. @return false if its queue pair is in an error, or closed */
    public boolean modify(QpAttributes attributes) {
        try {
            queuePair.modify(attributes);
            return true;
        } catch (IllegalArgumentException | IllegalStateException e) {
            if (queuePair.state() == QpState.RTS) {
                throw e;
            }
            return false; // it has broken, and the connection will know in the node's next turn
        }
    }

    /** What it has sent and waited for; as it is now, if it shares its queue pair. */
    public FlowStatistics statistics() {
        return shared == null ? queuePair.statistics() : FlowStatistics.of(shared.messages(), shared.bytes());
    }

    /** Messages that it has sent. */
    long messages() {
        return shared == null ? queuePair.statistics().messages() : shared.messages();
    }

    /** The reader of a message knows by it that the peer can be sent to. */
    public void confirm() {
        if (state == ACCEPTED) {
            synchronized (this) {
                if (state == ACCEPTED) {
                    moveTo(OPEN);
                }
            }
        }
    }

    /** Moves on. @return whether it was not there already */
    synchronized boolean become(int next) {
        if (state >= next) {
            return false;
        }
        moveTo(next);
        return true;
    }

    private void moveTo(int next) {
        state = next;
        ConnectionEnd user = end;
        if (user != null) {
            user.moved();
        }
    }
}
