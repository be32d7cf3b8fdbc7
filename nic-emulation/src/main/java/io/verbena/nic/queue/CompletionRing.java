package io.verbena.nic.queue;

import java.lang.invoke.VarHandle;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The entries of a completion queue.
 *
 * <p>Concurrency: written by the baton holder of one engine; read by one poller at a time. An entry's state word is
 * stored last (release) with the phase of its lap, so the poller reads the entry's own line and no index; the poller
 * publishes how far it has read (release) once a batch.
 */
public final class CompletionRing {
    private static final int CONSUMED = 0;
    private static final int SLOTS = 128;
    private static final int SOLICITED_ONLY = 1;
    private static final int ANY = 2;

    private final UnsafeBuffer buffer;
    private final int capacity;
    private final int mask;
    private final int lapShift;

    // Engine.
    private long produced;
    private long consumedSeen;
    private boolean overrun;
    private boolean offered; // since the last fire()
    private boolean solicited;

    private final int number;
    private volatile int armed; // 0, SOLICITED_ONLY or ANY
    private long firings;
    private volatile long fired;

    // Poller.
    private long consumed;

    /**
     * Creates an empty ring.
     *
     * @param number names the completion queue in asynchronous events
     * @param capacity entries, rounded up to a power of two
     */
    public CompletionRing(int number, int capacity) {
        this.number = number;
        this.capacity = BitUtil.findNextPositivePowerOfTwo(capacity);
        this.mask = this.capacity - 1;
        this.lapShift = Integer.numberOfTrailingZeros(this.capacity);
        this.buffer =
                new UnsafeBuffer(BufferUtil.allocateDirectAligned(SLOTS + this.capacity * CqeDescriptor.LENGTH, 128));
    }

    /** Entries that fit. */
    public int capacity() {
        return capacity;
    }

    /** The memory that {@link #front} points into. */
    public UnsafeBuffer buffer() {
        return buffer;
    }

    /**
     * Engine: writes an entry.
     *
     * @return false if the ring is full: the completion queue has overrun, and nothing was written
     */
    public boolean offer(
            long wrId,
            int status,
            int opcode,
            int flags,
            int qpNumber,
            int peerQp,
            int byteLength,
            int immediate,
            int vendorError) {
        if (produced - consumedSeen >= capacity) {
            consumedSeen = buffer.getLongVolatile(CONSUMED);
            if (produced - consumedSeen >= capacity) {
                overrun = true;
                return false;
            }
        }
        int slot = SLOTS + ((int) produced & mask) * CqeDescriptor.LENGTH;
        buffer.putLong(slot + CqeDescriptor.WR_ID, wrId);
        buffer.putInt(slot + CqeDescriptor.QP_NUMBER, qpNumber);
        buffer.putInt(slot + CqeDescriptor.BYTE_LENGTH, byteLength);
        buffer.putInt(slot + CqeDescriptor.IMMEDIATE, immediate);
        buffer.putInt(slot + CqeDescriptor.PEER_QP, peerQp);
        buffer.putInt(slot + CqeDescriptor.VENDOR_ERROR, vendorError);
        buffer.putIntOrdered(slot + CqeDescriptor.STATE, CqeDescriptor.state(status, opcode, flags, phase(produced)));
        produced++;
        return true;
    }

    /** Engine: whether an entry was ever refused. */
    public boolean hasOverrun() {
        return overrun;
    }

    /** Names the completion queue in asynchronous events. */
    public int number() {
        return number;
    }

    /**
     * Engine: notes an entry.
     *
     * @return whether it is the first since {@link #fire}
     */
    public boolean noteOffered(boolean isSolicited) {
        boolean first = !offered;
        offered = true;
        solicited |= isSolicited;
        return first;
    }

    /**
     * Engine, once a turn, after a full fence: raises the completion event if it was asked for. One-shot.
     */
    public void fire() {
        int wanted = armed;
        if (wanted == ANY || (wanted == SOLICITED_ONLY && solicited)) {
            armed = 0;
            fired = ++firings;
        }
        offered = false;
        solicited = false;
    }

    /**
     * Poller: asks for one completion event. Entries that are there already do not raise it, so poll once more after
     * this. A request for any completion is not weakened by a later one for solicited completions only.
     */
    public void arm(boolean solicitedOnly) {
        if (!solicitedOnly) {
            armed = ANY;
        } else if (armed == 0) {
            armed = SOLICITED_ONLY;
        }
        VarHandle.fullFence();
    }

    /** Completion events raised so far. */
    public long events() {
        return fired;
    }

    /** Poller: the offset of the oldest entry, or -1 if there is none. */
    public int front() {
        int slot = SLOTS + ((int) consumed & mask) * CqeDescriptor.LENGTH;
        int state = buffer.getIntVolatile(slot + CqeDescriptor.STATE);
        return state >>> 31 == phase(consumed) ? slot : -1;
    }

    /** Poller: goes past the oldest entry. */
    public void pop() {
        consumed++;
    }

    /** Poller: gives the slots of popped entries back to the engine. */
    public void release() {
        buffer.putLongOrdered(CONSUMED, consumed);
    }

    /** Poller: whether there is an entry. */
    public boolean isEmpty() {
        return front() < 0;
    }

    // Lap 0 has phase 1, for the memory starts zeroed.
    private int phase(long index) {
        return (int) (index >>> lapShift & 1) ^ 1;
    }
}
