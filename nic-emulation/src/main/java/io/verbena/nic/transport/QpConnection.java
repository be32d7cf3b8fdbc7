package io.verbena.nic.transport;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.QueuePairWord;
import org.jspecify.annotations.Nullable;

/**
 * What a queue pair knows of its peer, and what the two may do with each other: the attributes of INIT, RTR and RTS.
 * Used under the engine's baton.
 */
public final class QpConnection {
    private static final int DEFAULT_MTU = 1024;

    private @Nullable Path path;
    private int peerQp;
    private long takesFrom;
    private int pathMtu = DEFAULT_MTU;
    private int access;
    private int qkey;
    private int maxRdAtomic;
    private int maxDestRdAtomic;

    QpConnection() {}

    /** The peer is known: the move to RTR. */
    void open(Path newPath, int destinationQp, int mtu, int receivePsn, int maxDest) {
        path = newPath;
        peerQp = destinationQp;
        takesFrom = QueuePairWord.connection(newPath.peerNic(), destinationQp, receivePsn);
        pathMtu = mtu;
        maxDestRdAtomic = maxDest;
    }

    /** There is no way to the peer any more: the move to RESET. */
    void close() {
        path = null;
    }

    /** The way to the peer, or null before RTR. */
    public @Nullable Path path() {
        return path;
    }

    /** The peer queue pair's number. */
    public int peerQp() {
        return peerQp;
    }

    /** The connection that direct requests are taken from, a {@link QueuePairWord#connection(long, int, int)}. */
    public long takesFrom() {
        return takesFrom;
    }

    /** Payload bytes of a full packet. */
    public int pathMtu() {
        return pathMtu;
    }

    /** What the peer may do here, {@link Access} flags. */
    public int access() {
        return access;
    }

    /** Sets what the peer may do; {@link QpContext#access} makes it known. */
    void access(int flags) {
        access = flags;
    }

    /** What the peer may do by the direct path: READs and atomics only where packets of them would be answered. */
    public int directAccess() {
        return maxDestRdAtomic == 0 ? access & ~(Access.REMOTE_READ | Access.REMOTE_ATOMIC) : access;
    }

    int qkey() {
        return qkey;
    }

    /** Sets the Q_Key that datagrams must have. */
    public void qkey(int key) {
        qkey = key;
    }

    int maxRdAtomic() {
        return maxRdAtomic;
    }

    /** Sets the READs and atomics to have outstanding at the peer. */
    public void maxRdAtomic(int count) {
        maxRdAtomic = count;
    }

    int maxDestRdAtomic() {
        return maxDestRdAtomic;
    }
}
