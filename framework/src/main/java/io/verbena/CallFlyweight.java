package io.verbena;

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
final class CallFlyweight {
    static final int HEADER_LENGTH = 16;

    static final int REQUEST = 1;
    static final int RESPONSE = 2;
    /** A response whose payload is a text that says why there is no other. */
    static final int FAILURE = 3;

    private static final int VERSION = 1;
    private static final int VERSION_OFFSET = 8;
    private static final int TYPE_OFFSET = 9;
    private static final int RESERVED_OFFSET = 10;

    private CallFlyweight() {}

    static void encode(MutableDirectBuffer buffer, int offset, long correlationId, int type) {
        buffer.putLong(offset, correlationId, ByteOrder.LITTLE_ENDIAN);
        buffer.putByte(offset + VERSION_OFFSET, (byte) VERSION);
        buffer.putByte(offset + TYPE_OFFSET, (byte) type);
        buffer.putShort(offset + RESERVED_OFFSET, (short) 0, ByteOrder.LITTLE_ENDIAN);
        buffer.putInt(offset + RESERVED_OFFSET + Short.BYTES, 0, ByteOrder.LITTLE_ENDIAN);
    }

    /** The type of a message, or 0 if it is none of ours. */
    static int type(DirectBuffer buffer, int offset, int length) {
        return length >= HEADER_LENGTH && buffer.getByte(offset + VERSION_OFFSET) == VERSION
                ? buffer.getByte(offset + TYPE_OFFSET)
                : 0;
    }

    static long correlationId(DirectBuffer buffer, int offset) {
        return buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
    }

    /** Sends a message with its header. */
    static SendResult send(
            Channel channel, long correlationId, int type, DirectBuffer payload, int offset, int length) {
        return send(channel, correlationId, type, payload, offset, length, true);
    }

    /** As the other; if it need not leave now, the message may stay until {@link Channel#flush}. */
    static SendResult send(
            Channel channel, long correlationId, int type, DirectBuffer payload, int offset, int length, boolean now) {
        payload.boundsCheck(offset, length);
        int at = channel.tryClaim(HEADER_LENGTH + length);
        if (at < 0) {
            return at == Channel.CLOSED ? SendResult.CLOSED : SendResult.BACK_PRESSURED;
        }
        encode(channel.claimBuffer(), at, correlationId, type);
        channel.claimBuffer().putBytes(at + HEADER_LENGTH, payload, offset, length);
        return now ? channel.commit() : channel.enqueueClaim();
    }
}
