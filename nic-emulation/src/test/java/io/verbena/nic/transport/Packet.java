package io.verbena.nic.transport;

import io.verbena.nic.wire.AethFlyweight;
import io.verbena.nic.wire.AethSyndrome;
import io.verbena.nic.wire.AppendEthFlyweight;
import io.verbena.nic.wire.AtomicAckEthFlyweight;
import io.verbena.nic.wire.AtomicEthFlyweight;
import io.verbena.nic.wire.BthFlyweight;
import io.verbena.nic.wire.DethFlyweight;
import io.verbena.nic.wire.IethFlyweight;
import io.verbena.nic.wire.ImmDtFlyweight;
import io.verbena.nic.wire.Opcode;
import io.verbena.nic.wire.RethFlyweight;
import io.verbena.nic.wire.SkipEthFlyweight;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/** One packet, its fields for reading, and its text: opcode, PSN, flags, what its headers say, bytes of payload. */
final class Packet {
    final UnsafeBuffer buffer;
    final Opcode opcode;
    final int psn;
    long sentAt;

    Packet(byte[] bytes) {
        buffer = new UnsafeBuffer(bytes);
        opcode = Opcode.of(BthFlyweight.opcode(buffer, 0));
        int headers = Opcode.check(buffer, 0, bytes.length);
        if (headers < 0) {
            throw new AssertionError(Opcode.describe(headers));
        }
        psn = BthFlyweight.psn(buffer, 0);
    }

    /** A packet with empty headers and a payload, for a test to fill. */
    static Packet of(Opcode opcode, int flags, int to, int psn, int from, int payload) {
        byte[] bytes = new byte[opcode.headerLength() + payload];
        Arrays.fill(bytes, opcode.headerLength(), bytes.length, (byte) 7);
        UnsafeBuffer b = new UnsafeBuffer(bytes);
        BthFlyweight.encode(b, 0, opcode.code(), flags, to, psn, from);
        if (opcode.aethOffset() != Opcode.ABSENT) {
            AethFlyweight.encode(b, opcode.aethOffset(), AethSyndrome.ACK, 0);
        }
        return new Packet(bytes);
    }

    /** An acknowledgement or NAK. */
    static Packet acknowledge(int to, int psn, int from, int syndrome) {
        Packet packet = of(Opcode.ACKNOWLEDGE, 0, to, psn, from, 0);
        AethFlyweight.encode(packet.buffer, Opcode.ACKNOWLEDGE.aethOffset(), syndrome, 0);
        return packet;
    }

    Packet reth(long offset, int key, int length) {
        RethFlyweight.encode(buffer, opcode.rethOffset(), offset, key, length);
        return this;
    }

    Packet atomic(long offset, int key, long swapOrAdd, long compare) {
        AtomicEthFlyweight.encode(buffer, opcode.atomicEthOffset(), offset, key, swapOrAdd, compare);
        return this;
    }

    Packet append(int queue, int key, int length) {
        return append(queue, key, length, 0);
    }

    Packet append(int queue, int key, int length, int stream) {
        AppendEthFlyweight.encode(buffer, opcode.appendEthOffset(), queue, key, length, stream, 1);
        return this;
    }

    Packet immediate(int value) {
        ImmDtFlyweight.immediate(buffer, opcode.immOffset(), value);
        return this;
    }

    Packet invalidates(int key) {
        IethFlyweight.encode(buffer, opcode.iethOffset(), key);
        return this;
    }

    Packet original(long value) {
        AtomicAckEthFlyweight.original(buffer, opcode.atomicAckEthOffset(), value);
        return this;
    }

    int length() {
        return buffer.capacity();
    }

    int destinationQp() {
        return BthFlyweight.destinationQp(buffer, 0);
    }

    int sourceQp() {
        return BthFlyweight.sourceQp(buffer, 0);
    }

    byte[] payload() {
        return Arrays.copyOfRange(buffer.byteArray(), opcode.headerLength(), buffer.capacity());
    }

    private static String syndrome(int value) {
        if (AethSyndrome.isRnrNak(value)) {
            return "RNR" + AethSyndrome.timerCode(value);
        }
        switch (value) {
            case AethSyndrome.ACK:
                return "ACK";
            case AethSyndrome.PSN_SEQUENCE_ERROR:
                return "SEQUENCE";
            case AethSyndrome.INVALID_REQUEST:
                return "INVALID";
            case AethSyndrome.REMOTE_ACCESS_ERROR:
                return "ACCESS";
            case AethSyndrome.REMOTE_OPERATIONAL_ERROR:
                return "OPERATIONAL";
            case AethSyndrome.REMOTE_ABORTED:
                return "ABORTED";
            default:
                return "syndrome " + value;
        }
    }

    @Override
    public String toString() {
        StringBuilder s = new StringBuilder().append(opcode).append(' ').append(psn);
        if (BthFlyweight.ackRequest(buffer, 0)) {
            s.append(" ask");
        }
        if (BthFlyweight.solicited(buffer, 0)) {
            s.append(" solicited");
        }
        if (opcode.dethOffset() != Opcode.ABSENT) {
            s.append(" qkey=").append(DethFlyweight.qkey(buffer, opcode.dethOffset()));
        }
        if (opcode.rethOffset() != Opcode.ABSENT) {
            s.append(" at=").append(RethFlyweight.remoteOffset(buffer, opcode.rethOffset()));
            s.append(" length=").append(RethFlyweight.length(buffer, opcode.rethOffset()));
        }
        if (opcode.atomicEthOffset() != Opcode.ABSENT) {
            s.append(" at=").append(AtomicEthFlyweight.remoteOffset(buffer, opcode.atomicEthOffset()));
            s.append(" value=").append(AtomicEthFlyweight.swapOrAdd(buffer, opcode.atomicEthOffset()));
            s.append(" compare=").append(AtomicEthFlyweight.compare(buffer, opcode.atomicEthOffset()));
        }
        if (opcode.appendEthOffset() != Opcode.ABSENT) {
            s.append(" queue=").append(AppendEthFlyweight.queueId(buffer, opcode.appendEthOffset()));
            s.append(" length=").append(AppendEthFlyweight.messageLength(buffer, opcode.appendEthOffset()));
            s.append(opcode == Opcode.APPEND_RUN ? " messages=" + messages() : "");
            int stream = AppendEthFlyweight.stream(buffer, opcode.appendEthOffset());
            s.append(stream != 0 && opcode != Opcode.APPEND_RUN ? " stream=" + stream : "");
        }
        if (opcode.skipEthOffset() != Opcode.ABSENT) {
            s.append(" next=").append(SkipEthFlyweight.next(buffer, opcode.skipEthOffset()));
            s.append(SkipEthFlyweight.abandons(buffer, opcode.skipEthOffset()) ? " abandons" : "");
        }
        if (opcode.aethOffset() != Opcode.ABSENT) {
            s.append(' ').append(syndrome(AethFlyweight.syndrome(buffer, opcode.aethOffset())));
            s.append(" msn=").append(AethFlyweight.msn(buffer, opcode.aethOffset()));
        }
        if (opcode.atomicAckEthOffset() != Opcode.ABSENT) {
            s.append(" original=").append(AtomicAckEthFlyweight.original(buffer, opcode.atomicAckEthOffset()));
        }
        if (opcode.immOffset() != Opcode.ABSENT) {
            s.append(" immediate=").append(ImmDtFlyweight.immediate(buffer, opcode.immOffset()));
        }
        if (opcode.hasPayload()) {
            s.append(' ').append(length() - opcode.headerLength()).append('B');
        }
        return s.toString();
    }

    private int messages() {
        return AppendEthFlyweight.messages(buffer, opcode.appendEthOffset());
    }
}
