package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * One message of the payload of an {@link Opcode#APPEND_RUN}: several messages for one append queue, one behind the
 * other.
 *
 * <pre>
 *    0        2                  4           8          8 + length, rounded up to 8
 *   +--------+------------------+-----------+---------+
 *   | length | stream | 1 bit   | immediate | message |
 *   +--------+------------------+-----------+---------+
 * </pre>
 *
 * <p>The stream's highest bit says that the immediate counts. What rounds up is not read.
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class AppendRunFlyweight {
    /** Bytes before the message. */
    public static final int HEADER_LENGTH = 8;

    /** Bytes of the longest message that a run can have. */
    public static final int MAX_LENGTH = 0xFFFF;

    private static final int LENGTH_OFFSET = 0;
    private static final int STREAM_SHIFT = 16;
    private static final int IMMEDIATE_OFFSET = 4;
    private static final int HAS_IMMEDIATE = 1 << 31;

    private AppendRunFlyweight() {}

    /** Bytes that a message takes in a run. */
    public static int alignedLength(int messageLength) {
        return (messageLength + HEADER_LENGTH + 7) & -8;
    }

    /** Writes a message's header without an immediate. */
    public static void encode(MutableDirectBuffer b, int offset, int messageLength, int stream) {
        b.putInt(offset + LENGTH_OFFSET, messageLength | stream << STREAM_SHIFT, LITTLE_ENDIAN);
        b.putInt(offset + IMMEDIATE_OFFSET, 0, LITTLE_ENDIAN);
    }

    /** Writes a message's header with an immediate. */
    public static void encode(MutableDirectBuffer b, int offset, int messageLength, int stream, int immediate) {
        b.putInt(offset + LENGTH_OFFSET, messageLength | stream << STREAM_SHIFT | HAS_IMMEDIATE, LITTLE_ENDIAN);
        b.putInt(offset + IMMEDIATE_OFFSET, immediate, LITTLE_ENDIAN);
    }

    /** Reads the message's length. */
    public static int messageLength(DirectBuffer b, int offset) {
        return b.getInt(offset + LENGTH_OFFSET, LITTLE_ENDIAN) & MAX_LENGTH;
    }

    /** Reads the number of the message's stream: any of 15 bits, of which those above the largest one are none. */
    public static int stream(DirectBuffer b, int offset) {
        return b.getInt(offset + LENGTH_OFFSET, LITTLE_ENDIAN) >>> STREAM_SHIFT & 0x7FFF;
    }

    /** Whether there is an immediate. */
    public static boolean hasImmediate(DirectBuffer b, int offset) {
        return b.getInt(offset + LENGTH_OFFSET, LITTLE_ENDIAN) < 0;
    }

    /** Reads the immediate. */
    public static int immediate(DirectBuffer b, int offset) {
        return b.getInt(offset + IMMEDIATE_OFFSET, LITTLE_ENDIAN);
    }

    /**
     * Examines a run: whether it is exactly the messages that its header announces. Reads nothing outside of it.
     *
     * @param b holds the run
     * @param offset of its first message
     * @param length bytes of the run, any value
     * @param messages how many there are, any value
     * @return bytes of the longest message; -1 if the run is not sound
     */
    public static int check(DirectBuffer b, int offset, int length, int messages) {
        int longest = -1;
        int at = 0;
        for (int i = 0; i < messages; i++) {
            if (HEADER_LENGTH > length - at) {
                return -1;
            }
            int message = messageLength(b, offset + at);
            if (message > length - at - HEADER_LENGTH || stream(b, offset + at) > AppendEthFlyweight.MAX_STREAM) {
                return -1;
            }
            longest = Math.max(longest, message);
            at += alignedLength(message);
        }
        return at == length ? longest : -1;
    }
}
