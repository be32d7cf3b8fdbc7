package io.verbena.kv.store;

import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * SipHash-1-3 (Aumasson and Bernstein, 2012): a keyed hash that an attacker who does not know the key cannot make
 * collide, so that no choice of keys turns a hash table into a list. Immutable and thread-safe.
 */
final class SipHash {
    private final long key0;
    private final long key1;

    SipHash(long key0, long key1) {
        this.key0 = key0;
        this.key1 = key1;
    }

    /** Hash of bytes of a buffer. */
    long hash(UnsafeBuffer buffer, int offset, int length) {
        long v0 = key0 ^ 0x736f6d6570736575L;
        long v1 = key1 ^ 0x646f72616e646f6dL;
        long v2 = key0 ^ 0x6c7967656e657261L;
        long v3 = key1 ^ 0x7465646279746573L;
        int end = offset + (length & ~7);
        for (int i = offset; i < end; i += Long.BYTES) {
            long m = buffer.getLong(i, ByteOrder.LITTLE_ENDIAN);
            v3 ^= m;
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
            v0 ^= m;
        }
        // The last word: up to 7 bytes, and the length in the top byte. Then three rounds to finish.
        long last = tail(buffer, end, length & 7) | (long) length << 56;
        v3 ^= last;
        for (int round = 0; round < 4; round++) {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
            if (round == 0) {
                v0 ^= last;
                v2 ^= 0xff;
            }
        }
        return v0 ^ v1 ^ v2 ^ v3;
    }

    private static long tail(UnsafeBuffer buffer, int offset, int length) {
        long word = 0;
        int i = 0;
        if ((length & 4) != 0) {
            word = buffer.getInt(offset, ByteOrder.LITTLE_ENDIAN) & 0xffff_ffffL;
            i = 4;
        }
        if ((length & 2) != 0) {
            word |= (buffer.getShort(offset + i, ByteOrder.LITTLE_ENDIAN) & 0xffffL) << (i << 3);
            i += 2;
        }
        if ((length & 1) != 0) {
            word |= (buffer.getByte(offset + i) & 0xffL) << (i << 3);
        }
        return word;
    }
}
