package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Atomic acknowledge extended header: what an atomic found.
 *
 * <pre>
 *    0                8
 *   +----------------+
 *   | original value |
 *   +----------------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class AtomicAckEthFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 8;

    private static final int ORIGINAL_OFFSET = 0;

    private AtomicAckEthFlyweight() {}

    /** Writes the value before the operation. */
    public static void original(MutableDirectBuffer b, int offset, long value) {
        b.putLong(offset + ORIGINAL_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the value before the operation. */
    public static long original(DirectBuffer b, int offset) {
        return b.getLong(offset + ORIGINAL_OFFSET, LITTLE_ENDIAN);
    }
}
