package io.verbena.fabric.netty;

import java.nio.ByteOrder;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * How a packet lies in a byte stream.
 *
 * <pre>
 *    0            4            8                               a multiple of 8
 *   +------------+------------+--------------------------------+
 *   |  length    |  ~length   |  packet, zeroes up to 8 bytes  |
 *   +------------+------------+--------------------------------+
 * </pre>
 *
 * <p>A length with the sign bit set is that of no packet: such a frame is its header alone. It is a mark, or the answer
 * to a number of them ({@link Marks}).
 *
 * <pre>
 *    31   30                24 23                       0
 *   +---+--------------------+---------------------------+
 *   | 1 | 1 mark, 2 answer   | marks answered, 0 in a mark |
 *   +---+--------------------+---------------------------+
 * </pre>
 *
 * <p>Little-endian. The complement tells a stream that is out of step, or no stream of ours, from a long packet; whole
 * words keep each packet 8-byte aligned where it is written. Stateless.
 */
final class FrameFlyweight {
    /** Bytes before the packet. */
    static final int HEADER_LENGTH = 8;

    /** The shortest packet: a transport header alone. */
    static final int MIN_PACKET = 12;

    private static final int ALIGNMENT = 8;
    private static final int MARK = 0x81000000;
    private static final int ANSWER = 0x82000000;
    private static final int MARKS = 0x00FFFFFF;

    private FrameFlyweight() {}

    /** Bytes of a frame with a packet of a length. */
    static int frameLength(int packetLength) {
        return BitUtil.align(packetLength + HEADER_LENGTH, ALIGNMENT);
    }

    /** Zeroes the bytes after a packet that is yet to be written. */
    static void clearPadding(MutableDirectBuffer buffer, int frame, int frameLength) {
        buffer.putLong(frame + frameLength - ALIGNMENT, 0L);
    }

    /** Writes the header. */
    static void encode(MutableDirectBuffer buffer, int frame, int packetLength) {
        buffer.putLong(frame, header(packetLength), ByteOrder.LITTLE_ENDIAN);
    }

    /** Writes a frame that is a mark. */
    static void encodeMark(MutableDirectBuffer buffer, int frame) {
        encode(buffer, frame, MARK);
    }

    /** Writes a frame that answers a number of marks, 1 to {@link Marks#MAX}. */
    static void encodeAnswer(MutableDirectBuffer buffer, int frame, int marks) {
        encode(buffer, frame, ANSWER | marks);
    }

    private static long header(int packetLength) {
        return (packetLength & 0xFFFF_FFFFL) | ((long) ~packetLength << 32);
    }

    /** Whether a header word is that of a mark. */
    static boolean isMark(long header) {
        return (int) header == MARK && (int) (header >>> 32) == ~MARK;
    }

    /** The marks that a frame answers, as its header word says; 0 if it is no answer. */
    static int marksAnswered(long header) {
        int word = (int) header;
        return (word & ~MARKS) == ANSWER && (int) (header >>> 32) == ~word ? word & MARKS : 0;
    }

    /** The header's bytes as one word. */
    static long header(DirectBuffer buffer, int frame) {
        return buffer.getLong(frame, ByteOrder.LITTLE_ENDIAN);
    }

    /** The packet's length as a header word says, or -1 if the word is no header of a packet in bounds. */
    static int packetLength(long header, int maxPacket) {
        int length = (int) header;
        return length >= MIN_PACKET && length <= maxPacket && (int) (header >>> 32) == ~length ? length : -1;
    }

    /** Says why a header word was refused. */
    static String defect(long header, int maxPacket) {
        int length = (int) header;
        if ((int) (header >>> 32) != ~length) {
            return "frame header 0x" + Long.toHexString(header)
                    + " is none: the stream is out of step or not Verbena's";
        }
        return "frame of " + length + " bytes, expected " + MIN_PACKET + " to " + maxPacket;
    }

    /** Says what is wrong with the bytes after a packet, or null. */
    static @Nullable String paddingDefect(DirectBuffer buffer, int packetEnd, int frameEnd) {
        for (int i = packetEnd; i < frameEnd; i++) {
            if (buffer.getByte(i) != 0) {
                return "frame with padding that is not zero";
            }
        }
        return null;
    }
}
