package io.verbena.papers.receive;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What the two ends of a scheme for large messages tell each other; unlike messages it has no immediate data.
 *
 * <pre>
 *   0        4        8        12       16
 *   | index  | number | length | key    |
 * </pre>
 */
final class ControlMessage {
    static final int LENGTH = 4 * BitUtil.SIZE_OF_INT;

    private static final int INDEX = 0;
    private static final int NUMBER = INDEX + BitUtil.SIZE_OF_INT;
    private static final int BYTES = NUMBER + BitUtil.SIZE_OF_INT;
    private static final int KEY = BYTES + BitUtil.SIZE_OF_INT;

    private final UnsafeBuffer buffer = new UnsafeBuffer(new byte[LENGTH]);

    UnsafeBuffer buffer() {
        return buffer;
    }

    /** Writes all of it. */
    ControlMessage put(int index, int number, int length, int key) {
        buffer.putInt(INDEX, index);
        buffer.putInt(NUMBER, number);
        buffer.putInt(BYTES, length);
        buffer.putInt(KEY, key);
        return this;
    }

    /** The message's place at the one who asked. */
    static int index(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + INDEX);
    }

    /** What the sender calls the message; in a grant, the memory's place at the receiver. */
    static int number(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + NUMBER);
    }

    /** The message's length in bytes. */
    static int length(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + BYTES);
    }

    /** In a grant, the memory's key. */
    static int key(DirectBuffer buffer, int offset) {
        return buffer.getInt(offset + KEY);
    }
}
