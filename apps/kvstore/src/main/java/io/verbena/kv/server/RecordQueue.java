package io.verbena.kv.server;

import java.nio.ByteBuffer;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableDirectByteBuffer;

/**
 * Requests or replies that wait, copied, first in, first out. The memory grows with what waits, and is given back when nothing
 * does.
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
    private static final int INITIAL_CAPACITY = 256;
    private static final int RETAINED_CAPACITY = 1 << 20;

    private ExpandableDirectByteBuffer records = new ExpandableDirectByteBuffer(INITIAL_CAPACITY);
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
    static int recordLength(final int length) {
        return LENGTH_FIELD + (length + Long.BYTES - 1 & -Long.BYTES);
    }

    void add(final DirectBuffer source, final int offset, final int length) {
        if (head > tail - head) {
            // Each byte moves once at most for each that was taken.
            records.putBytes(0, records, head, tail - head);
            tail -= head;
            head = 0;
        }
        final int end = tail + recordLength(length);
        records.checkLimit(end);
        records.putInt(tail, length);
        records.putBytes(tail + LENGTH_FIELD, source, offset, length);
        tail = end;
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
            final ByteBuffer large = records.byteBuffer();
            records = new ExpandableDirectByteBuffer(INITIAL_CAPACITY);
            BufferUtil.free(large);
        }
    }

    /** Frees the memory; nothing may be added any more. */
    void close() {
        head = 0;
        tail = 0;
        final ByteBuffer memory = records.byteBuffer();
        records = new ExpandableDirectByteBuffer(0);
        BufferUtil.free(memory);
    }
}
