package io.verbena.nic.transport;

import io.verbena.nic.append.SenderQuota;
import io.verbena.nic.arbiter.FlowGroup;
import io.verbena.nic.arbiter.Limit;
import io.verbena.nic.queue.CompletionRing;
import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import org.jspecify.annotations.Nullable;

/**
 * The context of one queue pair: what requester and responder share, and what the arbiter schedules.
 *
 * <p>Concurrency: everything but {@link #state} (readable by any thread) and the doorbell is used under the baton of
 * the engine that owns the queue pair.
 */
public final class QpContext extends ScheduledFlow {
    /**
     * A receive that is posted while its queue pair goes to ERR may be in nobody's sight yet: one more look, after
     * this.
     */
    private static final long LAST_LOOK_NANOS = 1_000_000;

    /** Requests without a packet that are charged at a time, at most. */
    private static final int MAX_WITHOUT = 1 << 16;

    /** Returned by {@link #transmit}'s outcome: nothing left to send. */
    public static final int IDLE = 0;
    /** Outcome: the budget was spent before the work was. */
    public static final int MORE = 1;
    /** Outcome: the link has no room. */
    public static final int BLOCKED = 2;
    /** Outcome: there is work, but it waits for an answer or a timer. */
    public static final int WAITING = 3;
    /** Outcome: the append queue in the peer's mapped memory has no room; it is asked again at {@link #deadline}. */
    public static final int REFUSED = 4;

    private final QpType type;
    private final int number;
    private final int pd;
    private final SendRing sendRing;
    private final QpQueues queues;
    private final TransportServices services;
    private final @Nullable MessageSlicer slicer;
    private final QpRequester requester;
    private final QpResponder responder;
    private final QpConnection connection = new QpConnection();
    private final RetryPolicy retries = new RetryPolicy();

    private volatile QpState state = QpState.RESET;
    private int outcome;
    private volatile @Nullable String failure;
    private boolean torn;
    private SenderQuota senderQuota = SenderQuota.NONE;
    private int peerGroup;

    // What is charged for: in the visit under way, but for what happens between visits.
    private int answers;
    private int operations;
    private int without;

    /**
     * Creates a queue pair in RESET.
     *
     * @param group whose share its traffic takes
     */
    public QpContext(QpType type, int number, int pd, FlowGroup group, QpQueues queues, TransportServices services) {
        super(group);
        this.type = type;
        this.number = number;
        this.pd = pd;
        this.sendRing = queues.sends();
        this.queues = queues;
        this.services = services;
        this.slicer = MessageSlicer.of(this, queues);
        boolean reliable = type == QpType.RC;
        this.requester = reliable ? new ReliableRequester(this, services) : new UnreliableRequester(this, services);
        this.responder = reliable ? new ReliableResponder(this, services) : new UnreliableResponder(this, services);
    }

    /** Sets what the peer's messages in append queues count against; before the engine has it. */
    public void senderQuota(SenderQuota quota) {
        senderQuota = quota;
    }

    /** What the peer's messages in append queues count against. */
    SenderQuota senderQuota() {
        return senderQuota;
    }

    /** Sets which of the peer's groups sends to it. Under the baton. */
    public void peerGroup(int number) {
        peerGroup = number;
    }

    /** Which of the peer's groups sends to it. */
    int peerGroup() {
        return peerGroup;
    }

    /** Its transport. */
    public QpType type() {
        return type;
    }

    /** The queue pair's number. */
    public int number() {
        return number;
    }

    /** Number of its protection domain. */
    public int pd() {
        return pd;
    }

    /** Its send queue. */
    public SendRing sendRing() {
        return sendRing;
    }

    /** What its transport sends: what was posted, or what that was cut into. */
    SendRing requests() {
        return slicer == null ? sendRing : slicer.slices();
    }

    @Nullable
    MessageSlicer slicer() {
        return slicer;
    }

    /** Where it takes receives from. */
    public ReceiveRing receiveRing() {
        return queues.receives();
    }

    /** Whether the receive queue is shared with others. */
    public boolean sharesReceive() {
        return queues.sharesReceives();
    }

    /** Whether sends or receives complete there. */
    public boolean completesTo(CompletionRing ring) {
        return queues.sendCompletions() == ring || queues.receiveCompletions() == ring;
    }

    /** The state; any thread. */
    public QpState state() {
        return state;
    }

    /** The way to the peer, or null before RTR. */
    public @Nullable Path path() {
        return connection.path();
    }

    /** The way that the request under way takes: a datagram's own, else {@link #path}. */
    public @Nullable Path sendPath() {
        return path() == null && type != QpType.UD ? null : requester.path();
    }

    /** The peer queue pair's number. */
    public int peerQp() {
        return connection.peerQp();
    }

    /** Payload bytes of a full packet. */
    public int pathMtu() {
        return connection.pathMtu();
    }

    /** What it knows of its peer. */
    public QpConnection connection() {
        return connection;
    }

    /** What sends its requests. */
    public QpRequester requester() {
        return requester;
    }

    /** What answers the peer's. */
    public QpResponder responder() {
        return responder;
    }

    /** How long answers are waited for, and how often requests are tried. */
    public RetryPolicy retries() {
        return retries;
    }

    /** Sets what the peer may do. */
    public void access(int flags) {
        connection.access(flags);
        services.publishState(this);
    }

    /** Sets what a queue pair knows from RTR on; called on the move to RTR. */
    public void connect(Path newPath, int destinationQp, int mtu, int receivePsn, int maxDest) {
        connection.open(newPath, destinationQp, mtu, receivePsn, maxDest);
        responder.reset(receivePsn);
        services.attach(this);
    }

    /** Readies datagrams; called on the move to RTR. */
    public void receiveDatagrams() {
        responder.reset(0);
    }

    /** Starts sending with a PSN; called on the move to RTS from RTR. */
    public void startSending(int sendPsn) {
        requester.reset(sendPsn);
    }

    /** Moves to another state; the caller has checked that the table allows it. */
    public void state(QpState next) {
        if (next == QpState.ERR) {
            error();
            return;
        }
        boolean drains = next == QpState.SQD && state != QpState.SQD;
        state = next;
        if (next == QpState.RESET) {
            failure = null;
            torn = false;
            connection.close();
            queues.reset();
            if (slicer != null) {
                slicer.reset();
            }
            requester.reset(0);
            responder.reset(0);
        }
        services.publishState(this);
        if (drains && !requester.isUnderWay()) {
            services.event(AsyncEventType.SQ_DRAINED, number);
        }
    }

    /**
     * A request of this side has failed: the queue pair goes to ERR, or, on an unreliable transport, its send queue to
     * SQE.
     */
    void sendFailed() {
        if (type == QpType.RC || state == QpState.ERR) {
            error();
            return;
        }
        state = QpState.SQE;
        services.publishState(this);
        requester.flush();
    }

    /** Goes to ERR and flushes both queues. Does nothing more than flush if it is there already. */
    public void error() {
        if (state != QpState.ERR) {
            state = QpState.ERR;
            sendRing.stopFeed();
            services.publishState(this);
            responder.abandon();
            requester.flush();
            queues.flushReceives(this);
            services.arm(this, services.now() + LAST_LOOK_NANOS);
            if (queues.sharesReceives()) {
                services.event(AsyncEventType.LAST_WQE_REACHED, number);
            }
        } else {
            flushPosted();
        }
    }

    /** What it completes to is in error: it cannot go on. */
    public void completionsLost() {
        if (state != QpState.RESET && state != QpState.ERR) {
            services.event(AsyncEventType.QP_FATAL, number);
            error();
        }
    }

    /**
     * Its own work has met an exception, or its engine has: the oldest request ends in FATAL_ERR, everything else is
     * flushed.
     *
     * @param why see {@link #failure}
     */
    public void failed(String why) {
        outcome = IDLE;
        answers = 0;
        operations = 0;
        without = 0;
        if (state == QpState.RESET) {
            return;
        }
        failure = why;
        if (state != QpState.ERR) {
            services.event(AsyncEventType.QP_FATAL, number);
            if (requester.hasRequests()) {
                requester.fail(WcStatus.FATAL_ERR);
            }
            error();
        }
    }

    /**
     * What it had is torn so that not even {@link #failed} went through: it is in ERR, and is not touched before it is
     * reset.
     */
    public void giveUp() {
        torn = true;
        outcome = IDLE;
        state = QpState.ERR;
        services.publishState(this);
    }

    /** Why it went to ERR by itself, an exception that its work has met; null if none has. Any thread. */
    public @Nullable String failure() {
        return failure;
    }

    /** Flushes what was posted in ERR. */
    public void flushPosted() {
        if (!torn) {
            requester.flush();
            queues.flushReceives(this);
        }
    }

    /** Whether requester or responder has something to send. */
    public boolean hasWork() {
        return !torn && (responder.hasResponses() || requester.hasWork());
    }

    /**
     * Sends up to the budget: answers to the peer's READs and atomics first, then requests.
     *
     * @return bytes to be charged: as the link carries them, and some for each request that ended without a packet;
     *     {@link #outcome} says why it ended
     */
    public int transmit(int budget) {
        answers = 0;
        long first = sendRing.next();
        int spent = send(budget);
        operations = (int) Math.max(0, sendRing.next() - first) + answers; // none after going back
        spent += without * DirectPath.OVERHEAD;
        without = 0;
        return spent;
    }

    private int send(int budget) {
        int spent = 0;
        if (torn) {
            outcome = IDLE;
            return 0;
        }
        if (responder.hasResponses()) {
            spent = responder.transmit(sendsOnePacket() ? 1 : budget);
            if (responder.outcome() != IDLE) {
                outcome = responder.outcome();
                return spent;
            }
        }
        spent += slicer == null ? requester.transmit(budget - spent) : slicer.transmit(requester, budget, spent);
        outcome = slicer == null ? requester.outcome() : slicer.outcome();
        return spent;
    }

    @Override
    public int paid(int sent) {
        return slicer == null ? sent : slicer.paid();
    }

    /** Whether what is next is a request that can be executed on the peer's memory, not an answer or a packet. */
    public boolean isNextDirect() {
        return hasDirectPath() && !responder.hasResponses() && requester.isNextDirect();
    }

    /** The queue that the next request appends to, if that is mapped here. */
    public @Nullable MappedQueue nextQueue() {
        Path to = path();
        SendRing ring = slicer == null ? sendRing : slicer.next();
        return to == null || !isNextDirect() ? null : MappedQueue.of(to, ring, ring.slot(ring.next()));
    }

    /** The queue that a request of a slot appends to, if that is mapped here. */
    public @Nullable MappedQueue queue(Path to, int slot) {
        return MappedQueue.of(to, sendRing, slot);
    }

    /** Whether requests can be executed on the peer's memory: then some go over the link, and some do not. */
    public boolean hasDirectPath() {
        Path to = path();
        return to != null && to.remoteKeys() != null;
    }

    /**
     * Whether what it sends takes a system call, {@link io.verbena.nic.port.Link#isFlushCostly}; any thread, a hint.
     */
    public boolean isFlushCostly() {
        Path to = path();
        return to != null && to.isFlushCostly();
    }

    /** Requests begun and answers finished in the last {@link #transmit}. */
    public int operations() {
        return operations;
    }

    /** The answer to a READ or an atomic is on the link. */
    void answered() {
        answers++;
    }

    /**
     * A request has ended without a packet: done here, refused or flushed. It costs its sender something all the same.
     */
    void endedWithoutPacket() {
        without = Math.min(without + 1, MAX_WITHOUT);
    }

    /** Whether a request may be one that {@link #executeNow} executes; any thread, a hint. */
    public boolean mayExecuteNow(int opcode, int flags) {
        return slicer == null && hasDirectPath() && DirectPath.offers(opcode, flags);
    }

    /** As {@link QpRequester#executeNow}; negative if it has not been done. */
    public int executeNow(int slot, InlineData data, int longest) {
        int charged = responder.hasResponses() ? QpRequester.STOPPED : requester.executeNow(slot, data, longest);
        without = 0; // it is in what was charged
        return charged;
    }

    /** What keeps it from sending more; any thread, a hint. */
    public Limit limit() {
        if (requester.awaitsReceiver()) {
            return Limit.RECEIVER;
        }
        if (!isScheduled() && blockedOn == null && !isRung()) {
            return Limit.WINDOW;
        }
        return isAtCeiling() ? Limit.CEILING : Limit.LINK;
    }

    /** Why the last {@link #transmit} ended. */
    public int outcome() {
        return outcome;
    }

    /** The engine's timer is due. */
    public void onTimer(long now) {
        if (state == QpState.ERR) {
            flushPosted();
            return;
        }
        responder.append.onTimer(now);
        requester.onTimer(now);
    }

    /** When requester or responder need the next look, or {@link Long#MAX_VALUE}. */
    public long deadline() {
        return Math.min(requester.deadline(), responder.append.deadline());
    }

    /** Completes a request of this side. */
    public void completeSend(long wrId, WcStatus status, int opcode, int byteLength) {
        services.complete(
                queues.sendCompletions(),
                wrId,
                status.ordinal(),
                opcode,
                status == WcStatus.SUCCESS ? 0 : CqeDescriptor.SOLICITED,
                number,
                peerQp(),
                byteLength,
                0,
                0);
    }

    void completeReceive(
            long wrId, WcStatus status, WcOpcode opcode, int flags, int sourceQp, int byteLength, int immediate) {
        services.complete(
                queues.receiveCompletions(),
                wrId,
                status.ordinal(),
                opcode.ordinal(),
                flags,
                number,
                sourceQp,
                byteLength,
                immediate,
                0);
    }
}
