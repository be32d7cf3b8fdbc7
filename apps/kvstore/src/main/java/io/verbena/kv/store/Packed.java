package io.verbena.kv.store;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Elements packed one behind another, readable from both ends. An element is its length, its bytes, and its length
 * again.
 *
 * <pre>
 *   up to 253 bytes    length (1)              bytes   length (1)
 *   more               0xfe, length (4)        bytes   length (4), 0xfe
 * </pre>
 *
 * <p>Stateless: positions are offsets in a buffer.
 */
final class Packed {
    private static final int LONG_FORM = 0xfe;
    private static final int SHORT_HEADER = 1;
    private static final int LONG_HEADER = 5;

    private Packed() {}

    /** Bytes that an element of that length takes. */
    static int size(int length) {
        return length + (length < LONG_FORM ? 2 * SHORT_HEADER : 2 * LONG_HEADER);
    }

    /** Length of the element at a position. */
    static int length(UnsafeBuffer buffer, int at) {
        int first = buffer.getByte(at) & 0xff;
        return first < LONG_FORM ? first : buffer.getInt(at + 1);
    }

    /** Where the bytes of an element begin. */
    static int bytes(int at, int length) {
        return at + (length < LONG_FORM ? SHORT_HEADER : LONG_HEADER);
    }

    /** Where the element behind the one at a position begins. */
    static int next(UnsafeBuffer buffer, int at) {
        return at + size(length(buffer, at));
    }

    /** Where the element begins that ends before a position. */
    static int previous(UnsafeBuffer buffer, int end) {
        int last = buffer.getByte(end - 1) & 0xff;
        return end - size(last < LONG_FORM ? last : buffer.getInt(end - LONG_HEADER));
    }

    static void write(UnsafeBuffer target, int at, UnsafeBuffer source, int offset, int length) {
        if (length < LONG_FORM) {
            target.putByte(at, (byte) length);
            target.putBytes(at + SHORT_HEADER, source, offset, length);
            target.putByte(at + SHORT_HEADER + length, (byte) length);
        } else {
            target.putByte(at, (byte) LONG_FORM);
            target.putInt(at + 1, length);
            target.putBytes(at + LONG_HEADER, source, offset, length);
            target.putInt(at + LONG_HEADER + length, length);
            target.putByte(at + LONG_HEADER + length + Integer.BYTES, (byte) LONG_FORM);
        }
    }
}
