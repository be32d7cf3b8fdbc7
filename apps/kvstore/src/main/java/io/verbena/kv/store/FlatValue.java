package io.verbena.kv.store;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * A value of many blocks as one run of bytes: so it leaves a shard's memory, and from that it is made again.
 *
 * <pre>
 *   0 elements (4)
 *   4 {@link Packed} elements
 * </pre>
 *
 * <p>Holds one value at a time, and a position in it. Single-threaded, as the shard that owns it.
 */
final class FlatValue {
    private static final int FIRST = 4;

    private final UnsafeBuffer buffer;
    private int elements;
    private int end;
    private int next;
    private int offset;
    private int length;

    /**
     * Creates it, empty.
     *
     * @param capacity bytes of the longest
     */
    FlatValue(int capacity) {
        buffer = new UnsafeBuffer(new byte[capacity]);
        clear();
    }

    /** The buffer in which it lies, at its begin. */
    UnsafeBuffer buffer() {
        return buffer;
    }

    // ---- out --------------------------------------------------------------------------------------------------------

    /** Forgets what is in it. */
    void clear() {
        elements = 0;
        end = FIRST;
    }

    /** Appends an element; false if there is no room for it. */
    boolean add(UnsafeBuffer source, int from, int count) {
        int size = Packed.size(count);
        if (size > buffer.capacity() - end) {
            return false;
        }
        Packed.write(buffer, end, source, from, count);
        end += size;
        elements++;
        return true;
    }

    /** No more is added. @return its length in bytes */
    int finish() {
        buffer.putInt(0, elements);
        return end;
    }

    // ---- in ---------------------------------------------------------------------------------------------------------

    /** The buffer was filled with one of so many bytes; the position is before its first element. */
    void open(int bytes) {
        elements = buffer.getInt(0);
        end = bytes;
        next = FIRST;
    }

    /** Elements that it has. */
    int elements() {
        return elements;
    }

    /** Moves the position to the next element; false if there is none. */
    boolean next() {
        if (next == end) {
            return false;
        }
        length = Packed.length(buffer, next);
        offset = Packed.bytes(next, length);
        next += Packed.size(length);
        return true;
    }

    /** Where the bytes of the element at the position begin in {@link #buffer()}. */
    int offset() {
        return offset;
    }

    /** Bytes of the element at the position. */
    int length() {
        return length;
    }
}
