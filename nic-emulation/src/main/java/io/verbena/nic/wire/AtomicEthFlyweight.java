package io.verbena.nic.wire;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Atomic extended header: where, and with what operands, a COMPARE_SWAP or FETCH_ADD works.
 *
 * <pre>
 *    0               8        12       16            24          32
 *   +---------------+--------+--------+-------------+-----------+
 *   | remote offset |  rkey  |  zero  | swap or add |  compare  |
 *   +---------------+--------+--------+-------------+-----------+
 * </pre>
 *
 * <p>Stateless; the buffer follows its own rules of concurrency.
 */
public final class AtomicEthFlyweight {
    /** Bytes of the header. */
    public static final int LENGTH = 32;

    private static final int REMOTE_OFFSET_OFFSET = 0;
    private static final int RKEY_OFFSET = 8;
    private static final int SWAP_OR_ADD_OFFSET = 16;
    private static final int COMPARE_OFFSET = 24;
    private static final int PAD_OFFSET = 12;

    private AtomicEthFlyweight() {}

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

    /** Writes the value to swap in, or to add. */
    public static void swapOrAdd(MutableDirectBuffer b, int offset, long value) {
        b.putLong(offset + SWAP_OR_ADD_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the value to swap in, or to add. */
    public static long swapOrAdd(DirectBuffer b, int offset) {
        return b.getLong(offset + SWAP_OR_ADD_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the value to compare with (0 for FETCH_ADD). */
    public static void compare(MutableDirectBuffer b, int offset, long value) {
        b.putLong(offset + COMPARE_OFFSET, value, LITTLE_ENDIAN);
    }

    /** Reads the value to compare with (0 for FETCH_ADD). */
    public static long compare(DirectBuffer b, int offset) {
        return b.getLong(offset + COMPARE_OFFSET, LITTLE_ENDIAN);
    }

    /** Writes the whole header. */
    public static void encode(
            MutableDirectBuffer b, int offset, long remoteOffset, int rkey, long swapOrAdd, long compare) {
        remoteOffset(b, offset, remoteOffset);
        rkey(b, offset, rkey);
        b.putInt(offset + PAD_OFFSET, 0, LITTLE_ENDIAN);
        swapOrAdd(b, offset, swapOrAdd);
        compare(b, offset, compare);
    }
}
