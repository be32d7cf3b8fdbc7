package io.verbena.kv.store;

import java.util.Arrays;

/** A reusable list of longs, mostly addresses. Allocates only while it grows. Single-threaded. */
final class LongList {
    private static final int INITIAL_CAPACITY = 64;
    private static final int RETAINED_CAPACITY = 64 * 1024;

    private long[] elements = new long[INITIAL_CAPACITY];
    private int size;

    void clear() {
        if (elements.length > RETAINED_CAPACITY) {
            elements = new long[INITIAL_CAPACITY];
        }
        size = 0;
    }

    void add(long element) {
        prepareAdd(1);
        elements[size++] = element;
    }

    /**
     * Makes sure that the next calls of {@link #add}, so many and fewer than the list has room for at first, allocate
     * nothing.
     */
    void prepareAdd(int count) {
        if (size + count > elements.length) {
            elements = Arrays.copyOf(elements, elements.length * 2);
        }
    }

    long get(int index) {
        return elements[index];
    }

    void set(int index, long element) {
        elements[index] = element;
    }

    int size() {
        return size;
    }

    /** Removes some elements; those behind them move up. */
    void remove(int index, int count) {
        System.arraycopy(elements, index + count, elements, index, size - index - count);
        size -= count;
    }

    /** Drops what lies behind so many elements. */
    void keepFirst(int count) {
        size = count;
    }

    void sort() {
        Arrays.sort(elements, 0, size);
    }
}
