package io.verbena.kv.server;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Requests or replies that wait, copied, first in, first out. The memory grows with what waits, and is given back when
 * nothing does.
 *
 * <pre>
 *   head                                       tail
 *   | length (4) | bytes, zeros to 8 | length ... |
 * </pre>
 *
 * <p>Used by the shard's owner alone.
 */
final class RecordQueue {
    private static final int LENGTH_FIELD = Long.BYTES;
    private static final int INITIAL_CAPACITY = 4096;
    private static final int RETAINED_CAPACITY = 1 << 20;
    private static final ByteBuffer EMPTY = ByteBuffer.allocate(0);

    private final UnsafeBuffer records = new UnsafeBuffer(0, 0);
    private @Nullable ByteBuffer memory;
    private int head;
    private int tail;

    boolean isEmpty() {
        return head == tail;
    }

    /** Bytes that wait, those included that each record adds. */
    int bytes() {
        return tail - head;
    }

    /** Bytes that a record of that length adds. */
    static int recordLength(int length) {
        return LENGTH_FIELD + (length + Long.BYTES - 1 & -Long.BYTES);
    }

    /** Adds a record in two parts. */
    void add(DirectBuffer head, int headOffset, int headLength, DirectBuffer body, int bodyOffset, int bodyLength) {
        int at = claim(headLength + bodyLength);
        records.putBytes(at, head, headOffset, headLength);
        records.putBytes(at + headLength, body, bodyOffset, bodyLength);
    }

    void add(DirectBuffer source, int offset, int length) {
        int at = claim(length);
        records.putBytes(at, source, offset, length);
    }

    /** Adds a record, whose bytes are put at the offset returned. */
    private int claim(int length) {
        if (head > tail - head) {
            // Each byte moves once at most for each that was taken.
            records.putBytes(0, records, head, tail - head);
            tail -= head;
            head = 0;
        }
        int end = tail + recordLength(length);
        if (end > records.capacity()) {
            grow(end);
        }
        records.putInt(tail, length);
        int at = tail + LENGTH_FIELD;
        tail = end;
        return at;
    }

    /** What is outgrown is freed at once: left to the collector, it would be taken from everybody until that runs. */
    private void grow(int least) {
        int capacity = (int) Math.min(Integer.MAX_VALUE, Math.max(INITIAL_CAPACITY, least + (long) least / 2));
        ByteBuffer larger = ByteBuffer.allocateDirect(capacity).order(ByteOrder.nativeOrder());
        ByteBuffer old = memory;
        larger.put(0, old == null ? EMPTY : old, 0, old == null ? 0 : tail);
        memory = larger;
        records.wrap(larger);
        free(old);
    }

    private static void free(@Nullable ByteBuffer old) {
        if (old != null) {
            BufferUtil.free(old);
        }
    }

    DirectBuffer buffer() {
        return records;
    }

    /** Where the first record begins in {@link #buffer()}. */
    int offset() {
        return head + LENGTH_FIELD;
    }

    /** Length of the first record. */
    int length() {
        return records.getInt(head);
    }

    /** Removes the first record. */
    void remove() {
        head += recordLength(length());
        if (head == tail) {
            clear();
        }
    }

    void clear() {
        head = 0;
        tail = 0;
        if (records.capacity() > RETAINED_CAPACITY) {
            release();
        }
    }

    private void release() {
        ByteBuffer old = memory;
        memory = null;
        records.wrap(0, 0);
        free(old);
    }

    /** Frees the memory; nothing may be added any more. */
    void close() {
        head = 0;
        tail = 0;
        release();
    }
}
