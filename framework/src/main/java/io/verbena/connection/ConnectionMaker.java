package io.verbena.connection;

import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QpAttributes;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.memory.Access;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.wire.Psn;
import io.verbena.path.QueuePairPath;
import io.verbena.path.SendPath;
import io.verbena.path.StagingRing;
import java.util.function.LongSupplier;
import org.agrona.BitUtil;

/**
 * Makes connections with their queue pairs, and brings these to where they send. Used under the lock of
 * {@link Connections}.
 */
final class ConnectionMaker {
    private static final int MAX_HEADERS = 128;

    /**
     * The streams of a queue pair are numbered from here on; each connection has a queue pair of its own, and so the
     * first one. An append that names no stream is of 0, which is no connection's.
     */
    private static final int FIRST_STREAM = 1;

    private final Nic nic;
    private final Engine engine;
    private final ConnectionSettings settings;
    private final CompletionQueue errors;
    private final LongSupplier random;

    ConnectionMaker(Nic nic, ConnectionSettings settings, CompletionQueue errors, LongSupplier random) {
        this.nic = nic;
        this.engine = nic.engine(0);
        this.settings = settings;
        this.errors = errors;
        this.random = random;
    }

    /** Makes a quota of this many bytes for a peer's messages. */
    SenderQuota quota(long bytes) {
        return nic.createSenderQuota(bytes);
    }

    /** Makes a connection whose queue pair is in RESET; what comes by it counts against the quota. */
    Connection make(
            long peerNic,
            long transaction,
            boolean incoming,
            int kind,
            String name,
            ConnectionOwner owner,
            boolean concurrent,
            SenderQuota messages) {
        ProtectionDomain pd = owner.pd();
        boolean accesses = kind == ConnectionFlyweight.REGION && !incoming; // and wants each completion
        boolean posts = kind == ConnectionFlyweight.INBOX || accesses;
        CompletionQueue completions = accesses ? nic.createCompletionQueue(completionDepth()) : errors;
        QueuePairAttributes attributes = new QueuePairAttributes()
                .sendQueue(completions)
                .receiveQueue(errors)
                .maxReceive(1)
                .maxSge(accesses ? owner.maxRegionEntries() : 1)
                .senderQuota(messages)
                .maxInline(posts ? settings.maxInline() : 0)
                .maxSend(posts ? settings.sendDepth() : 1);
        QueuePair queuePair;
        try {
            queuePair = pd.createQueuePair(attributes);
        } catch (RuntimeException e) {
            if (accesses) {
                completions.close();
            }
            throw e;
        }
        SendPath path = new QueuePairPath(queuePair, engine);
        Connection c = new Connection(queuePair, path, FIRST_STREAM, peerNic, transaction, incoming, kind, name);
        c.group = pd.group().index();
        if (accesses) {
            c.end = owner.region(c, staging(pd, path, Access.LOCAL_WRITE), completions);
        } else if (posts) {
            c.end = owner.channel(c, staging(pd, path, 0), concurrent);
        }
        return c;
    }

    private StagingRing staging(ProtectionDomain pd, SendPath path, int access) {
        return new StagingRing(pd, settings.stagingLength(), path.depth(), access);
    }

    /** Room for what is under way, and as much again for what handlers post while a batch of them is told. */
    private int completionDepth() {
        return 2 * BitUtil.findNextPositivePowerOfTwo(settings.sendDepth());
    }

    /** Completions that a connection may leave in the queue of errors at a time: its sends and its one receive. */
    int mostErrors() {
        return BitUtil.findNextPositivePowerOfTwo(settings.sendDepth()) + 1;
    }

    /** Takes what the peer said of its end. */
    static void takePeer(Connection c, ConnectionFlyweight d) {
        c.peer.name = d.node();
        c.peer.qp = d.senderQp();
        c.peer.stream = d.senderStream();
        c.peer.group = d.group();
        c.peer.queueId = d.queueId();
        c.peer.queueKey = d.queueKey();
        c.peer.maxMessage = d.maxMessage();
        c.peer.regionKey = d.regionKey();
        c.peer.regionLength = d.regionLength();
        if (!c.incoming) {
            c.rights = Access.REMOTE & ~d.status();
        }
        ConnectionEnd end = c.end;
        if (end != null) {
            end.peerKnown();
        }
    }

    /** A PSN to begin with. */
    int randomPsn() {
        return (int) random.getAsLong() & Psn.MASK;
    }

    /** What the first request is called; those after it are counted from there. */
    long randomTransaction() {
        return random.getAsLong();
    }

    /** Brings the queue pair to INIT, with weight, class and rate limit. */
    static void toInit(Connection c, ChannelSettings wanted) {
        boolean serves = c.incoming && c.kind == ConnectionFlyweight.REGION;
        c.queuePair.modify(new QpAttributes()
                .weight(wanted.weight())
                .trafficClass(wanted.trafficClass())
                .rateLimit(wanted.rateLimit())
                .state(QpState.INIT)
                .access(serves ? c.rights : 0));
    }

    /** Brings the queue pair to where it receives and sends; its peer is known. */
    void toReady(Connection c, int mtu, int peerPsn) {
        c.queuePair.modify(new QpAttributes()
                .state(QpState.RTR)
                .peerNic(c.peerNic)
                .peerQp(c.peer.qp)
                .peerGroup(c.peer.group)
                .pathMtu(mtu)
                .receivePsn(peerPsn)
                .maxDestRdAtomic(16)
                .minRnrTimer(2));
        c.queuePair.modify(new QpAttributes()
                .state(QpState.RTS)
                .sendPsn(c.firstPsn)
                .timeout(settings.ackTimeoutCode())
                .retryCount(settings.retryCount())
                .rnrRetry(7)
                .maxRdAtomic(16));
    }

    /** The largest MTU, a power of two, whose packets a link takes. */
    static int mtuOf(int maxPacket) {
        return Integer.highestOneBit(Math.max(maxPacket - MAX_HEADERS, 256));
    }
}
