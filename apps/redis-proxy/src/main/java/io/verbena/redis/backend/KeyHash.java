package io.verbena.redis.backend;

import org.agrona.DirectBuffer;

/**
 * Which shard a key belongs to: Redis Cluster's CRC16 of the key, or of what stands between the first braces in it, so that a
 * client can put keys on one shard by giving them the same tag.
 */
final class KeyHash {
    private static final int POLYNOMIAL = 0x1021;
    private static final int[] TABLE = new int[256];

    static {
        for (int i = 0; i < TABLE.length; i++) {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++) {
                crc = (crc & 0x8000) != 0 ? crc << 1 ^ POLYNOMIAL : crc << 1;
            }
            TABLE[i] = crc & 0xFFFF;
        }
    }

    private KeyHash() {}

    static int shardOf(DirectBuffer buffer, int offset, int length, int shards) {
        if (shards == 1) {
            return 0;
        }
        int from = offset;
        int to = offset + length;
        final int open = indexOf('{', buffer, offset, to);
        if (open < to) {
            final int close = indexOf('}', buffer, open + 1, to);
            if (close < to && close > open + 1) {
                from = open + 1;
                to = close;
            }
        }
        return slot(buffer, from, to) % shards;
    }

    private static int indexOf(char wanted, DirectBuffer buffer, int from, int to) {
        int index = from;
        while (index < to && buffer.getByte(index) != wanted) {
            index++;
        }
        return index;
    }

    /** CRC16 (XMODEM) modulo 16384. */
    static int slot(DirectBuffer buffer, int from, int to) {
        int crc = 0;
        for (int i = from; i < to; i++) {
            crc = (crc << 8 ^ TABLE[(crc >>> 8 ^ buffer.getByte(i)) & 0xFF]) & 0xFFFF;
        }
        return crc & 0x3FFF;
    }
}
