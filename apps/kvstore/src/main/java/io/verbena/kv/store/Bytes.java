package io.verbena.kv.store;

import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** Comparison of runs of bytes, eight at a time. Stateless. */
final class Bytes {
    private Bytes() {}

    static boolean equal(UnsafeBuffer a, int aOffset, UnsafeBuffer b, int bOffset, int length) {
        int i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES) {
            if (a.getLong(aOffset + i) != b.getLong(bOffset + i)) {
                return false;
            }
        }
        for (; i < length; i++) {
            if (a.getByte(aOffset + i) != b.getByte(bOffset + i)) {
                return false;
            }
        }
        return true;
    }

    /** Order of two byte strings as memcmp has it, the shorter first if one starts with the other. */
    static int compare(UnsafeBuffer a, int aOffset, int aLength, UnsafeBuffer b, int bOffset, int bLength) {
        int common = Math.min(aLength, bLength);
        int i = 0;
        for (; i + Long.BYTES <= common; i += Long.BYTES) {
            long x = a.getLong(aOffset + i, ByteOrder.BIG_ENDIAN);
            long y = b.getLong(bOffset + i, ByteOrder.BIG_ENDIAN);
            if (x != y) {
                return Long.compareUnsigned(x, y);
            }
        }
        for (; i < common; i++) {
            int difference = (a.getByte(aOffset + i) & 0xff) - (b.getByte(bOffset + i) & 0xff);
            if (difference != 0) {
                return difference;
            }
        }
        return Integer.compare(aLength, bLength);
    }
}
