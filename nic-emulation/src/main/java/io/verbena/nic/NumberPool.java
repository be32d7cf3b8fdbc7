package io.verbena.nic;

import java.util.BitSet;
import java.util.function.IntPredicate;

/**
 * A pool of numbers that name objects. A number that is given back is reused as late as possible, so that stale
 * references to its former bearer seldom meet another object.
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

    /** The next free number after the one taken last, wrapping around; or {@link #NONE}. */
    int take() {
        return take(number -> true);
    }

    /**
     * As {@link #take()}, of the usable ones.
     *
     * @param usable asked whether a free number may be taken already
     */
    int take(IntPredicate usable) {
        int number = find(next, last, usable);
        if (number == NONE) {
            number = find(first, next - 1, usable);
        }
        if (number != NONE) {
            taken.set(number);
            next = number + 1;
        }
        return number;
    }

    private int find(int from, int to, IntPredicate usable) {
        for (int number = taken.nextClearBit(from); number <= to; number = taken.nextClearBit(number + 1)) {
            if (usable.test(number)) {
                return number;
            }
        }
        return NONE;
    }

    void give(int number) {
        taken.clear(number);
    }
}
