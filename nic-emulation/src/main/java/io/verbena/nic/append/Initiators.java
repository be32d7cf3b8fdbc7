package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.slotKind;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_APPEND;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_SUBJECT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Who may execute operations on a NIC's memory directly: for each in-flight slot the NIC that it was given to, and whether
 * that NIC has been left behind.
 *
 * <p>A slot is its initiator's to write. The owner therefore notes here, in memory of its own, that an initiator is
 * abandoned, and writes the slot only when the initiator's process is known to have ended: a link may end while the peer is
 * in the middle of a copy, and what it still writes to must not look idle. Until then a claim is closed by the
 * compare-and-set that {@link HoleRecovery} describes, and a region stays busy.
 *
 * <p>Concurrency: {@link #connected}, {@link #abandonAll} and the clearing exclude each other, so that a slot which is given
 * to another initiator is never cleared under it: who gets it sees so only after {@link #connected}. Queries are for any
 * thread. Control path: nothing here is called for an operation.
 */
public final class Initiators {
    private static final long FIRST_LOOK = 100_000_000;
    private static final long LONGEST_INTERVAL = 10_000_000_000L;

    private final TailPointerTable queues;
    private final ControlBlock control;
    private final AtomicBuffer table;
    private final AtomicLongArray nics; // that the slots were last given to
    private final int[] engines; // that gave them, each over links of its own
    private final AtomicReferenceArray<@Nullable Departure> departures; // null: not abandoned
    private volatile boolean anyAbandoned;

    /** An initiator that has left: its process may have ended, or just the link. */
    private static final class Departure {
        private final BooleanSupplier isGone;
        private boolean gone;
        private long interval = FIRST_LOOK;
        private long nextLook = Long.MIN_VALUE;

        Departure(BooleanSupplier isGone) {
            this.isGone = isGone;
        }

        /** Whether its process has ended. Asked more and more seldom: a living peer may never come back. */
        boolean isOver(long now) {
            if (!gone && (nextLook == Long.MIN_VALUE || now - nextLook >= 0)) {
                gone = isGone.getAsBoolean();
                nextLook = now + interval;
                interval = Math.min(interval * 2, LONGEST_INTERVAL);
            }
            return gone;
        }
    }

    Initiators(TailPointerTable queues, ControlBlock control) {
        this.queues = queues;
        this.control = control;
        this.table = control.buffer();
        int slots = control.limits().maxQueuePairs();
        this.nics = new AtomicLongArray(slots);
        this.engines = new int[slots];
        this.departures = new AtomicReferenceArray<>(slots);
    }

    /**
     * Says which NIC may use a slot from now on; before it can see so. It is remembered when the queue pair is gone: an
     * initiator that is in the middle of an operation when the owner closes the queue pair may die before it clears the slot.
     *
     * @param qpNumber the owner's queue pair, which is the slot
     * @param nic identity of the NIC that it is connected to
     * @param engine of the queue pair
     */
    public synchronized void connected(int qpNumber, long nic, int engine) {
        int slot = control.qpSlot(qpNumber);
        nics.set(slot, nic);
        engines[slot] = engine;
        departures.set(slot, null);
    }

    /** The NIC that a queue pair's slot was last given to, 0 if to none. */
    long of(int qpNumber) {
        return nics.get(control.qpSlot(qpNumber));
    }

    /**
     * Says that a NIC has left an engine: every slot that it was the last to be given there is abandoned, also those whose
     * queue pairs have been closed or reset since.
     *
     * @param nic its identity
     * @param engine that its link led to; links to other engines may be up
     * @param isGone whether its process has ended; asked by the allocator, again and again until it has
     */
    public synchronized void abandonAll(long nic, int engine, BooleanSupplier isGone) {
        Departure departure = new Departure(isGone);
        int slots = control.slotsInUse();
        for (int slot = 0; slot < slots; slot++) {
            if (nics.get(slot) == nic && engines[slot] == engine && departures.get(slot) == null) {
                departures.set(slot, departure);
                anyAbandoned = true;
            }
        }
        if (anyAbandoned) {
            queues.wakeAllocator();
        }
    }

    /** Whether the initiator of a slot has left. */
    boolean isAbandoned(int slot) {
        return departures.get(slot) != null;
    }

    /**
     * Clears the slots of initiators whose processes have ended, when their claims are behind the head, or never came about.
     * By the allocator, off the baton.
     */
    int clearAbandoned(long now) {
        if (!anyAbandoned) {
            return 0;
        }
        anyAbandoned = false; // first: what is abandoned meanwhile is looked at the next time
        boolean left = false;
        int cleared = 0;
        int slots = control.slotsInUse();
        for (int slot = 0; slot < slots; slot++) {
            if (isAbandoned(slot)) {
                cleared += clear(slot, now);
                left |= isAbandoned(slot);
            }
        }
        if (left) {
            anyAbandoned = true;
        }
        return cleared;
    }

    /** Clears a slot, unless its initiator may be alive, or its claim is still to be closed. */
    private int clear(int slot, long now) {
        Departure departure = departures.get(slot);
        if (departure == null || !departure.isOver(now)) { // not in the monitor: it may ask the operating system
            return 0;
        }
        synchronized (this) {
            int offset = control.slotOffset(slot);
            long word = table.getLongVolatile(offset + SLOT_WORD_OFFSET);
            int kind = slotKind(word);
            boolean claims = kind == SLOT_APPEND || kind == SLOT_ROLL;
            if (departures.get(slot) != departure
                    || (claims && !queues.isSettled(word, table.getLong(offset + SLOT_SUBJECT_OFFSET)))
                    || (word != 0 && !table.compareAndSetLong(offset + SLOT_WORD_OFFSET, word, 0))) {
                return 0;
            }
            departures.set(slot, null);
            return word == 0 ? 0 : 1;
        }
    }
}
