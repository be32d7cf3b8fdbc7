package io.verbena.kv.store;

import static io.verbena.kv.store.Dictionary.NEXT;
import static io.verbena.kv.store.Dictionary.mask;

import java.util.SplittableRandom;

/**
 * Ways through the tables of a {@link Dictionary}. The steps of SCAN: the cursor counts in reversed bits, so that
 * buckets that were visited stay visited when the table grows or shrinks. Single-threaded, as the shard that owns it.
 */
final class DictionaryWalk {
    /** Chains up to this length are sampled without bias. */
    private static final int SAMPLED_CHAIN = 4;

    private final Memory memory;
    private final BucketTable tables;

    DictionaryWalk(Memory memory, BucketTable tables) {
        this.memory = memory;
        this.tables = tables;
    }

    /** Collects a bucket of the only table; returns the next cursor. */
    long one(long table, int bits, long cursor, LongList entries) {
        collect(table, bits, (int) cursor & mask(bits), entries);
        return nextCursor(cursor, mask(bits));
    }

    /** Collects a bucket of the smaller of two tables and those that it expands into; returns the next cursor. */
    long two(long table0, int bits0, long table1, int bits1, long cursor, LongList entries) {
        boolean growing = bits0 <= bits1;
        long small = growing ? table0 : table1;
        int smallBits = Math.min(bits0, bits1);
        long large = growing ? table1 : table0;
        int largeBits = Math.max(bits0, bits1);
        collect(small, smallBits, (int) cursor & mask(smallBits), entries);
        // The buckets of the larger table into which this one of the smaller expands.
        int onlyLarge = mask(smallBits) ^ mask(largeBits);
        long next = cursor;
        do {
            collect(large, largeBits, (int) next & mask(largeBits), entries);
            next = nextCursor(next, mask(largeBits));
        } while ((next & onlyLarge) != 0);
        return next;
    }

    /** Adds one to the masked bits of a cursor, counted from the highest bit down. */
    private static long nextCursor(long cursor, int mask) {
        return Long.reverse(Long.reverse(cursor | ~(long) mask) + 1);
    }

    private void collect(long table, int bits, int index, LongList entries) {
        long bucket = tables.bucket(table, bits, index);
        if (bucket != Memory.NULL) {
            for (long entry = memory.getLong(bucket); entry != Memory.NULL; entry = memory.getLong(entry + NEXT)) {
                entries.add(entry);
            }
        }
    }

    /** A random entry of a dictionary that has one, from a bucket on. */
    long random(Dictionary dictionary, long header, int first, SplittableRandom random) {
        int buckets = dictionary.buckets(header) - first;
        while (true) {
            long head = dictionary.bucketHead(header, first + random.nextInt(buckets));
            if (head == Memory.NULL) {
                continue;
            }
            int length = 1;
            for (long entry = dictionary.next(head); entry != Memory.NULL; entry = dictionary.next(entry)) {
                length++;
            }
            // Buckets are taken in proportion to their entries: a short chain is often refused.
            if (length < SAMPLED_CHAIN && random.nextInt(SAMPLED_CHAIN) >= length) {
                continue;
            }
            long entry = head;
            for (int steps = length == 1 ? 0 : random.nextInt(length); steps > 0; steps--) {
                entry = dictionary.next(entry);
            }
            return entry;
        }
    }
}
