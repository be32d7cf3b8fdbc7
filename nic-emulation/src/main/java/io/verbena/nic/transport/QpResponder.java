package io.verbena.nic.transport;

import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.Link;
import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.queue.ReceiveRing;
import io.verbena.nic.queue.ReceiveWqeDescriptor;
import io.verbena.nic.verbs.AddressHeader;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.QpState;
import io.verbena.nic.verbs.QpType;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.IethFlyweight;
import io.verbena.nic.wire.ImmDtFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RethFlyweight;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * The receiving half of a queue pair. What is the same on all transports is here: how the packets of a SEND, a WRITE
 * and an APPEND ({@link InboundAppend}) are executed, each checked in this order: access of the queue pair, receive
 * request, length, key. What a failed check leads to is the transport's.
 *
 * <p>Pure state: used under the engine's baton.
 */
public abstract class QpResponder {
    /** The request was done, or taken in. */
    static final int DONE = 0;
    /** The receiver is not ready. */
    static final int NOT_READY = -1;
    // Any other result is a NAK syndrome.

    final QpContext qp;
    final TransportServices services;
    final InboundAppend append;

    @Nullable
    Opcode previous; // of the message under way, null between messages

    private final ReceiveRing receives;
    private final UnsafeBuffer receive; // the receive request that was taken
    private final @Nullable UnsafeBuffer addressHeader; // of a datagram
    private boolean established;

    // The message under way.
    private boolean holdsReceive;
    private int received;
    private @Nullable MemoryRegion writeRegion;
    private int writeKey;
    private long writeOffset;
    private int announcedLength;

    QpResponder(QpContext qp, TransportServices services) {
        this.qp = qp;
        this.services = services;
        this.append = new InboundAppend(qp, services);
        this.receives = qp.receiveRing();
        this.receive = new UnsafeBuffer(new byte[ReceiveWqeDescriptor.slotLength(receives.maxSge())]);
        this.addressHeader = qp.type() == QpType.UD ? new UnsafeBuffer(new byte[AddressHeader.LENGTH]) : null;
    }

    /** Starts anew: the next packet is to have this PSN. */
    void reset(int receivePsn) {
        previous = null;
        established = false;
        holdsReceive = false;
        append.abandon();
        append.reset();
    }

    /** The queue pair goes to ERR: what was half received is flushed or undone. */
    void abandon() {
        append.abandon();
        if (holdsReceive) {
            failReceive(WcStatus.WR_FLUSH_ERR, WcOpcode.RECEIVE);
        }
        previous = null;
    }

    /**
     * A request packet has come; its structure has been checked.
     *
     * @param sourceNic identity of the NIC that it came from
     */
    public abstract void onRequest(long sourceNic, Opcode opcode, DirectBuffer b, int at, int length, int headers);

    /** Whether answers to READs or atomics are to be sent. */
    public boolean hasResponses() {
        return false;
    }

    /** Sends answers to READs and atomics, in order, up to a budget. */
    int transmit(int budget) {
        return 0;
    }

    /** Why the last {@link #transmit} ended, as in {@link QpContext}. */
    int outcome() {
        return QpContext.IDLE;
    }

    /**
     * Sends the acknowledgement or NAK that is due, behind all answers to READs and atomics.
     *
     * @return false if it is to be called again in the next turn: the link has no room, or has more to acknowledge with
     *     it
     */
    public boolean acknowledge(Link link) {
        return true;
    }

    /** The first packet that the peer has sent. */
    final void communicationEstablished() {
        if (!established) {
            established = true;
            if (qp.state() == QpState.RTR) {
                services.event(AsyncEventType.COMM_EST, qp.number());
            }
        }
    }

    /** A message is longer than its receive request: what becomes of that. Returns the result of the packet. */
    abstract int tooLong();

    /** A WRITE with immediate does not hold: what becomes of the receive request that it would consume. */
    abstract void badWriteImmediate();

    /** A SEND names a key that it cannot make void: what becomes of its receive request. */
    abstract void badInvalidate();

    /** Executes a packet of a SEND, a WRITE or an APPEND. */
    final int execute(long sourceNic, Opcode opcode, DirectBuffer b, int at, int payload, int headers) {
        switch (opcode.family()) {
            case SEND:
                return send(sourceNic, opcode, b, at, payload, headers);
            case WRITE:
                return write(opcode, b, at, payload, headers);
            case APPEND:
                return append.receive(opcode, b, at, payload, headers);
            default:
                return AethSyndrome.INVALID_REQUEST;
        }
    }

    private int send(long sourceNic, Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        if (opcode.startsMessage()) {
            if (!takeReceive()) {
                return NOT_READY;
            }
            received = 0;
            if (!receiveIsSound()) {
                failReceive(WcStatus.LOC_PROT_ERR, WcOpcode.RECEIVE);
                return AethSyndrome.REMOTE_OPERATIONAL_ERROR;
            }
        }
        UnsafeBuffer address = addressHeader;
        int room = receive.getInt(ReceiveWqeDescriptor.LENGTH) - received;
        if (payload > room - (address == null ? 0 : AddressHeader.LENGTH)) {
            return tooLong();
        }
        if (address != null) {
            AddressHeader.encode(address, 0, sourceNic, services.nicId());
            scatter(address, 0, AddressHeader.LENGTH);
        }
        if (payload > 0 && !scatter(b, offset + headers, payload)) {
            failReceive(WcStatus.LOC_PROT_ERR, WcOpcode.RECEIVE);
            return AethSyndrome.REMOTE_OPERATIONAL_ERROR;
        }
        if (opcode.endsMessage()) {
            if (opcode.hasInvalidate()
                    && !services.regions()
                            .invalidate(IethFlyweight.rkey(b, offset + opcode.iethOffset()), qp.pd(), qp.number())) {
                badInvalidate();
                return AethSyndrome.REMOTE_ACCESS_ERROR;
            }
            deliver(opcode, b, offset, WcOpcode.RECEIVE);
        }
        return DONE;
    }

    private boolean scatter(DirectBuffer source, int at, int bytes) {
        boolean held = ScatterGather.scatter(services, receive, ReceiveWqeDescriptor.DATA, received, bytes, source, at);
        received += bytes;
        return held;
    }

    private int write(Opcode opcode, DirectBuffer b, int offset, int payload, int headers) {
        if (opcode.startsMessage()) {
            if ((qp.connection().access() & Access.REMOTE_WRITE) == 0) {
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
        if (opcode.consumesReceive() && !holdsReceive && receives.front() < 0) {
            return NOT_READY;
        }
        if (opcode.endsMessage() ? payload != announcedLength - received : payload >= announcedLength - received) {
            return badWrite(opcode, AethSyndrome.INVALID_REQUEST);
        }
        if (announcedLength > 0) {
            MemoryRegion region = services.remoteRegion(writeKey, qp.number());
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
                deliver(opcode, b, offset, WcOpcode.RECEIVE_WRITE_IMMEDIATE);
            }
        }
        return DONE;
    }

    private int badWrite(Opcode opcode, int syndrome) {
        if (opcode.consumesReceive()) {
            badWriteImmediate();
        }
        return syndrome;
    }

    /** Takes the oldest receive request, or keeps the one that a message which never ended has left. */
    final boolean takeReceive() {
        if (holdsReceive) {
            return true;
        }
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
        holdsReceive = false;
        int data = 0;
        int flags = BthFlyweight.solicited(b, offset) ? CqeDescriptor.SOLICITED : 0;
        if (opcode.hasImmediate()) {
            flags |= CqeDescriptor.HAS_IMMEDIATE;
            data = ImmDtFlyweight.immediate(b, offset + opcode.immOffset());
        } else if (opcode.hasInvalidate()) {
            flags |= CqeDescriptor.HAS_INVALIDATED;
            data = IethFlyweight.rkey(b, offset + opcode.iethOffset());
        }
        qp.completeReceive(
                receive.getLong(ReceiveWqeDescriptor.WR_ID),
                WcStatus.SUCCESS,
                kind,
                flags,
                BthFlyweight.sourceQp(b, offset),
                received,
                data);
    }

    /** Ends the receive request that was taken, in an error. */
    final void failReceive(WcStatus status, WcOpcode kind) {
        holdsReceive = false;
        qp.completeReceive(
                receive.getLong(ReceiveWqeDescriptor.WR_ID), status, kind, CqeDescriptor.SOLICITED, qp.peerQp(), 0, 0);
    }
}
