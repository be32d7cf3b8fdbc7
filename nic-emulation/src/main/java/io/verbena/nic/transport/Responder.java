package io.verbena.nic.transport;

import io.verbena.nic.AsyncEventType;
import io.verbena.nic.NicCounter;
import io.verbena.nic.QpState;
import io.verbena.nic.WcOpcode;
import io.verbena.nic.WcStatus;
import io.verbena.nic.append.Appender;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.ReceiveWqeDescriptor;
import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AtomicEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.ImmDtFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.Psn;
import io.verbena.nic.wire.RethFlyweight;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The answering half of a queue pair. Each request is checked in this order: PSN, opcode sequence, access of the queue
 * pair, receive request or responder resource, length, key; then it is executed, once; then it is answered.
 *
 * <p>READs and atomics keep a {@link ResponderResources responder resource}, so that a duplicate is answered from what was
 * saved. Pure state: used under the engine's baton.
 */
public final class Responder {
    /** The request was done, or taken in. */
    private static final int DONE = 0;
    /** The receiver is not ready. */
    private static final int NOT_READY = -1;
    // Any other result is a NAK syndrome.

    /** In place of an in-flight slot: the owner of the queue appends. */
    private static final int OWNER = -1;

    private final QpContext qp;
    private final TransportServices services;
    private final ReceiveRing receives;
    private final ResponderResources resources = new ResponderResources();
    private final UnsafeBuffer receive;

    private int expectedPsn;
    private int messages; // MSN
    private @Nullable Opcode previous; // of the message under way, null between messages
    private boolean acknowledgementDue;
    private int nakSyndrome; // 0: none due
    private int nakPsn;
    private boolean failing; // goes to ERR when the answers that are due and the NAK are sent
    private boolean established;
    private boolean nakked; // nothing but the expected PSN is answered until it comes

    // The message under way.
    private boolean holdsReceive;
    private int received;
    private @Nullable MemoryRegion writeRegion;
    private int writeKey;
    private long writeOffset;
    private int announcedLength;
    private long appendClaim;
    private @Nullable AtomicBuffer appendTarget;
    private int appendOffset;
    private boolean appending;
    private boolean appendLarge;

    Responder(QpContext qp, TransportServices services) {
        this.qp = qp;
        this.services = services;
        this.receives = qp.receiveRing();
        this.receive = new UnsafeBuffer(new byte[ReceiveWqeDescriptor.slotLength(receives.maxSge())]);
    }

    void reset(int receivePsn) {
        expectedPsn = receivePsn & Psn.MASK;
        messages = 0;
        previous = null;
        acknowledgementDue = false;
        nakSyndrome = 0;
        nakked = false;
        failing = false;
        established = false;
        holdsReceive = false;
        abandonAppend();
        resources.reset(qp.maxDestRdAtomic());
    }

    /** The queue pair goes to ERR: what was half received is flushed or undone. */
    void abandon() {
        failing = false;
        abandonAppend();
        if (holdsReceive) {
            holdsReceive = false;
            completeReceive(WcStatus.WR_FLUSH_ERR, WcOpcode.RECEIVE, 0, 0);
        }
        previous = null;
        resources.reset(0);
    }

    /** Whether answers to READs or atomics are to be sent. */
    public boolean hasResponses() {
        return resources.hasPending();
    }

    int outcome() {
        return resources.outcome();
    }

    /** Sends answers to READs and atomics, in order, up to a budget. */
    int transmit(int budget) {
        int sent = resources.transmit(qp, services, budget, messages);
        if (!resources.hasPending() && (acknowledgementDue || nakSyndrome != 0)) {
            services.acknowledge(qp);
        }
        return sent;
    }

    /** A request packet has come; its structure has been checked. */
    public void onRequest(Opcode opcode, DirectBuffer b, int offset, int length, int headers) {
        if (!qp.state().receives()) {
            return;
        }
        int psn = BthFlyweight.psn(b, offset);
        int ahead = Psn.diff(psn, expectedPsn);
        if (failing && ahead >= 0) {
            return;
        }
        if (ahead != 0) {
            if (ahead > 0) {
                services.count(NicCounter.OUT_OF_SEQUENCE);
                if (!nakked) {
                    nak(AethSyndrome.PSN_SEQUENCE_ERROR);
                }
            } else {
                services.count(NicCounter.DUPLICATE_REQUESTS);
                duplicate(opcode, psn, b, offset);
            }
            return;
        }
        nakked = false;
        nakSyndrome = 0;
        if (!established) {
            established = true;
            if (qp.state() == QpState.RTR) {
                services.event(AsyncEventType.COMM_EST, qp.number());
            }
        }
        int result = opcode.mayFollow(previous)
                ? execute(opcode, b, offset, length - headers, headers)
                : AethSyndrome.INVALID_REQUEST;
        if (result == DONE) {
            previous = opcode.endsMessage() ? null : opcode;
            if (opcode.family() != Opcode.Family.READ) {
                expectedPsn = Psn.next(expectedPsn);
            }
            if (opcode.endsMessage()) {
                messages = messages + 1 & AethFlyweight.MSN_MASK;
            }
            if (BthFlyweight.ackRequest(b, offset)
                    && opcode.family() != Opcode.Family.READ
                    && opcode.family() != Opcode.Family.ATOMIC) {
                acknowledgementDue = true;
                services.acknowledge(qp);
            }
        } else if (result == NOT_READY) {
            nak(AethSyndrome.rnrNak(qp.minRnrTimer()));
        } else {
            nak(result);
            services.event(
                    result == AethSyndrome.REMOTE_ACCESS_ERROR
                            ? AsyncEventType.QP_ACCESS_ERR
                            : AsyncEventType.QP_REQ_ERR,
                    qp.number());
            if (resources.hasPending()) {
                failing = true; // what was asked for before is answered before
            } else {
                qp.error();
            }
        }
    }

    private void nak(int syndrome) {
        nakSyndrome = syndrome;
        nakPsn = expectedPsn;
        nakked = true;
        acknowledgementDue = false;
        services.acknowledge(qp);
    }

    /**
     * Sends the acknowledgement or NAK that is due, behind all answers to READs and atomics.
     *
     * @return false if the link has no room
     */
    public boolean acknowledge(Link link) {
        if (resources.hasPending() || (!acknowledgementDue && nakSyndrome == 0)) {
            return true;
        }
        int at = link.claim(Opcode.ACKNOWLEDGE.headerLength());
        if (at == Link.NO_ROOM) {
            return false;
        }
        int syndrome = nakSyndrome != 0 ? nakSyndrome : AethSyndrome.ACK;
        int psn = nakSyndrome != 0 ? nakPsn : Psn.add(expectedPsn, -1);
        MutableDirectBuffer b = link.buffer();
        BthFlyweight.encode(b, at, Opcode.ACKNOWLEDGE.code(), 0, qp.peerQp(), psn, qp.number());
        AethFlyweight.encode(b, at + Opcode.ACKNOWLEDGE.aethOffset(), syndrome, messages);
        link.commit();
        acknowledgementDue = false;
        nakSyndrome = 0;
        if (failing) {
            qp.error();
        }
        return true;
    }

    private int execute(Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        if (payload > qp.pathMtu() || (!opcode.endsMessage() && payload != qp.pathMtu())) {
            return AethSyndrome.INVALID_REQUEST;
        }
        switch (opcode.family()) {
            case SEND:
                return send(opcode, b, offset, payload, headers);
            case WRITE:
                return write(opcode, b, offset, payload, headers);
            case APPEND:
                return append(opcode, b, offset, payload, headers);
            case READ:
                return read(b, offset + opcode.rethOffset());
            case ATOMIC:
                return atomic(opcode, b, offset + opcode.atomicEthOffset());
            default:
                return AethSyndrome.INVALID_REQUEST;
        }
    }

    private int send(Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        if (opcode.startsMessage()) {
            if (!takeReceive()) {
                return NOT_READY;
            }
            received = 0;
            if (!receiveIsSound()) {
                holdsReceive = false;
                completeReceive(WcStatus.LOC_PROT_ERR, WcOpcode.RECEIVE, 0, 0);
                return AethSyndrome.REMOTE_OPERATIONAL_ERROR;
            }
        }
        if (payload > receive.getInt(ReceiveWqeDescriptor.LENGTH) - received) {
            holdsReceive = false;
            completeReceive(WcStatus.LOC_LEN_ERR, WcOpcode.RECEIVE, 0, 0);
            return AethSyndrome.INVALID_REQUEST;
        }
        if (payload > 0
                && !ScatterGather.scatter(
                        services, receive, ReceiveWqeDescriptor.DATA, received, payload, b, offset + headers)) {
            holdsReceive = false;
            completeReceive(WcStatus.LOC_PROT_ERR, WcOpcode.RECEIVE, 0, 0);
            return AethSyndrome.REMOTE_OPERATIONAL_ERROR;
        }
        received += payload;
        if (opcode.endsMessage()) {
            holdsReceive = false;
            deliver(opcode, b, offset, WcOpcode.RECEIVE);
        }
        return DONE;
    }

    private int write(Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        if (opcode.startsMessage()) {
            if ((qp.access() & Access.REMOTE_WRITE) == 0) {
                return AethSyndrome.INVALID_REQUEST;
            }
            int reth = offset + opcode.rethOffset();
            announcedLength = RethFlyweight.length(b, reth);
            writeOffset = RethFlyweight.remoteOffset(b, reth);
            writeKey = RethFlyweight.rkey(b, reth);
            received = 0;
            if (announcedLength < 0) {
                return AethSyndrome.INVALID_REQUEST;
            }
        }
        if (opcode.consumesReceive() && receives.front() < 0) {
            return NOT_READY;
        }
        if (opcode.endsMessage() ? payload != announcedLength - received : payload >= announcedLength - received) {
            return badWrite(opcode, AethSyndrome.INVALID_REQUEST);
        }
        if (announcedLength > 0) {
            MemoryRegion region = services.region(writeKey);
            if (region == null
                    || region.check(qp.pd(), writeOffset, announcedLength, Access.REMOTE_WRITE) != MemoryRegion.OK
                    || (!opcode.startsMessage() && region != writeRegion)) {
                return badWrite(opcode, AethSyndrome.REMOTE_ACCESS_ERROR);
            }
            writeRegion = region;
            ScatterGather.place(region.buffer(), (int) writeOffset + received, b, offset + headers, payload);
            received += payload;
        }
        if (opcode.endsMessage()) {
            writeRegion = null;
            if (opcode.consumesReceive()) {
                takeReceive();
                holdsReceive = false;
                deliver(opcode, b, offset, WcOpcode.RECEIVE_WRITE_IMMEDIATE);
            }
        }
        return DONE;
    }

    private int badWrite(Opcode opcode, int syndrome) {
        if (opcode.consumesReceive() && takeReceive()) {
            holdsReceive = false;
            completeReceive(WcStatus.LOC_ACCESS_ERR, WcOpcode.RECEIVE_WRITE_IMMEDIATE, 0, 0);
        }
        return syndrome;
    }

    private int append(Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        Appender appender = services.appender();
        if (opcode.startsMessage()) {
            int eth = offset + opcode.appendEthOffset();
            announcedLength = AppendEthFlyweight.messageLength(b, eth);
            received = 0;
            if (announcedLength < payload || (opcode.endsMessage() && announcedLength != payload)) {
                return AethSyndrome.INVALID_REQUEST;
            }
            int queueId = AppendEthFlyweight.queueId(b, eth);
            int queueKey = AppendEthFlyweight.queueKey(b, eth);
            int claimed = appender.claim(queueId, queueKey, announcedLength, OWNER);
            appendLarge = claimed == Appender.LARGE_MESSAGE;
            if (appendLarge) {
                claimed = appender.claimLarge(queueId, queueKey, announcedLength, qp.number());
            }
            switch (claimed) {
                case Appender.OK:
                    break;
                case Appender.RNR:
                    return NOT_READY;
                case Appender.BAD_KEY:
                    return AethSyndrome.REMOTE_ACCESS_ERROR;
                default:
                    return AethSyndrome.INVALID_REQUEST;
            }
            appendClaim = appender.claimed();
            appendTarget = appender.buffer();
            appendOffset = appender.payloadOffset();
            appending = true;
        }
        AtomicBuffer target = appendTarget;
        if (target == null
                || (opcode.endsMessage()
                        ? payload != announcedLength - received
                        : payload >= announcedLength - received)) {
            abandonAppend();
            return AethSyndrome.INVALID_REQUEST;
        }
        target.putBytes(appendOffset + received, b, offset + headers, payload);
        received += payload;
        if (opcode.endsMessage()) {
            boolean immediate = opcode.hasImmediate();
            int data = immediate ? ImmDtFlyweight.immediate(b, offset + opcode.immOffset()) : 0;
            if (appendLarge) {
                int committed = appender.commitLarge(appendClaim, qp.number(), data, immediate);
                if (committed == Appender.RNR) {
                    received -= payload; // the same packet comes again
                    return NOT_READY;
                }
                appending = false;
                appendTarget = null;
                return committed == Appender.OK ? DONE : AethSyndrome.REMOTE_OPERATIONAL_ERROR;
            }
            appending = false;
            appendTarget = null;
            if (!appender.commit(appendClaim, qp.number(), data, immediate)) {
                return AethSyndrome.REMOTE_OPERATIONAL_ERROR;
            }
        }
        return DONE;
    }

    private void abandonAppend() {
        if (appending) {
            appending = false;
            appendTarget = null;
            services.appender().abort(appendClaim);
        }
    }

    private int read(DirectBuffer b, int reth) {
        if ((qp.access() & Access.REMOTE_READ) == 0) {
            return AethSyndrome.INVALID_REQUEST;
        }
        int length = RethFlyweight.length(b, reth);
        if (length < 0 || !resources.hasFree()) {
            return AethSyndrome.INVALID_REQUEST;
        }
        long remote = RethFlyweight.remoteOffset(b, reth);
        int key = RethFlyweight.rkey(b, reth);
        if (length > 0) {
            MemoryRegion region = services.region(key);
            if (region == null || region.check(qp.pd(), remote, length, Access.REMOTE_READ) != MemoryRegion.OK) {
                return AethSyndrome.REMOTE_ACCESS_ERROR;
            }
        }
        int packets = Math.max(1, (int) ((length + (long) qp.pathMtu() - 1) / qp.pathMtu()));
        resources.addRead(expectedPsn, Psn.add(expectedPsn, packets - 1), key, remote, length);
        expectedPsn = Psn.add(expectedPsn, packets);
        services.schedule(qp);
        return DONE;
    }

    private int atomic(Opcode opcode, DirectBuffer b, int eth) {
        long remote = AtomicEthFlyweight.remoteOffset(b, eth);
        if ((qp.access() & Access.REMOTE_ATOMIC) == 0 || (remote & 7) != 0 || !resources.hasFree()) {
            return AethSyndrome.INVALID_REQUEST;
        }
        MemoryRegion region = services.region(AtomicEthFlyweight.rkey(b, eth));
        if (region == null || region.check(qp.pd(), remote, Long.BYTES, Access.REMOTE_ATOMIC) != MemoryRegion.OK) {
            return AethSyndrome.REMOTE_ACCESS_ERROR;
        }
        long original = Atomics.execute(
                opcode == Opcode.FETCH_ADD,
                region.buffer(),
                (int) remote,
                AtomicEthFlyweight.swapOrAdd(b, eth),
                AtomicEthFlyweight.compare(b, eth));
        resources.addAtomic(expectedPsn, original);
        services.schedule(qp);
        return DONE;
    }

    /** A request that was executed before: answered, never executed again. */
    private void duplicate(Opcode opcode, int psn, DirectBuffer b, int offset) {
        switch (opcode.family()) {
            case READ:
                int reth = offset + opcode.rethOffset();
                if (resources.repeatRead(
                        psn,
                        RethFlyweight.rkey(b, reth),
                        RethFlyweight.remoteOffset(b, reth),
                        RethFlyweight.length(b, reth),
                        qp.pathMtu())) {
                    services.schedule(qp);
                }
                break;
            case ATOMIC:
                if (resources.repeatAtomic(psn)) {
                    services.schedule(qp);
                }
                break;
            default:
                acknowledgementDue = true;
                services.acknowledge(qp);
        }
    }

    private boolean takeReceive() {
        int slot = receives.front();
        if (slot < 0) {
            return false;
        }
        receive.putBytes(0, receives.buffer(), slot, receive.capacity());
        receives.pop();
        holdsReceive = true;
        return true;
    }

    private boolean receiveIsSound() {
        return ScatterGather.check(
                services,
                receive,
                ReceiveWqeDescriptor.DATA,
                receive.getInt(ReceiveWqeDescriptor.SGE_COUNT),
                receives.pd(),
                Access.LOCAL_WRITE);
    }

    private void deliver(Opcode opcode, DirectBuffer b, int offset, WcOpcode kind) {
        boolean immediate = opcode.hasImmediate();
        int flags = (immediate ? CqeDescriptor.HAS_IMMEDIATE : 0)
                | (BthFlyweight.solicited(b, offset) ? CqeDescriptor.SOLICITED : 0);
        qp.completeReceive(
                receive.getLong(ReceiveWqeDescriptor.WR_ID),
                WcStatus.SUCCESS,
                kind,
                flags,
                received,
                immediate ? ImmDtFlyweight.immediate(b, offset + opcode.immOffset()) : 0);
    }

    private void completeReceive(WcStatus status, WcOpcode kind, int bytes, int immediate) {
        qp.completeReceive(
                receive.getLong(ReceiveWqeDescriptor.WR_ID),
                status,
                kind,
                status == WcStatus.SUCCESS ? 0 : CqeDescriptor.SOLICITED,
                bytes,
                immediate);
    }
}
