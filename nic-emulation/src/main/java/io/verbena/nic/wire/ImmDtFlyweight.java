package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Immediate data header.
 *
 * <pre>
 *    0           4      8
 *   +-----------+------+
 *   | immediate | zero |
 *   +-----------+------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class ImmDtFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 8;

    private static final int IMMEDIATE_OFFSET = 0;
    private static final int PAD_OFFSET = 4;

    private ImmDtFlyweight() {}

    /** Writes the immediate. */
    public static void immediate(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + IMMEDIATE_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the immediate. */
    public static int immediate(DirectBuffer b, int offset) {
        return b.getInt(offset + IMMEDIATE_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the whole header. */
    public static void encode(MutableDirectBuffer b, int offset, int immediate) {
        immediate(b, offset, immediate);
        b.putInt(offset + PAD_OFFSET, 0, LITTLE_ENDIAN);
    }
}
