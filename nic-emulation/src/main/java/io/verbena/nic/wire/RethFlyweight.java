package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * RDMA extended header: what part of the responder's memory a WRITE or READ is for.
 *
 * <pre>
 *    0               8         12        16
 *   +---------------+---------+---------+
 *   | remote offset |  rkey   | length  |
 *   +---------------+---------+---------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class RethFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 16;

    private static final int REMOTE_OFFSET_OFFSET = 0;
    private static final int RKEY_OFFSET = 8;
    private static final int LENGTH_OFFSET = 12;

    private RethFlyweight() {}

    /** Writes the byte offset in the remote region. */
    public static void remoteOffset(MutableDirectBuffer b, int offset, long value) {
        b.putLong(offset + REMOTE_OFFSET_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the byte offset in the remote region. */
    public static long remoteOffset(DirectBuffer b, int offset) {
        return b.getLong(offset + REMOTE_OFFSET_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the remote key. */
    public static void rkey(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + RKEY_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the remote key. */
    public static int rkey(DirectBuffer b, int offset) {
        return b.getInt(offset + RKEY_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the length of the whole message in bytes. */
    public static void length(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + LENGTH_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the length of the whole message in bytes. */
    public static int length(DirectBuffer b, int offset) {
        return b.getInt(offset + LENGTH_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the whole header. */
    public static void encode(MutableDirectBuffer b, int offset, long remoteOffset, int rkey, int length) {
        remoteOffset(b, offset, remoteOffset);
        rkey(b, offset, rkey);
        length(b, offset, length);
    }
}
