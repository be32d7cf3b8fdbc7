package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.slotKind;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_APPEND;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_ROLL;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_SUBJECT_OFFSET;
import static io.verbena.nic.memory.ControlDescriptor.SLOT_WORD_OFFSET;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.port.PeerMemory;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Who may execute operations on a NIC's memory directly: for each in-flight slot the NIC that it was given to, and
 * whether that NIC has been left behind.
 *
 * <p>A slot is its initiator's to write. The owner therefore notes here, in memory of its own, that an initiator is
 * abandoned, and writes the slot only when the initiator's process is known to have ended: a link may end while the
 * peer is in the middle of a copy, and what it still writes to must not look idle. Until then a claim is closed by the
 * compare-and-set that {@link HoleRecovery} describes, and a region stays busy.
 *
 * <p>Concurrency: any thread. What is known of a slot is one object, replaced by compare-and-set. A slot that is given
 * to another initiator is never cleared under it: {@link #connected} waits for a clearing that has begun, and who gets
 * the slot sees so only after that. Control path: nothing here is called for an operation.
 */
public final class Initiators {
    private static final long FIRST_LOOK = 100_000_000;
    private static final long MAX_INTERVAL = 10_000_000_000L;

    private final TailPointerTable queues;
    private final ControlBlock control;
    private final AtomicBuffer table;
    private final AtomicReferenceArray<@Nullable Holder> holders; // that the slots were last given to
    private volatile boolean anyAbandoned;

    /**
     * Who a slot was given to.
     *
     * @param nic its identity
     * @param engine that gave it, over links of its own
     * @param departure null while it has not left
     * @param isCleared whether the slot is being cleared: a few instructions, by the allocator
     */
    private record Holder(long nic, int engine, @Nullable Departure departure, boolean isCleared) {
        Holder left(@Nullable Departure how) {
            return new Holder(nic, engine, how, false);
        }

        Holder cleared() {
            return new Holder(nic, engine, departure, true);
        }
    }

    /** An initiator that has left: its process may have ended, or just the link. */
    private static final class Departure {
        /** That of all peers in this process: each finishes what it has begun, and there is nothing to look for. */
        static final Departure ALIVE = new Departure(PeerMemory.NEVER_GONE);

        private final BooleanSupplier isGone;
        private boolean gone;
        private long interval = FIRST_LOOK;
        private long nextLook = Long.MIN_VALUE;

        private Departure(BooleanSupplier isGone) {
            this.isGone = isGone;
        }

        static Departure of(BooleanSupplier isGone) {
            return isGone == PeerMemory.NEVER_GONE ? ALIVE : new Departure(isGone);
        }

        /** Whether its process has ended. Asked more and more seldom: a living peer may never come back. */
        boolean isOver(long now) {
            if (!gone && (nextLook == Long.MIN_VALUE || now - nextLook >= 0)) {
                gone = isGone.getAsBoolean();
                nextLook = now + interval;
                interval = Math.min(interval * 2, MAX_INTERVAL);
            }
            return gone;
        }
    }

    Initiators(TailPointerTable queues, ControlBlock control) {
        this.queues = queues;
        this.control = control;
        this.table = control.buffer();
        int slots = control.limits().maxQueuePairs();
        this.holders = new AtomicReferenceArray<>(slots);
    }

    /**
     * Says which NIC may use a slot from now on; before it can see so. It is remembered when the queue pair is gone: an
     * initiator that is in the middle of an operation when the owner closes the queue pair may die before it clears the
     * slot.
     *
     * @param qpNumber the owner's queue pair, which is the slot
     * @param nic identity of the NIC that it is connected to
     * @param engine of the queue pair
     */
    public void connected(int qpNumber, long nic, int engine) {
        int slot = control.qpSlot(qpNumber);
        Holder next = new Holder(nic, engine, null, false);
        Holder known = holders.get(slot);
        while ((known != null && known.isCleared()) || !holders.compareAndSet(slot, known, next)) {
            Thread.onSpinWait(); // a clearing is a few instructions
            known = holders.get(slot);
        }
    }

    /** The NIC that a queue pair's slot was last given to, 0 if to none. */
    long of(int qpNumber) {
        Holder known = holders.get(control.qpSlot(qpNumber));
        return known == null ? 0 : known.nic();
    }

    /**
     * Says that a NIC has left an engine: every slot that it was the last to be given there is abandoned, also those
     * whose queue pairs have been closed or reset since.
     *
     * @param nic its identity
     * @param engine that its link led to; links to other engines may be up
     * @param isGone whether its process has ended; asked by the allocator, again and again until it has, or
     *     {@link PeerMemory#NEVER_GONE}
     */
    public void abandonAll(long nic, int engine, BooleanSupplier isGone) {
        Departure departure = Departure.of(isGone);
        int slots = control.slotsInUse();
        for (int slot = 0; slot < slots; slot++) {
            Holder known = holders.get(slot);
            if (known != null
                    && known.nic() == nic
                    && known.engine() == engine
                    && known.departure() == null
                    && holders.compareAndSet(slot, known, known.left(departure))) { // if not, it was given to another
                anyAbandoned = true;
            }
        }
        if (anyAbandoned) {
            queues.wakeAllocator();
        }
    }

    /** Whether the initiator of a slot has left. */
    boolean isAbandoned(int slot) {
        Holder known = holders.get(slot);
        return known != null && known.departure() != null;
    }

    /**
     * Clears the slots of initiators whose processes have ended, when their claims are behind the head, or never came
     * about. By the allocator, off the baton.
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
            if (mayBeCleared(slot)) {
                cleared += clear(slot, now);
                left |= mayBeCleared(slot);
            }
        }
        if (left) {
            anyAbandoned = true;
        }
        return cleared;
    }

    private boolean mayBeCleared(int slot) {
        Holder known = holders.get(slot);
        return known != null && known.departure() != null && known.departure() != Departure.ALIVE;
    }

    /** Clears a slot, unless its initiator may be alive, or its claim is still to be closed. */
    private int clear(int slot, long now) {
        Holder known = holders.get(slot);
        Departure departure = known == null ? null : known.departure();
        if (known == null || departure == null || !departure.isOver(now)) {
            return 0;
        }
        Holder cleared = known.cleared();
        if (!holders.compareAndSet(slot, known, cleared)) {
            return 0; // it was given to another
        }
        boolean done = false;
        long word = 0;
        try {
            int offset = control.slotOffset(slot);
            word = table.getLongVolatile(offset + SLOT_WORD_OFFSET);
            int kind = slotKind(word);
            boolean claims = kind == SLOT_APPEND || kind == SLOT_ROLL;
            done = (!claims || queues.isSettled(word, table.getLong(offset + SLOT_SUBJECT_OFFSET)))
                    && (word == 0 || table.compareAndSetLong(offset + SLOT_WORD_OFFSET, word, 0));
        } finally {
            holders.set(slot, done ? known.left(null) : known); // nobody else replaces it meanwhile
        }
        if (done && word != 0) {
            queues.wakeEngine(known.engine()); // the slot may be another peer's by now
            return 1;
        }
        return 0;
    }
}
