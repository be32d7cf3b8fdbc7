package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * Where groups above their ceilings and flows above their rates wait for their time: one hierarchical timing wheel
 * (Varghese and Lauck, "Hashed and hierarchical timing wheels", SOSP 1987, scheme 7), as Carousel paces all flows of a
 * host by one (Saeed et al., SIGCOMM 2017).
 *
 * <pre>
 *   level 0   [ 64 slots of 1 ns    ]  times that differ from now in their lowest six bits
 *   level 1   [ 64 slots of 64 ns   ]  ... in the next six bits, and not above
 *   level 2   [ 64 slots of 4096 ns ]
 *   ...                                to level 10: any time at all
 * </pre>
 *
 * <p>A time's level is that of the highest bit in which it differs from the wheel's own time. So slots never wrap: all
 * of a lower level comes before all of a higher one, and within a level slots come in order. One word per level says
 * which slots are occupied. The wheel does not tick: when the first of a slot is due, its time jumps to that one, and
 * the others of the slot move to lower levels. Adding, removing and asking for the next time take constant time. Who
 * waits is moved at most once per level, and costs nothing otherwise. Times are exact to the nanosecond. Allocates
 * nothing once made.
 *
 * <p>Used under the engine's baton, but for {@link #deadline}.
 */
final class TimingWheel {
    private static final int BITS = 6;
    private static final int SLOTS = 1 << BITS;
    private static final int LEVELS = (Long.SIZE + BITS - 1) / BITS;

    private final ShareList<Share> due = new ShareList<>();
    private final ShareList<?>[] slots = new ShareList<?>[LEVELS * SLOTS];
    private final long[] earliest = new long[LEVELS * SLOTS]; // a slot's first is not due before
    private final long[] occupied = new long[LEVELS]; // a bit a slot; one may have become empty since
    private final long origin;
    private long now; // the wheel's own time, since the origin; not ahead of anybody who waits
    private long deadline = Long.MAX_VALUE;
    private int size;
    private long moves;

    /**
     * Creates an empty wheel.
     *
     * @param origin a time before all that it will be given, or soon after
     */
    TimingWheel(long origin) {
        this.origin = origin;
        for (int i = 0; i < slots.length; i++) {
            slots[i] = new ShareList<Share>();
        }
    }

    /** How many wait. */
    int size() {
        return size;
    }

    /** How often anybody was put into a slot: the cost of all waits so far. */
    long moves() {
        return moves;
    }

    /** When the first is due, or somewhat before if one has left; {@link Long#MAX_VALUE} if nobody waits. */
    long deadline() {
        return deadline;
    }

    /** Somebody who is in no list waits until {@link Share#wakeNanos}. */
    void add(Share share) {
        size++;
        share.parked = true;
        place(share);
        publish();
    }

    /** Takes somebody out who waits. */
    void remove(Share share) {
        ShareList<?> list = share.list;
        if (list != null) {
            list.remove(share);
        }
        share.parked = false;
        size--;
        publish();
    }

    /** Takes one out whose time has come; null if there is none. */
    @Nullable
    Share expired(long nanos) {
        if (size == 0 || deadline - nanos > 0) {
            return null;
        }
        while (due.isEmpty()) {
            int slot = first();
            if (slot < 0 || earliest[slot] > nanos - origin) {
                publish();
                return null;
            }
            open(slot);
        }
        Share share = due.first();
        if (share != null) {
            remove(share);
        }
        return share;
    }

    /** The wheel's time is that of a slot's first, and all of the slot move. */
    private void open(int slot) {
        now = earliest[slot];
        occupied[slot >> BITS] &= ~(1L << (slot & (SLOTS - 1)));
        ShareList<?> list = slots[slot];
        for (int left = list.size(); left > 0; left--) {
            Share share = list.first();
            if (share != null) {
                list.remove(share);
                place(share);
            }
        }
    }

    @SuppressWarnings("unchecked") // all are lists of shares
    private void place(Share share) {
        moves++;
        long time = share.wakeNanos - origin;
        if (time <= now) {
            due.addLast(share);
            return;
        }
        int level = (Long.SIZE - 1 - Long.numberOfLeadingZeros(time ^ now)) / BITS;
        int bit = (int) (time >>> (level * BITS)) & (SLOTS - 1);
        int slot = level * SLOTS + bit;
        ShareList<Share> list = (ShareList<Share>) slots[slot];
        earliest[slot] = list.isEmpty() ? time : Math.min(earliest[slot], time);
        occupied[level] |= 1L << bit;
        list.addLast(share);
    }

    /** The first slot that holds somebody, or -1. */
    private int first() {
        for (int level = 0; level < LEVELS; level++) {
            while (occupied[level] != 0) {
                int bit = Long.numberOfTrailingZeros(occupied[level]);
                int slot = level * SLOTS + bit;
                if (!slots[slot].isEmpty()) {
                    return slot;
                }
                occupied[level] &= ~(1L << bit);
            }
        }
        return -1;
    }

    private void publish() {
        if (!due.isEmpty()) {
            deadline = origin + now;
            return;
        }
        int slot = size == 0 ? -1 : first();
        deadline = slot < 0 ? Long.MAX_VALUE : origin + earliest[slot];
    }
}
