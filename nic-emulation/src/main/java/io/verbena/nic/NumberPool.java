package io.verbena.nic;

import java.util.BitSet;

/**
 * Numbers to name objects by. One that is given back is taken again as late as possible, so that what still names the former
 * bearer seldom meets another.
 *
 * <p>Under the NIC's lock.
 */
final class NumberPool {
    /** Returned by {@link #take} if all are taken. */
    static final int NONE = -1;

    private final BitSet taken = new BitSet();
    private final int first;
    private final int last;
    private int next;

    /**
     * Creates a pool with all numbers free.
     *
     * @param first the least number, at least 0
     * @param last the largest
     */
    NumberPool(int first, int last) {
        this.first = first;
        this.last = last;
        this.next = first;
    }

    /** The next free number after the one taken last, from the first on again; or {@link #NONE}. */
    int take() {
        int number = taken.nextClearBit(next);
        if (number > last) {
            number = taken.nextClearBit(first);
            if (number > last) {
                return NONE;
            }
        }
        taken.set(number);
        next = number + 1;
        return number;
    }

    void give(int number) {
        taken.clear(number);
    }
}
