package io.verbena.kv;

import org.agrona.DirectBuffer;

/**
 * Which shard a key belongs to: Redis Cluster's CRC16 of the key, or of what stands between the first braces in it, so
 * that a client can put keys on one shard by giving them the same tag. Static; thread-safe.
 */
public final class KeyHash {
    /** Hash slots, as in Redis Cluster. */
    public static final int SLOTS = 16384;

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

    /**
     * The shard of a key.
     *
     * @param buffer that holds the key
     * @param offset of its first byte
     * @param length in bytes
     * @param shards number of shards, at least 1
     * @return 0 to {@code shards - 1}
     */
    public static int shardOf(DirectBuffer buffer, int offset, int length, int shards) {
        return shards == 1 ? 0 : slotOf(buffer, offset, length) % shards;
    }

    /** The hash slot of a key, 0 to {@link #SLOTS} - 1. */
    public static int slotOf(DirectBuffer buffer, int offset, int length) {
        int from = offset;
        int to = offset + length;
        int open = indexOf('{', buffer, offset, to);
        if (open < to) {
            int close = indexOf('}', buffer, open + 1, to);
            if (close < to && close > open + 1) {
                from = open + 1;
                to = close;
            }
        }
        int crc = 0;
        for (int i = from; i < to; i++) {
            crc = (crc << 8 ^ TABLE[(crc >>> 8 ^ buffer.getByte(i)) & 0xFF]) & 0xFFFF;
        }
        return crc & (SLOTS - 1);
    }

    private static int indexOf(char wanted, DirectBuffer buffer, int from, int to) {
        int index = from;
        while (index < to && buffer.getByte(index) != wanted) {
            index++;
        }
        return index;
    }
}
