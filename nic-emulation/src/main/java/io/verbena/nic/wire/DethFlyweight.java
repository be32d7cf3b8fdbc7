package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Datagram extended header, on UD alone.
 *
 * <pre>
 *    0       4           8
 *   +-------+-----------+
 *   | Q_Key | source QP |
 *   +-------+-----------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class DethFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 8;

    private static final int QKEY_OFFSET = 0;
    private static final int SOURCE_QP_OFFSET = 4;

    private DethFlyweight() {}

    /** Writes the Q_Key that the responder compares with its own. */
    public static void qkey(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + QKEY_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the Q_Key that the responder compares with its own. */
    public static int qkey(DirectBuffer b, int offset) {
        return b.getInt(offset + QKEY_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the sender's queue pair number. */
    public static void sourceQp(MutableDirectBuffer b, int offset, int value) {
        b.putInt(offset + SOURCE_QP_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the sender's queue pair number. */
    public static int sourceQp(DirectBuffer b, int offset) {
        return b.getInt(offset + SOURCE_QP_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the whole header. */
    public static void encode(MutableDirectBuffer b, int offset, int qkey, int sourceQp) {
        qkey(b, offset, qkey);
        sourceQp(b, offset, sourceQp);
    }
}
