package io.verbena.nic.queue;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The entries of a completion queue.
 *
 * <p>Concurrency: written by the baton holder of one engine; read by one poller at a time. An entry's state word is
 * stored last (release) with the phase of its lap, so the poller reads the entry's own line and no index; the poller
 * publishes how far it has read (release) once a batch. {@link #resize} is the poller's, with the engine's baton held:
 * then neither side is in the middle of anything. Any thread may {@link #arm} and look at {@link #isEmpty}; the latter,
 * not being the poller, may see a queue as it was a moment ago.
 */
public final class CompletionRing {
    private static final int CONSUMED = 0;
    private static final int SLOTS = 128;
    private static final int SOLICITED_ONLY = 1;
    private static final int ANY = 2;
    private static final VarHandle ARMED;

    static {
        try {
            ARMED = MethodHandles.lookup().findVarHandle(CompletionRing.class, "armed", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** The memory and what is derived from its length: one reference, so that nobody sees half of a resize. */
    private static final class Slots {
        final UnsafeBuffer buffer;
        final int capacity;
        final int mask;
        final int lapShift;

        Slots(int depth) {
            capacity = BitUtil.findNextPositivePowerOfTwo(depth);
            mask = capacity - 1;
            lapShift = Integer.numberOfTrailingZeros(capacity);
            buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(SLOTS + capacity * CqeDescriptor.LENGTH, 128));
        }

        int offset(long index) {
            return SLOTS + ((int) index & mask) * CqeDescriptor.LENGTH;
        }

        // Lap 0 has phase 1, for the memory starts zeroed.
        int phase(long index) {
            return (int) (index >>> lapShift & 1) ^ 1;
        }
    }

    private Slots slots;

    // Engine.
    private long produced;
    private long consumedSeen;
    private boolean overrunNoted;
    private boolean offered; // since the last fire()
    private boolean solicited;

    private final int number;
    private volatile boolean overrun;
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
        this.slots = new Slots(capacity);
    }

    /** Entries that fit. */
    public int capacity() {
        return slots.capacity;
    }

    /** The memory that {@link #front} points into. */
    public UnsafeBuffer buffer() {
        return slots.buffer;
    }

    /**
     * Engine: writes an entry.
     *
     * @return false if the ring is full, or was once: the completion queue has overrun, and nothing was written
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
        Slots s = slots;
        if (produced - consumedSeen >= s.capacity) {
            if (overrun) {
                return false; // for good: consumedSeen stays as it is, so that every later entry comes here
            }
            long seen = s.buffer.getLongVolatile(CONSUMED);
            if (produced - seen >= s.capacity) {
                overrun = true;
                return false;
            }
            consumedSeen = seen;
        }
        UnsafeBuffer buffer = s.buffer;
        int slot = s.offset(produced);
        buffer.putLong(slot + CqeDescriptor.WR_ID, wrId);
        buffer.putInt(slot + CqeDescriptor.QP_NUMBER, qpNumber);
        buffer.putInt(slot + CqeDescriptor.BYTE_LENGTH, byteLength);
        buffer.putInt(slot + CqeDescriptor.IMMEDIATE, immediate);
        buffer.putInt(slot + CqeDescriptor.PEER_QP, peerQp);
        buffer.putInt(slot + CqeDescriptor.VENDOR_ERROR, vendorError);
        buffer.putIntOrdered(slot + CqeDescriptor.STATE, CqeDescriptor.state(status, opcode, flags, s.phase(produced)));
        produced++;
        return true;
    }

    /** Whether an entry was ever refused; any thread. */
    public boolean hasOverrun() {
        return overrun;
    }

    /** Engine: whether this is the first report of the overrun. */
    public boolean noteOverrun() {
        boolean first = !overrunNoted;
        overrunNoted = true;
        return first;
    }

    /** Names the completion queue in asynchronous events. */
    public int number() {
        return number;
    }

    /**
     * Poller, with the engine's baton held: moves the entries that are there to a ring of another size, oldest first.
     *
     * @param depth entries, rounded up to a power of two
     * @throws IllegalStateException if it has overrun, or more entries are there than would fit; nothing has changed
     */
    public void resize(int depth) {
        int backlog = (int) (produced - consumed);
        if (overrun) {
            throw new IllegalStateException("completion queue " + number + " has overrun and is of no use any more");
        }
        if (depth < backlog) {
            throw new IllegalStateException(
                    "completion queue " + number + ": depth " + depth + " < " + backlog + " entries that are there");
        }
        Slots from = slots;
        Slots to = new Slots(depth);
        for (int i = 0; i < backlog; i++) {
            int source = from.offset(consumed + i);
            int target = to.offset(i);
            to.buffer.putBytes(target, from.buffer, source, CqeDescriptor.STATE);
            int state = from.buffer.getInt(source + CqeDescriptor.STATE);
            to.buffer.putInt(target + CqeDescriptor.STATE, CqeDescriptor.withPhase(state, to.phase(i)));
        }
        produced = backlog;
        consumed = 0;
        consumedSeen = 0;
        VarHandle.releaseFence();
        slots = to;
    }

    /** Entries that are there. Poller, with the engine's baton held. */
    public int backlog() {
        return (int) (produced - consumed);
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
            armed = 0; // what was asked for in the meantime is served by this event too
            fired = ++firings;
        }
        offered = false;
        solicited = false;
    }

    /**
     * Asks for one completion event. Entries that are there already do not raise it, so poll once more after this. A
     * request for any completion is not weakened by a later one for solicited completions only.
     */
    public void arm(boolean solicitedOnly) {
        if (solicitedOnly) {
            ARMED.compareAndSet(this, 0, SOLICITED_ONLY);
        } else {
            armed = ANY;
        }
        VarHandle.fullFence();
    }

    /** Completion events raised so far. */
    public long events() {
        return fired;
    }

    /** Poller: the offset of the oldest entry in {@link #buffer}, or -1 if there is none. */
    public int front() {
        Slots s = slots;
        int slot = s.offset(consumed);
        int state = s.buffer.getIntVolatile(slot + CqeDescriptor.STATE);
        return state >>> 31 == s.phase(consumed) ? slot : -1;
    }

    /** Poller: goes past the oldest entry. */
    public void pop() {
        consumed++;
    }

    /** Poller: gives the slots of popped entries back to the engine. */
    public void release() {
        slots.buffer.putLongOrdered(CONSUMED, consumed);
    }

    /** Whether there is no entry. */
    public boolean isEmpty() {
        return front() < 0;
    }
}
