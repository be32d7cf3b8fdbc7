package io.verbena.nic.transport;

import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.SendWqeDescriptor;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import org.agrona.DirectBuffer;

/**
 * The sending half of a reliable connection: cuts packets, or executes the request on the peer's mapped memory
 * ({@link DirectPath}).
 *
 * <p>A request gets its PSNs when it is first sent and keeps them ({@link PsnWindow}); going back to an earlier PSN
 * moves the cursor only. Pure state: used under the engine's baton.
 */
final class ReliableRequester extends QpRequester {
    private final Completer completer;
    private final DirectPath direct;
    private final AppendRun run;
    private final PsnWindow psns;
    private final NamedQueue named;
    private final TakeBack takeBack;
    private final PayloadInPlace inPlace;

    private boolean directly; // the current request is executed on mapped memory
    private boolean justChecked; // its entries have been checked in this turn
    private boolean packetsOnly; // the current request was refused by the direct path: the peer shall answer it
    private int readsOutstanding;

    ReliableRequester(QpContext qp, TransportServices services) {
        super(qp, services);
        this.psns = new PsnWindow(qp);
        this.named = new NamedQueue(qp);
        this.takeBack = new TakeBack(qp, services, psns);
        this.completer = new Completer(qp, services, this, psns, takeBack);
        this.run = new AppendRun(qp, services);
        this.inPlace = new PayloadInPlace(services, wqes);
        this.direct = new DirectPath(qp, services, run);
    }

    @Override
    public void onResponse(Opcode opcode, DirectBuffer b, int at, int length, int headers) {
        completer.onResponse(opcode, b, at, length, headers);
    }

    @Override
    public void peerDied() {
        completer.peerDied();
    }

    @Override
    public void linkReplaced() {
        completer.linkReplaced();
    }

    @Override
    public void awaitsRoom() {
        if (qp.state() == QpState.RTS && ring.hasNext()) {
            noRoom();
        }
    }

    @Override
    long deadline() {
        return completer.deadline();
    }

    @Override
    boolean awaitsReceiver() {
        return completer.awaitsReceiver();
    }

    @Override
    void onTimer(long now) {
        completer.onTimer(now);
    }

    @Override
    void reset(int psn) {
        psns.reset(psn);
        forgetCurrent();
        readsOutstanding = 0;
        completer.reset(psns.next());
        direct.begin(psns.next());
    }

    /** Whether requests were sent as packets and are not answered. */
    boolean hasUnanswered() {
        return psns.hasUnanswered();
    }

    /**
     * Whether the peer owes something: an answer, or a link that takes packets. What merely waits its turn does not
     * count.
     */
    boolean awaitsPeer() {
        return awaitsAnswer()
                || (outcome == QpContext.BLOCKED
                        && qp.state() == QpState.RTS
                        && ring.hasNext()
                        && !path().takesPackets());
    }

    /** Whether the peer owes an answer. */
    boolean awaitsAnswer() {
        return hasUnanswered() && Psn.diff(psns.asked(), completer.acknowledged()) > 1;
    }

    @Override
    boolean isUnderWay() {
        return hasUnanswered() || started || isMessageUnderWay();
    }

    @Override
    int transmit(int budget) {
        int spent = 0;
        outcome = QpContext.MORE;
        justChecked = false;
        if (takeBack.isPending()) {
            return skip();
        }
        while (spent < budget) {
            boolean underWay = started || psns.isCurrentAssigned() || isMessageUnderWay();
            if (qp.state() != QpState.RTS && !(qp.state() == QpState.SQD && underWay)) {
                outcome = notSending();
                break;
            }
            if (!ring.hasNext()) {
                outcome = QpContext.IDLE;
                break;
            }
            if (completer.isHeldBack()) {
                outcome = QpContext.WAITING;
                break;
            }
            int slot = ring.slot(ring.next());
            if (!started && !begin(slot)) {
                break;
            }
            int sent = directly ? executeDirectly(slot, budget - spent) : sendPacket(slot, budget - spent);
            if (sent == STOPPED) {
                break;
            }
            spent += sent;
            if (qp.sendsOnePacket()) {
                outcome = started || ring.hasNext() ? QpContext.MORE : QpContext.IDLE;
                break;
            }
        }
        ring.releaseConsumed();
        return spent;
    }

    @Override
    boolean isNextDirect() {
        if (packetsOnly || takeBack.isPending() || !ring.hasNext()) {
            return !packetsOnly && slicer != null && slicer.offersNext();
        }
        int slot = ring.slot(ring.next());
        return !psns.isBetweenParts() && direct.offers(qp.path(), slot, wqes.getLong(slot + SendWqeDescriptor.HEADER));
    }

    @Override
    int executeNow(int slot, InlineData data, int longest) {
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int kind = SendWqeDescriptor.opcode(header);
        int flags = SendWqeDescriptor.flags(header);
        int length = SendWqeDescriptor.length(header);
        boolean reads = isRead(kind);
        Path path = qp.path();
        if (length > longest
                || qp.state() != QpState.RTS
                || completer.isHeldBack()
                || path == null
                || path.remoteKeys() == null
                || !DirectPath.offers(kind, flags)
                || !direct.isOpen(path)
                || (reads && (qp.connection().maxRdAtomic() == 0 || (kind != READ && length != Long.BYTES)))
                || ((flags & SendWqeDescriptor.INLINE) != 0
                        ? !data.isReadable()
                        : !entriesHold(slot, accessToOwn(reads)))) {
            return STOPPED;
        }
        int result = direct.execute(path, slot, header, data, 0, longest);
        if (result == DirectPath.LOCAL_ERROR) {
            // A region has gone since the check, and an atomic may have been executed: the request is not tried again.
            ring.posted();
            ring.publish();
            ring.hasNext(); // sees it
            fail(WcStatus.LOC_PROT_ERR);
            return DirectPath.OVERHEAD;
        }
        if (result < 0) {
            return STOPPED;
        }
        if ((flags & SendWqeDescriptor.SIGNALED) != 0) {
            qp.completeSend(wqes.getLong(slot + SendWqeDescriptor.WR_ID), WcStatus.SUCCESS, kind, length);
        }
        completer.progress();
        return result + DirectPath.OVERHEAD;
    }

    /** Checks a request before its first byte is sent. Sets the outcome where it returns false. */
    private boolean begin(int slot) {
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int opcode = SendWqeDescriptor.opcode(header);
        int flags = SendWqeDescriptor.flags(header);
        boolean reads = isRead(opcode);
        boolean nothingUnanswered = ring.head() == ring.next();
        if (isLocal(opcode)) {
            return beginHere(slot, opcode, nothingUnanswered);
        }
        Path path = qp.path();
        // What was sent as packets once is sent as packets again: the peer knows its PSNs and does it once.
        // Between parts it would wait for their answers.
        directly = !packetsOnly
                && !psns.isBetweenParts()
                && !psns.isCurrentAssigned()
                && (!reads || qp.connection().maxRdAtomic() > 0)
                && path != null
                && path.remoteKeys() != null
                && direct.offers(path, slot, header)
                && direct.isOpen(path);
        if (((directly || completer.isProbing()) && !nothingUnanswered)
                || (reads && !directly && readsOutstanding >= qp.connection().maxRdAtomic())
                || ((flags & SendWqeDescriptor.FENCE) != 0 && readsOutstanding > 0)) {
            if (reads && qp.connection().maxRdAtomic() == 0) {
                return refuse(WcStatus.LOC_QP_OP_ERR, nothingUnanswered);
            }
            outcome = QpContext.WAITING;
            return false;
        }
        if (!psns.isCurrentAssigned() && !directly && !psns.hasRoom(psns.packets(slot))) {
            if (nothingUnanswered) {
                return refuse(WcStatus.LOC_LEN_ERR, true);
            }
            outcome = QpContext.WAITING;
            return false;
        }
        if ((flags & SendWqeDescriptor.INLINE) == 0) {
            if (!entriesHold(slot, accessToOwn(reads))) {
                if (!reads) {
                    return refuse(WcStatus.LOC_PROT_ERR, nothingUnanswered);
                }
                // The peer looks first: where both keys are bad, READs and atomics report the remote one. The completer
                // looks again.
                directly = false;
            }
            if (opcode != READ && reads && SendWqeDescriptor.length(header) != Long.BYTES) {
                return refuse(WcStatus.LOC_LEN_ERR, nothingUnanswered);
            }
        }
        started = true;
        justChecked = true;
        return true;
    }

    /**
     * A request that is done here waits for those before it, which complete first. Returns false: nothing is to be
     * sent.
     */
    private boolean beginHere(int slot, int opcode, boolean nothingUnanswered) {
        if (!nothingUnanswered) {
            outcome = QpContext.WAITING;
        } else if (executeHere(slot, opcode)) {
            psns.noneAssigned();
            outcome = QpContext.MORE;
        } else {
            outcome = QpContext.IDLE;
        }
        return false;
    }

    private boolean refuse(WcStatus status, boolean nothingUnanswered) {
        if (nothingUnanswered) {
            fail(status);
            outcome = QpContext.IDLE;
        } else {
            outcome = QpContext.WAITING; // earlier requests complete first
        }
        return false;
    }

    private int executeDirectly(int slot, int budget) {
        Path path = path();
        int result = direct.isOpen(path)
                ? direct.execute(path, slot, wqes.getLong(slot + SendWqeDescriptor.HEADER), null, offset, budget)
                : DirectPath.AS_PACKETS;
        if (result >= 0) {
            int done = direct.done();
            if (done > 0) {
                offset = 0;
                started = false;
                for (int i = 0; i < done; i++) {
                    completeHead(WcStatus.SUCCESS);
                }
                completer.progress();
                psns.noneAssigned();
                completer.drained();
            } else {
                offset += result;
            }
            return result + Math.max(done, 1) * DirectPath.OVERHEAD;
        }
        started = false;
        boolean isNotReady =
                result == DirectPath.RECEIVER_NOT_READY && !psns.isInParts(); // else packets keep them alive
        if (isNotReady && ring.waitsApart()) {
            forgetCurrent();
            takeBack.here(direct.notReadyDelay());
            outcome = ring.hasNext() ? QpContext.MORE : QpContext.IDLE;
        } else if (isNotReady) {
            completer.receiverNotReady(direct.notReadyDelay());
            outcome = completer.isHeldBack() ? QpContext.REFUSED : QpContext.WAITING; // or it was once too often
        } else if (result == DirectPath.LOCAL_ERROR) {
            fail(WcStatus.LOC_PROT_ERR);
            outcome = QpContext.IDLE;
        } else {
            packetsOnly = true; // the peer judges it, answers and raises its events
            offset = 0;
            outcome = QpContext.MORE;
            return begin(slot) ? 0 : STOPPED;
        }
        return STOPPED;
    }

    private int sendPacket(int slot, int budget) {
        Path path = path();
        Link link = path.link();
        if (link == null || link.state() != Link.State.UP) {
            return noRoom();
        }
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int kind = SendWqeDescriptor.opcode(header);
        int flags = SendWqeDescriptor.flags(header);
        int length = SendWqeDescriptor.length(header);
        boolean reads = isRead(kind);
        int payload = reads ? 0 : Math.min(length - offset, qp.pathMtu());
        boolean last = reads || offset + payload == length;
        Opcode opcode = named.shortest(packet(kind, flags, last), slot, !psns.isCurrentAssigned());
        int headers = opcode.headerLength();
        if (headers + payload > link.maxPacket()) {
            return stop(WcStatus.LOC_LEN_ERR); // a link that carries less than the path's MTU
        }
        if (payload > 0 && !justChecked && (flags & SendWqeDescriptor.INLINE) == 0 && !entriesHold(slot, 0)) {
            return stop(WcStatus.LOC_PROT_ERR); // a region has gone since the request was started
        }
        if (offset == 0 && !packetsOnly && run.mayStart(kind, flags, path)) {
            run.find(
                    slot,
                    length,
                    Math.min(Math.min(budget, qp.pathMtu()), link.maxPacket() - Opcode.APPEND_RUN.headerLength()));
            if (run.messages() > 1 && psns.hasRoom(run.messages())) {
                return sendRun(link, path, slot);
            }
        }
        MemoryRegion source = inPlace.find(slot, flags, offset, payload);
        int at = source == null
                ? link.claim(headers + payload)
                : link.claim(headers, source.buffer(), inPlace.offset(), payload);
        if (at == Link.NO_ROOM) {
            return noRoom();
        }
        return putPacket(link, path, slot, opcode, at, payload, source != null);
    }

    /**
     * Lays a packet out where it was claimed, and commits it.
     *
     * @param referred whether the payload is sent from where it lies
     * @return bytes charged
     */
    private int putPacket(Link link, Path path, int slot, Opcode opcode, int at, int payload, boolean referred) {
        long header = wqes.getLong(slot + SendWqeDescriptor.HEADER);
        int flags = SendWqeDescriptor.flags(header);
        boolean reads = isRead(SendWqeDescriptor.opcode(header));
        boolean last = reads || offset + payload == SendWqeDescriptor.length(header);
        boolean first = !hasUnanswered();
        named.sends(opcode, slot, !psns.isCurrentAssigned());
        int psn = psns.at(slot, offset);
        boolean wantsAnswer = psns.asksForAnswer(payload, last);
        int bthFlags = (wantsAnswer ? BthFlyweight.ACK_REQUEST : 0)
                | (last && (flags & SendWqeDescriptor.SOLICITED) != 0 ? BthFlyweight.SOLICITED : 0);
        encode(link.buffer(), at, slot, opcode, bthFlags, qp.peerQp(), psn, referred ? 0 : payload);
        link.commit();
        services.touch(path);
        psns.sent(Psn.next(reads ? wqes.getInt(slot + SendWqeDescriptor.LAST_PSN) : psn), wantsAnswer || reads);
        justChecked = false;
        offset += payload;
        if (last) {
            offset = 0;
            started = false;
            packetsOnly = false;
            ring.advanceNext();
            psns.ended(flags);
            if (reads) {
                readsOutstanding++;
            }
        }
        completer.sent(first);
        return opcode.headerLength() + payload + path.overhead();
    }

    /** Sends the run that was found, in one packet with the PSNs of all its messages. */
    private int sendRun(Link link, Path path, int slot) {
        boolean first = !hasUnanswered();
        long last = ring.next() + run.messages() - 1;
        boolean fresh = last >= psns.assigned();
        int length = run.send(link, path, slot, psns);
        if (length == Link.NO_ROOM) {
            return noRoom();
        }
        named.sends(Opcode.APPEND_RUN, ring.slot(last), fresh);
        justChecked = false;
        started = false;
        completer.sent(first);
        return length + path.overhead();
    }

    /** The link is full, or down: the timer runs although nothing can be sent. */
    private int noRoom() {
        outcome = QpContext.BLOCKED;
        completer.sent();
        return STOPPED;
    }

    /** The current request cannot go on: it fails when those before it are complete. */
    private int stop(WcStatus status) {
        refuse(status, ring.head() == ring.next());
        return STOPPED;
    }

    @Override
    boolean hasWork() {
        return takeBack.isPending() ? takeBack.isDue() : super.hasWork();
    }

    /** Sends the skip if that is due; nothing else. */
    private int skip() {
        outcome = QpContext.WAITING;
        if (takeBack.isDue() && !takeBack.transmit(path())) {
            noRoom();
        }
        completer.sent();
        return 0;
    }

    /** What was sent or begun is in the ring no more. */
    void forgetCurrent() {
        named.forget();
        offset = 0;
        started = false;
        directly = false;
        packetsOnly = false;
    }

    /** Goes back to a PSN that was sent: the next packet will be that one. */
    void rewind(int psn) {
        services.nothingUnderWay(qp);
        psns.rewind(psn);
        named.forget();
        long index = psns.indexOf(psn);
        readsOutstanding = psns.readsBefore(index);
        if (index < psns.assigned()) {
            int slot = ring.slot(index);
            int kind = wqes.getByte(slot + SendWqeDescriptor.OPCODE);
            int packets = Math.max(0, Psn.diff(psn, wqes.getInt(slot + SendWqeDescriptor.FIRST_PSN)));
            offset = isRead(kind) && kind != READ ? 0 : packets * qp.pathMtu();
            started = offset > 0;
            directly = false;
            ring.rewind(index);
        }
    }

    @Override
    void completeHead(WcStatus status, int slot, long header) {
        boolean current = ring.next() == ring.head();
        packetsOnly &= !current;
        if (isRead(SendWqeDescriptor.opcode(header))) {
            completer.readCompleted();
            readsOutstanding -= current ? 0 : 1;
        }
        super.completeHead(status, slot, header);
    }

    @Override
    void flush() {
        super.flush();
        psns.noneAssigned();
        forgetCurrent();
        readsOutstanding = 0;
        completer.disarm();
        services.nothingUnderWay(qp);
    }
}
