package io.verbena.verification.walk;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/** What a message consists of: bytes that tell which request they are of, and which byte of it. */
public final class Pattern {
    private static final long GAMMA = 0x9E37_79B9_7F4A_7C15L;
    private static final byte CANARY = (byte) 0xC7;
    private static final long CANARY_WORD = 0xC7C7_C7C7_C7C7_C7C7L;

    private Pattern() {}

    /** Byte of the message of an identity. */
    public static byte at(long identity, int index) {
        return (byte) (word(identity, index >>> 3) >>> ((index & 7) << 3));
    }

    private static long word(long identity, int index) {
        long z = identity + (index + 1) * GAMMA;
        z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }

    /** Writes bytes {@code from} to {@code from + length} of a message. */
    public static void fill(MutableDirectBuffer b, int offset, long identity, int from, int length) {
        int i = 0;
        while (i < length) {
            int index = from + i;
            long word = word(identity, index >>> 3) >>> ((index & 7) << 3);
            int n = Math.min(8 - (index & 7), length - i);
            if (n == 8) {
                b.putLong(offset + i, word, ByteOrder.LITTLE_ENDIAN);
            } else {
                for (int j = 0; j < n; j++) {
                    b.putByte(offset + i + j, (byte) word);
                    word >>>= 8;
                }
            }
            i += n;
        }
    }

    /** Index of the first byte that is not the message's, counted from {@code from}, or -1. */
    public static int mismatch(DirectBuffer b, int offset, long identity, int from, int length) {
        int i = 0;
        while (i < length) {
            int index = from + i;
            long word = word(identity, index >>> 3) >>> ((index & 7) << 3);
            int n = Math.min(8 - (index & 7), length - i);
            if (n == 8 && b.getLong(offset + i, ByteOrder.LITTLE_ENDIAN) == word) {
                i += 8;
                continue;
            }
            for (int j = 0; j < n; j++) {
                if (b.getByte(offset + i + j) != (byte) word) {
                    return i + j;
                }
                word >>>= 8;
            }
            i += n;
        }
        return -1;
    }

    /** Fills what nobody may write. */
    public static void guard(MutableDirectBuffer b, int offset, int length) {
        b.setMemory(offset, length, CANARY);
    }

    /** Index of the first byte that somebody has written, or -1. */
    public static int unguarded(DirectBuffer b, int offset, int length) {
        int i = 0;
        while (i < length && ((offset + i) & 7) != 0) {
            if (b.getByte(offset + i) != CANARY) {
                return i;
            }
            i++;
        }
        for (; i + 8 <= length; i += 8) {
            if (b.getLong(offset + i) != CANARY_WORD) {
                break;
            }
        }
        for (; i < length; i++) {
            if (b.getByte(offset + i) != CANARY) {
                return i;
            }
        }
        return -1;
    }
}
