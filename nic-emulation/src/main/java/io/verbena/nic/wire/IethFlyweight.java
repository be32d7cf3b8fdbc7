package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Invalidate extended header: the key that a SEND with invalidate makes void at the responder.
 *
 * <pre>
 *    0      4      8
 *   +------+------+
 *   | rkey | zero |
 *   +------+------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class IethFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 8;

    private static final int RKEY_OFFSET = 0;
    private static final int PAD_OFFSET = 4;

    private IethFlyweight() {}

    /** Writes the key to invalidate. */
    public static void rkey(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + RKEY_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the key to invalidate. */
    public static int rkey(DirectBuffer b, int offset) {
        return b.getInt(offset + RKEY_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the whole header. */
    public static void encode(MutableDirectBuffer b, int offset, int rkey) {
        rkey(b, offset, rkey);
        b.putInt(offset + PAD_OFFSET, 0, LITTLE_ENDIAN);
    }
}
