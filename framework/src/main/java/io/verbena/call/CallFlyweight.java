package io.verbena.call;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * What stands before the payload of a request and of its response. Little-endian.
 *
 * <pre>
 *   0                                  8        9        10                16
 *  +-----------------------------------+--------+--------+----------------+
 *  | correlation id, of the requester  | version| type   | (zero)         |
 *  +-----------------------------------+--------+--------+----------------+
 *  | payload ...                                                          | 16
 * </pre>
 */
public final class CallFlyweight {
    /** Bytes before the payload. */
    public static final int HEADER_LENGTH = 16;

    /** A call. */
    public static final int REQUEST = 1;
    /** What it returns. */
    public static final int RESPONSE = 2;
    /** A response whose payload is a text that says why there is no other. */
    public static final int FAILURE = 3;

    private static final int VERSION = 1;
    private static final int VERSION_OFFSET = 8;
    private static final int TYPE_OFFSET = 9;
    private static final int RESERVED_OFFSET = 10;

    private CallFlyweight() {}

    /** Writes a header. */
    public static void encode(MutableDirectBuffer buffer, int offset, long correlationId, int type) {
        buffer.putLong(offset, correlationId, ByteOrder.LITTLE_ENDIAN);
        buffer.putByte(offset + VERSION_OFFSET, (byte) VERSION);
        buffer.putByte(offset + TYPE_OFFSET, (byte) type);
        buffer.putShort(offset + RESERVED_OFFSET, (short) 0, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + RESERVED_OFFSET + Short.BYTES, 0, ByteOrder.LITTLE_ENDIAN);
    }

    /** The type of a message, or 0 if it is none of ours. */
    public static int type(DirectBuffer buffer, int offset, int length) {
        return length >= HEADER_LENGTH && buffer.getByte(offset + VERSION_OFFSET) == VERSION
                ? buffer.getByte(offset + TYPE_OFFSET)
                : 0;
    }

    /** The correlation id of a message that has a type. */
    public static long correlationId(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
    }
}
