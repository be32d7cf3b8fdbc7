package io.verbena.nic.transport;

import io.verbena.nic.memory.Access;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.SendRing;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.NicCounter;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AtomicAckEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import io.verbena.nic.wire.RnrTimer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Turns the peer's answers into completions, in the order of posting; keeps the retry counters and timers of the
 * requester. Go-back-N: what is not answered in time, or NAKed, is sent again from there.
 *
 * <p>Pure state: used under the engine's baton; time is passed in.
 */
final class Completer {
    private final QpContext qp;
    private final TransportServices services;
    private final ReliableRequester requester;
    private final PsnWindow psns;
    private final TakeBack takeBack;
    private final RnrBackOff backOff;
    private final SendRing ring;
    private final UnsafeBuffer wqes;
    private final UnsafeBuffer value = new UnsafeBuffer(new byte[Long.BYTES]);

    private int retries;
    private boolean probing;
    private boolean refused; // by a receiver that was not ready and has taken nothing since
    private int extensions;
    private int acknowledged; // the newest PSN that is known to have been answered
    private long ackDeadline = Long.MAX_VALUE;
    private long resumeAt; // nothing is sent before this time; 0: at once
    private int readOffset; // bytes of the oldest READ that are in place
    private int nakPsn = -1; // the PSN that the responder has asked for, until there is progress
    private boolean wentBack; // to the oldest READ, and no byte of it has come since

    Completer(
            QpContext qp, TransportServices services, ReliableRequester requester, PsnWindow psns, TakeBack takeBack) {
        this.takeBack = takeBack;
        this.qp = qp;
        this.services = services;
        this.requester = requester;
        this.psns = psns;
        this.backOff = new RnrBackOff(qp.retries());
        this.ring = qp.requests();
        this.wqes = ring.buffer();
    }

    void reset(int firstPsn) {
        acknowledged = Psn.add(firstPsn, -1);
        progress();
        disarm();
        readOffset = 0;
        wentBack = false;
    }

    /** Nothing is outstanding any more. */
    void disarm() {
        takeBack.clear();
        ackDeadline = Long.MAX_VALUE;
        resumeAt = 0;
    }

    /** The newest PSN that is known to have been answered. */
    int acknowledged() {
        return acknowledged;
    }

    /** Whether sending has to wait because the receiver was not ready, or until it has skipped what it did not take. */
    boolean isHeldBack() {
        return (resumeAt != 0 && services.now() < resumeAt) || takeBack.isPending();
    }

    /** Whether the receiver was not ready, and has answered nothing else since. Any thread, a hint. */
    boolean awaitsReceiver() {
        return refused;
    }

    long deadline() {
        long own = resumeAt != 0 ? Math.min(resumeAt, ackDeadline) : ackDeadline;
        return Math.min(own, ring.deadline());
    }

    /** Something has been sent (or should have been): its answer is due within the timeout. */
    void sent() {
        if (ackDeadline == Long.MAX_VALUE) {
            startTimer();
        }
    }

    /** Something has been sent; the timeout starts with it if nothing was unanswered before. */
    void sent(boolean first) {
        if (first) {
            startTimer();
        } else {
            sent();
        }
    }

    /** Starts the timeout anew, or stops it if nothing is waited for. */
    void startTimer() {
        long timeout = qp.retries().ackTimeoutNanos();
        if (timeout != Long.MAX_VALUE && requester.awaitsPeer()) {
            ackDeadline = services.now() + timeout;
            services.arm(qp, ackDeadline);
        } else {
            ackDeadline = Long.MAX_VALUE;
        }
    }

    /** A response packet has come; its structure has been checked. */
    void onResponse(Opcode opcode, DirectBuffer b, int offset, int length, int headers) {
        if (qp.state() != QpState.RTS && qp.state() != QpState.SQD) {
            return;
        }
        int psn = BthFlyweight.psn(b, offset);
        if (!requester.hasUnanswered() || Psn.diff(psn, psns.unsent()) >= 0) {
            services.count(NicCounter.UNEXPECTED_RESPONSES); // an answer to a PSN never sent, or late: answers nothing
            return;
        }
        switch (opcode) {
            case ACKNOWLEDGE:
                onAcknowledge(psn, AethFlyweight.syndrome(b, offset + opcode.aethOffset()));
                break;
            case ATOMIC_ACKNOWLEDGE:
                onAtomic(psn, AtomicAckEthFlyweight.original(b, offset + opcode.atomicAckEthOffset()));
                break;
            default:
                onReadResponse(opcode, psn, b, offset + headers, length - headers);
        }
        ring.releaseConsumed();
        if (requester.hasWork()) {
            services.schedule(qp);
        }
    }

    private void onAcknowledge(int psn, int syndrome) {
        boolean isAck = AethSyndrome.isAck(syndrome);
        if (takeBack.isAnswered(isAck ? psn : Psn.add(psn, -1))) {
            takenBack();
            return;
        }
        if (isAck) {
            if (!acknowledge(psn)) {
                goBackToRead();
            }
            if (takeBack.isPending() && !Psn.before(acknowledged, takeBack.refused())) {
                goOn();
            }
            drained();
            return;
        }
        if (AethSyndrome.isRnrNak(syndrome) && isHeldBack() && !takeBack.isPending()) {
            return; // a duplicate: nothing has been sent since
        }
        if (!acknowledge(Psn.add(psn, -1))) {
            goBackToRead();
            return;
        }
        if (!requester.hasUnanswered() || !Psn.after(psn, acknowledged)) {
            return; // an old NAK: what it asks for has been acknowledged since
        }
        if (takeBack.isPending()) {
            if (psn == takeBack.refused()) {
                return; // a duplicate: the skip is on its way
            }
            goOn();
        }
        if (AethSyndrome.isRnrNak(syndrome)) {
            services.count(NicCounter.RECEIVER_NOT_READY);
            long delay = RnrTimer.nanos(AethSyndrome.timerCode(syndrome));
            if (ring.waitsApart()) {
                takeBack(psn, null, delay);
                return;
            }
            requester.rewind(psn);
            probing = true;
            receiverNotReady(backOff.delay(delay));
            return;
        }
        if (AethSyndrome.isRefusal(syndrome) && ring.takesBack()) {
            takeBack(psn, statusOf(AethSyndrome.nak(syndrome)), 0);
            return;
        }
        if (syndrome != AethSyndrome.PSN_SEQUENCE_ERROR) {
            requester.fail(statusOf(AethSyndrome.isRefusal(syndrome) ? AethSyndrome.nak(syndrome) : syndrome));
            return;
        }
        if (psn == nakPsn) {
            return; // a duplicate: a responder asks once until the packet comes
        }
        nakPsn = psn;
        services.count(NicCounter.RETRANSMISSIONS);
        if (++retries > qp.retries().retryCount()) {
            requester.fail(WcStatus.RETRY_EXC_ERR);
        } else {
            requester.rewind(psn);
            startTimer();
        }
    }

    private static WcStatus statusOf(int nak) {
        switch (nak) {
            case AethSyndrome.INVALID_REQUEST:
                return WcStatus.REM_INV_REQ_ERR;
            case AethSyndrome.REMOTE_ACCESS_ERROR:
                return WcStatus.REM_ACCESS_ERR;
            case AethSyndrome.REMOTE_ABORTED:
                return WcStatus.REM_ABORT_ERR;
            default:
                return WcStatus.REM_OP_ERR;
        }
    }

    /** The oldest request was not taken: others shall go on. */
    private void takeBack(int psn, @Nullable WcStatus why, long delay) {
        takeBack.begin(psn, why, delay);
        startTimer();
        services.schedule(qp);
    }

    /** The peer has skipped what it did not take. */
    private void takenBack() {
        int own = takeBack.done();
        requester.forgetCurrent();
        answeredTo(own);
        startTimer();
        drained();
    }

    /** The peer has taken what it had not: there is nothing to take back. */
    private void goOn() {
        takeBack.cancel();
        requester.rewind(Psn.next(acknowledged));
        startTimer();
        services.schedule(qp);
    }

    private void onAtomic(int psn, long original) {
        if (!acknowledge(Psn.add(psn, -1))) {
            goBackToRead();
            return;
        }
        if (!requester.hasUnanswered()) {
            return;
        }
        int slot = ring.slot(ring.head());
        int kind = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
        if (psn != wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN)) {
            return; // of a request that is complete
        }
        if (kind != QpRequester.COMPARE_SWAP && kind != QpRequester.FETCH_ADD) {
            requester.fail(WcStatus.BAD_RESP_ERR);
            return;
        }
        value.putLong(0, original);
        if (!requester.entriesHold(slot, Access.LOCAL_WRITE)
                || !ScatterGather.scatter(services, wqes, slot + SendWqeDescriptor.DATA, 0, Long.BYTES, value, 0)) {
            requester.fail(WcStatus.LOC_PROT_ERR);
            return;
        }
        answeredTo(psn);
        requester.completeHead(WcStatus.SUCCESS);
        startTimer();
        drained();
    }

    private void onReadResponse(Opcode opcode, int psn, DirectBuffer b, int at, int bytes) {
        if (!acknowledge(Psn.add(psn, -1))) {
            goBackToRead();
            return;
        }
        if (!requester.hasUnanswered()) {
            return;
        }
        int slot = ring.slot(ring.head());
        int first = wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN);
        int last = wqes.getInt(slot + SendWqeDescriptor.LAST_PSN);
        if (Psn.before(psn, first) || Psn.after(psn, last)) {
            return; // of a request that is complete
        }
        if (wqes.getByte(slot + SendWqeDescriptor.OPCODE) != QpRequester.READ) {
            requester.fail(WcStatus.BAD_RESP_ERR);
            return;
        }
        int length = wqes.getInt(slot + SendWqeDescriptor.LENGTH);
        int due = Psn.diff(psn, first) * qp.pathMtu();
        if (due < readOffset) {
            return; // a duplicate
        }
        if (due > readOffset) {
            goBackToRead(); // one before it was lost
            return;
        }
        if (bytes != Math.min(qp.pathMtu(), length - due) || (psn == last) != opcode.endsMessage()) {
            requester.fail(WcStatus.BAD_RESP_ERR);
            return;
        }
        if (!requester.entriesHold(slot, Access.LOCAL_WRITE)
                || !ScatterGather.scatter(services, wqes, slot + SendWqeDescriptor.DATA, due, bytes, b, at)) {
            requester.fail(WcStatus.LOC_PROT_ERR);
            return;
        }
        readOffset += bytes;
        wentBack = false;
        answeredTo(psn);
        if (psn == last) {
            requester.completeHead(WcStatus.SUCCESS);
            drained();
        }
        startTimer();
    }

    /**
     * Completes requests whose last PSN is not after the given one.
     *
     * @return false if one of them is a READ or atomic whose answer has not come
     */
    private boolean acknowledge(int psn) {
        boolean all = true;
        boolean some = false;
        while (requester.hasUnanswered()) {
            int slot = ring.slot(ring.head());
            if (Psn.after(wqes.getInt(slot + SendWqeDescriptor.LAST_PSN), psn)) {
                break;
            }
            if (QpRequester.isRead(wqes.getByte(slot + SendWqeDescriptor.OPCODE))) {
                all = false;
                break;
            }
            requester.completeHead(WcStatus.SUCCESS);
            some = true;
        }
        int reached = all ? psn : Psn.add(psns.head(), -1); // what a READ has got is known from its answers
        if (some || Psn.after(reached, acknowledged)) {
            answeredTo(reached);
            startTimer();
        }
        return all;
    }

    private void answeredTo(int psn) {
        if (Psn.after(psn, acknowledged)) {
            acknowledged = psn;
        }
        if (Psn.next(acknowledged) == psns.unsent()) {
            services.nothingUnderWay(qp);
        }
        progress();
        if (ackDeadline != Long.MAX_VALUE) {
            ackDeadline = services.now() + qp.retries().ackTimeoutNanos();
        }
    }

    /** The peer has done something: the retries start again. */
    void progress() {
        nakPsn = -1;
        retries = 0;
        refused = false;
        backOff.progress();
        probing = false;
        extensions = 0;
        resumeAt = 0; // not looked at with each request from here on
    }

    /** The answer to the oldest READ (or atomic) was lost: asks again, once until something comes. */
    private void goBackToRead() {
        if (!wentBack) {
            wentBack = true;
            services.count(NicCounter.RETRANSMISSIONS);
            requester.rewind(Psn.add(psns.head(), readOffset / qp.pathMtu()));
            services.schedule(qp);
        }
    }

    /**
     * Whether the receiver was not ready for the oldest request, and has not taken it since: only that one is sent
     * again, for what is behind it would be thrown away with it.
     */
    boolean isProbing() {
        return probing;
    }

    /** The receiver was not ready: goes on after a delay, unless that was once too often. */
    void receiverNotReady(long delay) {
        refused = true;
        if (!backOff.mayTryAgain()) {
            requester.fail(WcStatus.RNR_RETRY_EXC_ERR);
            return;
        }
        resumeAt = services.now() + delay;
        ackDeadline = Long.MAX_VALUE;
        services.arm(qp, resumeAt);
    }

    void onTimer(long now) {
        if (ring.deadline() <= now) {
            ring.onTimer(now);
            services.schedule(qp);
        }
        if (resumeAt != 0 && resumeAt <= now) {
            resumeAt = 0;
            services.schedule(qp);
        }
        if (ackDeadline > now) {
            return;
        }
        if (!requester.awaitsPeer()) {
            ackDeadline = Long.MAX_VALUE;
            return;
        }
        Path path = qp.path();
        Link link = path == null ? null : path.link();
        boolean up = link != null && link.state() == Link.State.UP;
        if (up
                && link != null
                && link.unsent() > 0
                && extensions++ < qp.retries().retryCount()) {
            startTimer(); // the timeout does not run for what the medium has not taken; bounded all the same
            return;
        }
        if (path != null && path.isFlowing() && !requester.awaitsAnswer()) {
            startTimer(); // the link had no room just now, but others' packets go: its turn will come
            return;
        }
        if (++retries > qp.retries().retryCount()) {
            requester.fail(WcStatus.RETRY_EXC_ERR);
            return;
        }
        sendAgain();
        startTimer();
    }

    /** What is not answered is sent again. */
    private void sendAgain() {
        wentBack = false;
        nakPsn = -1;
        services.count(NicCounter.RETRANSMISSIONS);
        if (takeBack.isPending()) {
            takeBack.again();
        } else if (requester.hasUnanswered()) {
            int head = psns.head();
            int from = Psn.add(acknowledged, 1);
            requester.rewind(Psn.before(from, head) ? head : from);
        }
        services.schedule(qp);
    }

    /**
     * The path has a new link. What the one before carried may be lost: it is sent again at once. That is no retry, and
     * the timeout runs on: links that come and go, and bring nothing, do not keep a request for ever.
     *
     * <p>A READ is asked for once more with that, and not again when the rest of its first answer comes by the new link
     * and does not follow what is there.
     */
    void linkReplaced() {
        if (takeBack.isPending() || requester.hasUnanswered()) {
            sendAgain();
            wentBack = !takeBack.isPending() && psns.readsBefore(psns.assigned()) > 0;
        }
    }

    /** The path's peer is gone for good. */
    void peerDied() {
        if (qp.state() == QpState.ERR) {
            qp.flushPosted();
            return;
        }
        services.event(AsyncEventType.QP_FATAL, qp.number());
        if (requester.hasUnanswered() || ring.hasNext()) {
            requester.fail(WcStatus.RETRY_EXC_ERR);
        } else {
            qp.error();
        }
    }

    /** The oldest READ or atomic is complete. */
    void readCompleted() {
        readOffset = 0;
        wentBack = false;
    }

    /** Says so if nothing is outstanding any more, in SQD. */
    void drained() {
        if (qp.state() == QpState.SQD && !requester.isUnderWay()) {
            services.event(AsyncEventType.SQ_DRAINED, qp.number());
        }
    }
}
