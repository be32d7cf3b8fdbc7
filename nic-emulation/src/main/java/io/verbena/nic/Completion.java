package io.verbena.nic;

import io.verbena.nic.queue.CqeDescriptor;
import io.verbena.nic.verbs.WcOpcode;
import io.verbena.nic.verbs.WcStatus;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One entry of a completion queue ({@code ibv_poll_cq(3)}). As a handler's argument it is a cursor, valid during the
 * call only; as an element of an array given to {@link CompletionQueue#poll(Completion[])} it holds a copy of its own,
 * which stays until the array is filled again. With a status other than SUCCESS only {@link #wrId}, {@link #status},
 * {@link #qpNumber} and {@link #vendorError} mean anything.
 */
public final class Completion {
    private UnsafeBuffer ring;
    private int slot;

    /** Creates one with memory of its own, for {@link CompletionQueue#poll(Completion[])}; all zero until then. */
    public Completion() {
        this(new UnsafeBuffer(new byte[CqeDescriptor.LENGTH]));
    }

    /** An array of completions, each with memory of its own. */
    public static Completion[] array(int length) {
        Completion[] completions = new Completion[length];
        Arrays.setAll(completions, i -> new Completion());
        return completions;
    }

    Completion(UnsafeBuffer ring) {
        this.ring = ring;
    }

    void at(UnsafeBuffer buffer, int offset) {
        ring = buffer;
        slot = offset;
    }

    void copy(UnsafeBuffer buffer, int offset) {
        ring.putBytes(slot, buffer, offset, CqeDescriptor.LENGTH);
    }

    /** The id that the request was posted with. */
    public long wrId() {
        return ring.getLong(slot + CqeDescriptor.WR_ID);
    }

    /** How it ended. */
    public WcStatus status() {
        return WcStatus.of(state() & 0xFF);
    }

    /** Whether it ended in {@link WcStatus#SUCCESS}. */
    public boolean isSuccess() {
        return (state() & 0xFF) == 0;
    }

    /** What the request was. */
    public WcOpcode opcode() {
        return WcOpcode.of(state() >>> 8 & 0xFF);
    }

    /** Bytes transferred. */
    public int byteLength() {
        return ring.getInt(slot + CqeDescriptor.BYTE_LENGTH);
    }

    /** Whether {@link #immediate} is valid. */
    public boolean hasImmediate() {
        return (state() >>> 16 & CqeDescriptor.HAS_IMMEDIATE) != 0;
    }

    /** The immediate data. */
    public int immediate() {
        return ring.getInt(slot + CqeDescriptor.IMMEDIATE);
    }

    /** Whether {@link #invalidatedKey} is valid, because a SEND with invalidate was received. */
    public boolean hasInvalidatedKey() {
        return (state() >>> 16 & CqeDescriptor.HAS_INVALIDATED) != 0;
    }

    /** The local key that the peer's SEND has invalidated. */
    public int invalidatedKey() {
        return ring.getInt(slot + CqeDescriptor.IMMEDIATE);
    }

    /** Number of the local queue pair. */
    public int qpNumber() {
        return ring.getInt(slot + CqeDescriptor.QP_NUMBER);
    }

    /** Number of the peer's queue pair. */
    public int peerQp() {
        return ring.getInt(slot + CqeDescriptor.PEER_QP);
    }

    /** An error code of this implementation; 0 if it adds nothing to the status. */
    public int vendorError() {
        return ring.getInt(slot + CqeDescriptor.VENDOR_ERROR);
    }

    private int state() {
        return ring.getInt(slot + CqeDescriptor.STATE);
    }

    @Override
    public String toString() {
        return status() + " " + opcode() + " wr " + wrId() + " qp " + qpNumber() + " " + byteLength() + " bytes";
    }
}
