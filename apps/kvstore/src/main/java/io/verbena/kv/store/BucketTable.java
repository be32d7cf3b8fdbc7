package io.verbena.kv.store;

/**
 * Arrays of buckets for {@link Dictionary}, each bucket the address of its first entry. Up to 4 096 buckets are one
 * block; more are a directory of segments of 4 096, each allocated when its first entry comes, so that no operation
 * clears more than 32 KiB.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class BucketTable {
    private static final int SEGMENT_BITS = 12;
    private static final int SEGMENT_MASK = (1 << SEGMENT_BITS) - 1;
    private static final int SEGMENT_LENGTH = Long.BYTES << SEGMENT_BITS;

    private final Memory memory;
    private final Allocator allocator;

    BucketTable(Memory memory, Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    /** Makes an empty table of 2^bits buckets. */
    long open(int bits) {
        return allocator.allocateZeroed(
                bits <= SEGMENT_BITS ? Long.BYTES << bits : Long.BYTES << (bits - SEGMENT_BITS));
    }

    void close(long table, int bits) {
        for (int i = 0; i < segments(bits); i++) {
            allocator.free(memory.getLong(slot(table, i)));
        }
        allocator.free(table);
    }

    private static int segments(int bits) {
        return bits <= SEGMENT_BITS ? 0 : 1 << (bits - SEGMENT_BITS);
    }

    private static long slot(long table, int segment) {
        return table + ((long) segment << 3);
    }

    /** Address of a bucket, or {@link Memory#NULL} if its whole segment is empty. */
    long bucket(long table, int bits, int index) {
        if (bits <= SEGMENT_BITS) {
            return slot(table, index);
        }
        long segment = memory.getLong(slot(table, index >>> SEGMENT_BITS));
        return segment == Memory.NULL ? Memory.NULL : slot(segment, index & SEGMENT_MASK);
    }

    /** Address of a bucket, whose segment is allocated if need be. */
    long openBucket(long table, int bits, int index) {
        if (bits > SEGMENT_BITS) {
            long slot = slot(table, index >>> SEGMENT_BITS);
            if (memory.getLong(slot) == Memory.NULL) {
                memory.putLong(slot, allocator.allocateZeroed(SEGMENT_LENGTH));
            }
        }
        return bucket(table, bits, index);
    }

    /** First bucket of the segment after that of a bucket. */
    static int nextSegment(int index) {
        return (index | SEGMENT_MASK) + 1;
    }

    /** Frees the segments that lie wholly before a bucket and not before another. */
    void closeSegments(long table, int bits, int from, int to) {
        if (bits <= SEGMENT_BITS) {
            return;
        }
        for (int segment = from >>> SEGMENT_BITS; segment < to >>> SEGMENT_BITS; segment++) {
            allocator.free(memory.getLong(slot(table, segment)));
            memory.putLong(slot(table, segment), Memory.NULL);
        }
    }

    /** Bytes that a table takes. */
    long footprint(long table, int bits) {
        long bytes = allocator.usable(table);
        for (int i = 0; i < segments(bits); i++) {
            bytes += memory.getLong(slot(table, i)) == Memory.NULL ? 0 : SEGMENT_LENGTH;
        }
        return bytes;
    }
}
