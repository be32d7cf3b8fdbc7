package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Acknowledge extended header: what the responder says of the packets up to the PSN in the BTH.
 *
 * <pre>
 *    0     3          4      8
 *   +-----+----------+------+
 *   | MSN | syndrome | zero |
 *   +-----+----------+------+
 *   one little-endian word: syndrome in bits 31..24 (see {@link AethSyndrome}), message sequence number in 23..0
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class AethFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 8;

    /** The bits of a message sequence number. */
    public static final int MSN_MASK = 0xFF_FFFF;

    private static final int WORD_OFFSET = 0;
    private static final int PAD_OFFSET = 4;

    private AethFlyweight() {}

    /**
     * Writes the whole header.
     *
     * @param syndrome one of {@link AethSyndrome}
     * @param msn messages completed by the responder, modulo 2^24
     */
    public static void encode(MutableDirectBuffer b, int offset, int syndrome, int msn) {
        b.putInt(offset + WORD_OFFSET, syndrome << 24 | (msn & MSN_MASK), LITTLE_ENDIAN);
        b.putInt(offset + PAD_OFFSET, 0, LITTLE_ENDIAN);
    }

    /** Reads the syndrome, 0 to 255. */
    public static int syndrome(DirectBuffer b, int offset) {
        return b.getInt(offset + WORD_OFFSET, LITTLE_ENDIAN) >>> 24;
    }

    /** Reads the message sequence number, 24 bits. */
    public static int msn(DirectBuffer b, int offset) {
        return b.getInt(offset + WORD_OFFSET, LITTLE_ENDIAN) & MSN_MASK;
    }
}
