package io.verbena.connection;

import io.verbena.CloseReason;
import io.verbena.dispatch.DutyCycleAgent;
import io.verbena.nic.Completion;
import io.verbena.nic.CompletionHandler;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.engine.NicEvents;
import io.verbena.nic.verbs.AsyncEvent;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.rate.agent.PeerRates;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the NIC reports of connections: events, errors of requests, and datagrams of peers. Each that says that a
 * connection is over ends it.
 *
 * <p>Under the lock of {@link Connections}, but for the questions.
 */
final class NicReports implements DutyCycleAgent {
    private static final Logger LOG = LoggerFactory.getLogger(NicReports.class);
    private static final long OVERRUN_LOOK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MAX_ERRORS_PER_TURN = 1024;
    private static final int MAX_EVENTS_PER_TURN = 256;
    private static final int ERROR_QUEUE_DEPTH = 16 << 10;

    private final Connections connections;
    private final String nodeName;
    private final long peerTimeoutNanos;
    private final NicEvents events;
    private final CompletionQueue errors;
    private final CompletionHandler onError = this::onError;
    private final LostPeers lostPeers = new LostPeers();
    private long overrunLook = NEVER; // when requests whose errors were lost are looked for again
    private LongConsumer onPeerGone = peer -> {};
    private @Nullable PeerRates rates; // takes datagrams about rates

    NicReports(Connections connections, Nic nic, ConnectionSettings settings) {
        this.connections = connections;
        this.nodeName = settings.node();
        this.peerTimeoutNanos = settings.peerTimeoutNanos();
        this.events = nic.events();
        this.errors = nic.createCompletionQueue(ERROR_QUEUE_DEPTH);
    }

    /** Where requests end whose errors are reported nowhere else. */
    CompletionQueue errors() {
        return errors;
    }

    /** Sets the listener for peers that had no link for too long. */
    void onPeerGone(LongConsumer told) {
        onPeerGone = told;
    }

    /** Sets who takes datagrams about rates. */
    void rates(PeerRates told) {
        rates = told;
    }

    /** Whether there is none. Any thread. */
    boolean isEmpty() {
        return events.isEmpty() && errors.isEmpty();
    }

    /** A completion queue that overruns ends every connection: it has room for all that can be outstanding. */
    void makeRoom(long outstanding) {
        int depth = (int) Math.min(outstanding + ERROR_QUEUE_DEPTH, CompletionQueue.MAX_DEPTH);
        if (depth > errors.depth() && !errors.hasOverrun()) {
            errors.resize(depth);
        }
    }

    /** Takes a bounded number of them. @return how many */
    int take(long now) {
        return takeEvents(now) + takeDatagrams(now) + takeErrors();
    }

    private int takeDatagrams(long now) {
        int work = 0;
        NicEvents.Datagram d;
        while (work < MAX_EVENTS_PER_TURN && (d = events.pollDatagram()) != null) {
            work++;
            take(d, now);
        }
        return work;
    }

    private void take(NicEvents.Datagram d, long now) {
        if (rates != null && rates.receive(d.peerNic(), d.bytes(), now)) {
            return;
        }
        ConnectionFlyweight datagram = ConnectionFlyweight.wrap(d.bytes());
        if (!datagram.isSound()) {
            LOG.debug("node '{}' dropped a malformed datagram of {} bytes", nodeName, d.bytes().length);
        } else {
            connections.onDatagram(d.peerNic(), datagram);
        }
    }

    /** Takes events alone: the death of a peer explains the errors that follow from it. */
    int takeEvents(long now) {
        int work = 0;
        for (AsyncEvent event = events.pollEvent(); event != null; event = events.pollEvent()) {
            work++;
            event.acknowledge(); // before its queue pair may be closed for it
            switch (event.type()) {
                case QP_FATAL:
                    connections.endNumbered((int) event.element(), CloseReason.PEER_LOST);
                    break;
                case QP_REQ_ERR:
                case QP_ACCESS_ERR:
                    connections.endNumbered((int) event.element(), CloseReason.PROTOCOL_ERROR);
                    break;
                case PORT_ERR:
                    lostPeers.lost(event.element(), now + peerTimeoutNanos);
                    connections.lookBy(now + peerTimeoutNanos);
                    break;
                case PORT_ACTIVE:
                    lostPeers.found(event.element());
                    break;
                default:
            }
            if (work == MAX_EVENTS_PER_TURN) {
                break;
            }
        }
        return work;
    }

    /** Gives up peers that had no link for too long; where errors were lost, ends what has met one. */
    @Override
    public int doWork(long now) {
        int work = giveUpPeers(now);
        endAfterOverrun(now);
        return work;
    }

    @Override
    public long nextDeadline() {
        return DutyCycleAgent.earlier(lostPeers.nextDeadline(), overrunLook);
    }

    private int giveUpPeers(long now) {
        List<Long> gone = lostPeers.giveUp(now);
        for (long peer : gone) {
            onPeerGone.accept(peer);
            for (Connection c : connections.table().all()) {
                if (c.peerNic == peer) {
                    connections.end(c, CloseReason.PEER_LOST);
                }
            }
        }
        return gone.size();
    }

    /** Takes errors of requests alone. */
    int takeErrors() {
        return errors.isEmpty() ? 0 : errors.poll(onError, MAX_ERRORS_PER_TURN);
    }

    private void onError(Completion completion) {
        if (completion.isSuccess()) {
            return;
        }
        WcStatus status = completion.status();
        if (status != WcStatus.WR_FLUSH_ERR) {
            LOG.debug("node '{}': queue pair {} ended in {}", nodeName, completion.qpNumber(), status);
        }
        int stream = (int) completion.wrId(); // of a message that was refused for itself alone, else 0
        if (stream != 0) {
            connections.refused(completion.qpNumber(), stream, reasonOf(status));
        } else {
            connections.endNumbered(completion.qpNumber(), reasonOf(status));
        }
    }

    private void endAfterOverrun(long now) {
        if (errors.hasOverrun()) {
            for (Connection c : connections.table().all()) {
                if (c.path.state() == QpState.ERR) {
                    connections.end(c, CloseReason.PROTOCOL_ERROR);
                }
            }
            overrunLook = now + OVERRUN_LOOK;
        }
    }

    /** What the end of an operation says of the connection. */
    static CloseReason reasonOf(WcStatus status) {
        switch (status) {
            case RETRY_EXC_ERR:
            case RNR_RETRY_EXC_ERR:
                return CloseReason.TIMED_OUT;
            case REM_ACCESS_ERR:
            case REM_INV_REQ_ERR:
                return CloseReason.REFUSED;
            case REM_ABORT_ERR:
                return CloseReason.ABORTED;
            case REM_OP_ERR:
                return CloseReason.OUT_OF_MEMORY;
            default:
                return CloseReason.PROTOCOL_ERROR;
        }
    }
}
