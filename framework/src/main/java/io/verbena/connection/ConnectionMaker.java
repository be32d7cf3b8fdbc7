package io.verbena.connection;

import io.verbena.mux.MuxSettings;
import io.verbena.mux.SharedPath;
import io.verbena.mux.SharedQueuePair;
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
     * The streams of a queue pair are numbered from here on; a connection with a queue pair of its own has the
     * first one. An append that names no stream is of 0, which is no connection's.
     */
    static final int FIRST_STREAM = 1;

    /** Requests that a shared queue pair has room for at first. */
    private static final int SHARED_DEPTH = 1024;

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
    Connection make(NewConnection wanted, SenderQuota messages) {
        ProtectionDomain pd = wanted.owner().pd();
        boolean region = wanted.kind() == ConnectionFlyweight.REGION;
        boolean accesses = region && !wanted.incoming(); // and wants each completion
        boolean posts = !region || accesses;
        CompletionQueue completions = accesses ? nic.createCompletionQueue(completionDepth()) : errors;
        QueuePair queuePair;
        try {
            queuePair = pd.createQueuePair(attributes(posts, messages)
                    .sendQueue(completions)
                    .maxSge(accesses ? wanted.owner().maxRegionEntries() : 1)
                    .maxSend(posts ? settings.sendDepth() : 1));
        } catch (RuntimeException e) {
            if (accesses) {
                completions.close();
            }
            throw e;
        }
        SendPath path = new QueuePairPath(queuePair, engine);
        Connection c = connection(wanted, queuePair, path);
        if (accesses) {
            StagingRing staging = new StagingRing(pd, settings.stagingLength(), path.depth(), Access.LOCAL_WRITE);
            c.end = wanted.owner().region(c, staging, completions);
        } else if (posts) {
            c.end = wanted.owner().channel(c, wanted.settings().concurrent());
        }
        return c;
    }

    /** Makes a queue pair that connections share, in RESET. */
    SharedQueuePair shared(ConnectionOwner owner, SenderQuota messages, MuxSettings sharing) {
        QueuePairAttributes a = attributes(true, messages).maxSend(Math.max(SHARED_DEPTH, settings.sendDepth()));
        return new SharedQueuePair(
                owner.pd().createQueuePair(a),
                sharing.depth(),
                BitUtil.findNextPositivePowerOfTwo(settings.sendDepth()),
                sharing.segment(),
                sharing.scheduler());
    }

    /** Makes a connection that shares a queue pair. */
    Connection join(NewConnection wanted, SharedQueuePair shared) {
        SharedPath path = shared.join(wanted.settings().weight());
        Connection c = connection(wanted, shared.queuePair(), path);
        c.end = wanted.owner().channel(c, wanted.settings().concurrent());
        return c;
    }

    private static Connection connection(NewConnection wanted, QueuePair queuePair, SendPath path) {
        Connection c = new Connection(
                queuePair,
                path,
                wanted.peerNic(),
                wanted.transaction(),
                wanted.incoming(),
                wanted.kind(),
                wanted.name());
        c.group = wanted.owner().pd().group().index();
        return c;
    }

    private QueuePairAttributes attributes(boolean posts, SenderQuota messages) {
        return new QueuePairAttributes()
                .completionQueue(errors)
                .maxReceive(1)
                .maxSge(1)
                .senderQuota(messages)
                .maxInline(posts ? settings.maxInline() : 0);
    }

    /** Room for what is under way, and as much again for what handlers post while a batch of them is told. */
    private int completionDepth() {
        return 2 * BitUtil.findNextPositivePowerOfTwo(settings.sendDepth());
    }

    /**
     * Completions that a queue pair may leave in the queue of errors at a time: its sends and its one receive. Of those
     * that share one, it has one for the send that fails, and none for those that are flushed.
     */
    int mostErrors(boolean shared) {
        return 1 + (shared ? 1 : BitUtil.findNextPositivePowerOfTwo(settings.sendDepth()));
    }

    /** Takes what the peer said of its end: its terms, and what it says beside them. */
    static void takePeer(Connection c, PeerTerms terms, ConnectionFlyweight d) {
        c.peer = terms;
        c.peerStream = d.senderStream();
        if (c.shared != null && terms.queueKey() != 0) {
            c.shared.shared().leadsTo(terms.queueId());
        }
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

    /** Brings the queue pair to INIT, with weight, class and rate limit; a shared one weighs as its senders do. */
    static void toInit(Connection c, ChannelSettings wanted) {
        if (c.shared != null) {
            c.queuePair.modify(new QpAttributes().state(QpState.INIT).access(0));
            return;
        }
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
                .peerQp(c.peer.qp())
                .peerGroup(c.peer.group())
                .pathMtu(mtu)
                .receivePsn(peerPsn)
                .maxDestRdAtomic(16)
                .minRnrTimer(2));
        c.queuePair.modify(new QpAttributes()
                .state(QpState.RTS)
                .sendPsn(c.exchange().firstPsn)
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
