package io.verbena.kv.protocol;

import java.nio.ByteOrder;
import org.agrona.DirectBuffer;

/**
 * XXH64, the 64-bit hash of Yann Collet's xxHash family: fast, well mixed, and no protection against who chooses its
 * input. Static; thread-safe; allocates nothing.
 */
public final class XxHash64 {
    private static final long PRIME_1 = 0x9E3779B185EBCA87L;
    private static final long PRIME_2 = 0xC2B2AE3D27D4EB4FL;
    private static final long PRIME_3 = 0x165667B19E3779F9L;
    private static final long PRIME_4 = 0x85EBCA77C2B2AE63L;
    private static final long PRIME_5 = 0x27D4EB2F165667C5L;
    private static final int STRIPE = 4 * Long.BYTES;

    private XxHash64() {}

    /**
     * Hashes bytes.
     *
     * @param buffer that holds them
     * @param offset of the first byte
     * @param length in bytes, at least 0
     * @param seed other seeds give unrelated hashes
     * @return the hash, the same on every machine
     */
    public static long hash(DirectBuffer buffer, int offset, int length, long seed) {
        int at = offset;
        int end = offset + length;
        long hash;
        if (length >= STRIPE) {
            long v1 = seed + PRIME_1 + PRIME_2;
            long v2 = seed + PRIME_2;
            long v3 = seed;
            long v4 = seed - PRIME_1;
            for (; at <= end - STRIPE; at += STRIPE) {
                v1 = round(v1, word(buffer, at));
                v2 = round(v2, word(buffer, at + Long.BYTES));
                v3 = round(v3, word(buffer, at + 2 * Long.BYTES));
                v4 = round(v4, word(buffer, at + 3 * Long.BYTES));
            }
            hash = Long.rotateLeft(v1, 1) + Long.rotateLeft(v2, 7) + Long.rotateLeft(v3, 12) + Long.rotateLeft(v4, 18);
            hash = merge(merge(merge(merge(hash, v1), v2), v3), v4);
        } else {
            hash = seed + PRIME_5;
        }
        return avalanche(tail(buffer, at, end, hash + length));
    }

    /** Mixes in the last bytes, fewer than a stripe. */
    private static long tail(DirectBuffer buffer, int from, int end, long mixed) {
        int at = from;
        long hash = mixed;
        for (; at <= end - Long.BYTES; at += Long.BYTES) {
            hash = Long.rotateLeft(hash ^ round(0, word(buffer, at)), 27) * PRIME_1 + PRIME_4;
        }
        if (at <= end - Integer.BYTES) {
            long half = buffer.getInt(at, ByteOrder.LITTLE_ENDIAN) & 0xffff_ffffL;
            hash = Long.rotateLeft(hash ^ half * PRIME_1, 23) * PRIME_2 + PRIME_3;
            at += Integer.BYTES;
        }
        for (; at < end; at++) {
            hash = Long.rotateLeft(hash ^ (buffer.getByte(at) & 0xffL) * PRIME_5, 11) * PRIME_1;
        }
        return hash;
    }

    private static long avalanche(long mixed) {
        long hash = (mixed ^ mixed >>> 33) * PRIME_2;
        hash = (hash ^ hash >>> 29) * PRIME_3;
        return hash ^ hash >>> 32;
    }

    private static long word(DirectBuffer buffer, int at) {
        return buffer.getLong(at, ByteOrder.LITTLE_ENDIAN);
    }

    private static long round(long lane, long word) {
        return Long.rotateLeft(lane + word * PRIME_2, 31) * PRIME_1;
    }

    private static long merge(long hash, long lane) {
        return (hash ^ round(0, lane)) * PRIME_1 + PRIME_4;
    }
}
