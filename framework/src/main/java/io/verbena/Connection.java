package io.verbena;

import io.verbena.nic.QueuePair;
import io.verbena.nic.memory.Access;
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
 * <p>Concurrency: changed under the lock of {@link Connections}, but for the step from ACCEPTED to OPEN, which the reader
 * of the first message takes too. {@link #state} and {@link #reason} are for any thread.
 */
final class Connection {
    /** Asked for, not answered yet. */
    static final int CONNECTING = 0;
    /** Answered; the peer has not shown yet that it got the answer. */
    static final int ACCEPTED = 1;
    /** Messages flow. */
    static final int OPEN = 2;
    /** Closed here; waits until what was sent is acknowledged, and then for the peer's goodbye. */
    static final int CLOSING = 3;
    /** Over. */
    static final int CLOSED = 4;

    final QueuePair queuePair;
    final int number;
    final long peerNic;
    final long transaction;
    final boolean incoming;
    final int kind;
    final String name;
    final CompletableFuture<Connection> opened = new CompletableFuture<>();

    volatile int state;
    volatile @Nullable CloseReason reason;

    // What the peer said. Written before the state becomes OPEN or ACCEPTED.
    String peerName = "";
    int peerQp;
    int firstPsn;
    int queueId;
    int queueKey;
    int maxMessage;
    int regionKey;
    long regionLength;

    @Nullable
    Channel channel;

    @Nullable
    RemoteRegion region;

    // Under the lock of Connections.
    @Nullable
    ConnectionFlyweight reply;

    @Nullable
    Object usedBy; // the peer that it counts against

    long usedBytes; // of the region that it reaches
    int rights = Access.REMOTE; // what the peer may do with a region, or this side with the peer's
    int attempts;
    long nextAttempt;
    long deadline;
    boolean disconnectSent;
    int grown; // requests that it may have under way beyond the first

    Connection(QueuePair queuePair, long peerNic, long transaction, boolean incoming, int kind, String name) {
        this.queuePair = queuePair;
        this.number = queuePair.number();
        this.peerNic = peerNic;
        this.transaction = transaction;
        this.incoming = incoming;
        this.kind = kind;
        this.name = name;
        this.state = incoming ? ACCEPTED : CONNECTING;
    }

    /** What it leads to, by names. */
    @Override
    public String toString() {
        String what = (kind == ConnectionFlyweight.INBOX ? "inbox '" : "region '") + name + "'";
        String peer = peerName.isEmpty() ? "a peer" : "node '" + peerName + "'";
        return incoming ? "from " + peer + " to " + what : "to " + what + " of " + peer;
    }

    /** The reader of a message knows by it that the peer can be sent to. */
    void confirm() {
        if (state == ACCEPTED) {
            synchronized (this) {
                if (state == ACCEPTED) {
                    state = OPEN;
                }
            }
        }
    }

    /** Moves on. @return whether it was not there already */
    synchronized boolean become(int next) {
        if (state >= next) {
            return false;
        }
        state = next;
        return true;
    }
}
