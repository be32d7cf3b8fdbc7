package io.verbena.call;

import java.util.Arrays;

/**
 * Deadlines of a fixed number of slots: a binary heap that knows where each slot stands, so that one can be taken out.
 * Allocates nothing. Not thread-safe.
 */
final class DeadlineHeap {
    private static final int ABSENT = -1;

    private final long[] deadlines; // by slot
    private final int[] heap; // slots, the earliest first
    private final int[] positions; // by slot
    private int size;

    /** Creates one for slots 0 to a number less one, without any. */
    DeadlineHeap(int slots) {
        deadlines = new long[slots];
        heap = new int[slots];
        positions = new int[slots];
        Arrays.fill(positions, ABSENT);
    }

    /** The earliest deadline, or {@link Long#MAX_VALUE}. */
    long earliest() {
        return size == 0 ? Long.MAX_VALUE : deadlines[heap[0]];
    }

    /** The slot of the earliest deadline. */
    int first() {
        return heap[0];
    }

    /** Whether a slot is there. */
    boolean contains(int slot) {
        return positions[slot] != ABSENT;
    }

    /** Whether no slot is there. */
    boolean isEmpty() {
        return size == 0;
    }

    /** Adds a slot that is not there. */
    void add(int slot, long deadline) {
        deadlines[slot] = deadline;
        up(size++, slot);
    }

    /** Takes a slot out, if it is there. */
    void remove(int slot) {
        int at = positions[slot];
        if (at == ABSENT) {
            return;
        }
        positions[slot] = ABSENT;
        int last = heap[--size];
        if (last != slot) {
            up(at, last);
            down(positions[last], last);
        }
    }

    private void up(int from, int slot) {
        int at = from;
        while (at > 0) {
            int parent = (at - 1) >>> 1;
            if (deadlines[heap[parent]] - deadlines[slot] <= 0) {
                break;
            }
            put(at, heap[parent]);
            at = parent;
        }
        put(at, slot);
    }

    private void down(int from, int slot) {
        int at = from;
        while (true) {
            int child = 2 * at + 1;
            if (child >= size) {
                break;
            }
            if (child + 1 < size && deadlines[heap[child + 1]] - deadlines[heap[child]] < 0) {
                child++;
            }
            if (deadlines[slot] - deadlines[heap[child]] <= 0) {
                break;
            }
            put(at, heap[child]);
            at = child;
        }
        put(at, slot);
    }

    private void put(int at, int slot) {
        heap[at] = slot;
        positions[slot] = at;
    }
}
