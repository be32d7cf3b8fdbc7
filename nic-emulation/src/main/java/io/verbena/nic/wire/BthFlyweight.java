package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Base transport header, at the front of every packet.
 *
 * <pre>
 *    0        1       2         4                8        12          16
 *   +--------+-------+---------+----------------+--------+-----------+
 *   | opcode | flags | version | destination QP |  PSN   | source QP |
 *   +--------+-------+---------+----------------+--------+-----------+
 *   flags: bit 0 solicited, bit 1 acknowledge request; the others are zero
 *   PSN: 24 bits, the upper 8 are zero
 *   source QP: the sender's, so that a packet of an earlier peer is distinguished from one of the present peer
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class BthFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 16;

    /** Version of the protocol that this code speaks. */
    public static final int VERSION = 3;

    /** Flag: the receiver's completion is a solicited one. */
    public static final int SOLICITED = 1;

    /** Flag: the sender asks for an acknowledgement of this packet. */
    public static final int ACK_REQUEST = 2;

    /** Every flag that has a meaning. */
    public static final int FLAGS = SOLICITED | ACK_REQUEST;

    private static final int OPCODE_OFFSET = 0;
    private static final int FLAGS_OFFSET = 1;
    private static final int VERSION_OFFSET = 2;
    private static final int DESTINATION_QP_OFFSET = 4;
    private static final int PSN_OFFSET = 8;
    private static final int SOURCE_QP_OFFSET = 12;

    private BthFlyweight() {}

    /** Writes the whole header with {@link #VERSION}. */
    public static void encode(
            MutableDirectBuffer b, int offset, int opcode, int flags, int destinationQp, int psn, int sourceQp) {
        b.putInt(offset, (opcode & 0xFF) | (flags & 0xFF) << 8 | VERSION << 16, LITTLE_ENDIAN);
        b.putInt(offset + DESTINATION_QP_OFFSET, destinationQp, LITTLE_ENDIAN);
        b.putInt(offset + PSN_OFFSET, psn & Psn.MASK, LITTLE_ENDIAN);
        b.putInt(offset + SOURCE_QP_OFFSET, sourceQp, LITTLE_ENDIAN);
    }

    /** Writes the opcode, a {@link Opcode#code}. */
    public static void opcode(MutableDirectBuffer b, int offset, int value) {
        b.putByte(offset + OPCODE_OFFSET, (byte) value);
    }

    /** Reads the opcode, 0 to 255. */
    public static int opcode(DirectBuffer b, int offset) {
        return b.getByte(offset + OPCODE_OFFSET) & 0xFF;
    }

    /** Writes the flags. */
    public static void flags(MutableDirectBuffer b, int offset, int value) {
        b.putByte(offset + FLAGS_OFFSET, (byte) value);
    }

    /** Reads the flags, 0 to 255. */
    public static int flags(DirectBuffer b, int offset) {
        return b.getByte(offset + FLAGS_OFFSET) & 0xFF;
    }

    /** Reads whether the receiver's completion is a solicited one. */
    public static boolean solicited(DirectBuffer b, int offset) {
        return (b.getByte(offset + FLAGS_OFFSET) & SOLICITED) != 0;
    }

    /** Reads whether the sender asks for an acknowledgement. */
    public static boolean ackRequest(DirectBuffer b, int offset) {
        return (b.getByte(offset + FLAGS_OFFSET) & ACK_REQUEST) != 0;
    }

    /** Writes the version of the protocol. */
    public static void version(MutableDirectBuffer b, int offset, int value) {
        b.putShort(offset + VERSION_OFFSET, (short) value, LITTLE_ENDIAN);
    }

    /** Reads the version of the protocol, 0 to 65535. */
    public static int version(DirectBuffer b, int offset) {
        return b.getShort(offset + VERSION_OFFSET, LITTLE_ENDIAN) & 0xFFFF;
    }

    /** Writes the number of the queue pair that the packet is for. */
    public static void destinationQp(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + DESTINATION_QP_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the number of the queue pair that the packet is for. */
    public static int destinationQp(DirectBuffer b, int offset) {
        return b.getInt(offset + DESTINATION_QP_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the packet sequence number; bits above the 24th are dropped. */
    public static void psn(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + PSN_OFFSET, value & Psn.MASK, LITTLE_ENDIAN);
    }

    /** Reads the packet sequence number, 24 bits. */
    public static int psn(DirectBuffer b, int offset) {
        return b.getInt(offset + PSN_OFFSET, LITTLE_ENDIAN) & Psn.MASK;
    }

    /** Whether the bits that the header reserves are zero. */
    static boolean reservedBitsAreZero(DirectBuffer b, int offset) {
        return (flags(b, offset) & ~FLAGS) == 0 && (b.getInt(offset + PSN_OFFSET, LITTLE_ENDIAN) & ~Psn.MASK) == 0;
    }

    /** Writes the number of the queue pair that sends. */
    public static void sourceQp(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + SOURCE_QP_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the number of the queue pair that sends. */
    public static int sourceQp(DirectBuffer b, int offset) {
        return b.getInt(offset + SOURCE_QP_OFFSET, LITTLE_ENDIAN);
    }
}
