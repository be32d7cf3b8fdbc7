package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Hash tables in off-heap memory: one for the keys of each database, one for the members of each hash, set and sorted
 * set that is not small. This object knows how to work on any of them; a table is the address of its header.
 *
 * <pre>
 *   header                          entry
 *    0 buckets of table 0 (8)        0 next in bucket (8)
 *    8 buckets of table 1 (8)        8 hash (4)
 *   16 entries in table 0 (4)       12 length of key (4)
 *   20 entries in table 1 (4)       16 value, of a length that the dictionary fixes
 *   24 log2 of buckets 0 (4)         . key
 *   28 log2 of buckets 1 (4)
 *   32 next bucket to move (4), -1 if there is one table
 * </pre>
 *
 * <p>Growing and shrinking go on bucket by bucket: each operation that searches moves one
 * bucket from table 0 to table 1. Entries never move, their addresses are good until they are freed.
 *
 * <p>{@link #scan} has the guarantees of Redis' SCAN by the same means: the cursor counts in reversed bits, so that
 * buckets that were visited stay visited when the table grows or shrinks.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Dictionary {
    /** Offset of the value in an entry. */
    static final int VALUE = 16;

    private static final int TABLE = 0;
    private static final int COUNT = 16;
    private static final int BITS = 24;
    private static final int MOVING = 32;
    private static final int HEADER_LENGTH = 40;

    static final int NEXT = 0;
    private static final int HASH = 8;
    private static final int KEY_LENGTH = 12;

    private static final int INITIAL_BITS = 2;
    private static final int MAX_BITS = 30;
    private static final int EMPTY_BUCKETS_PER_STEP = 16;
    /** A table shrinks when fewer than a tenth of its buckets have an entry each. */
    private static final int MIN_FILL_DIVISOR = 10;

    private final Memory memory;
    private final Allocator allocator;
    private final BucketTable tables;
    private final DictionaryWalk walk;
    private final SipHash sipHash;
    private final int keyOffset;

    /**
     * @param valueLength bytes of an entry's value, zeroed when the entry is inserted; a multiple of 8
     */
    Dictionary(Memory memory, Allocator allocator, SipHash sipHash, int valueLength) {
        this.memory = memory;
        this.allocator = allocator;
        this.tables = new BucketTable(memory, allocator);
        this.walk = new DictionaryWalk(memory, tables);
        this.sipHash = sipHash;
        this.keyOffset = VALUE + valueLength;
    }

    /** Makes an empty table and returns its address. */
    long create() {
        long header = allocator.allocate(HEADER_LENGTH);
        memory.clear(header, HEADER_LENGTH);
        memory.putInt(header + MOVING, -1);
        return header;
    }

    /** Makes an empty table with room for a number of entries, so that filling it need not grow it. */
    long create(int entries) {
        long header = create();
        try {
            openTable(header, 0, bitsFor(entries));
        } catch (AllocationFailedException failure) {
            allocator.free(header);
            throw failure;
        }
        return header;
    }

    /** Number of entries. */
    int size(long header) {
        return memory.getInt(header + COUNT) + memory.getInt(header + COUNT + Integer.BYTES);
    }

    /** The hash by which entries are found. */
    int hash(UnsafeBuffer buffer, int offset, int length) {
        return (int) sipHash.hash(buffer, offset, length);
    }

    /** Finds an entry; {@link Memory#NULL} if there is none. */
    long find(long header, UnsafeBuffer key, int offset, int length, int hash) {
        int moving = memory.getInt(header + MOVING);
        if (moving >= 0) {
            rehashStep(header);
        }
        long table = table(header, 0);
        if (table == Memory.NULL) {
            return Memory.NULL;
        }
        int bits = bits(header, 0);
        long found = findIn(table, bits, key, offset, length, hash);
        if (found == Memory.NULL && memory.getInt(header + MOVING) >= 0) {
            table = table(header, 1);
            found = findIn(table, bits(header, 1), key, offset, length, hash);
        }
        return found;
    }

    private long findIn(long table, int bits, UnsafeBuffer key, int offset, int length, int hash) {
        long bucket = tables.bucket(table, bits, hash & mask(bits));
        if (bucket == Memory.NULL) {
            return Memory.NULL;
        }
        long entry = memory.getLong(bucket);
        while (entry != Memory.NULL) {
            UnsafeBuffer buffer = memory.buffer(entry);
            int at = Memory.offset(entry);
            if (buffer.getInt(at + HASH) == hash
                    && buffer.getInt(at + KEY_LENGTH) == length
                    && Bytes.equal(buffer, at + keyOffset, key, offset, length)) {
                return entry;
            }
            entry = buffer.getLong(at + NEXT);
        }
        return Memory.NULL;
    }

    /** Adds an entry for a key that is not there, with a value of zeros; returns it. */
    long insert(long header, UnsafeBuffer key, int offset, int length, int hash) {
        growIfFull(header);
        long entry = allocator.allocate(keyOffset + length);
        int which = memory.getInt(header + MOVING) >= 0 ? 1 : 0;
        int bits = bits(header, which);
        long bucket;
        try {
            bucket = tables.openBucket(table(header, which), bits, hash & mask(bits));
        } catch (AllocationFailedException e) {
            allocator.free(entry);
            throw e;
        }
        UnsafeBuffer buffer = memory.buffer(entry);
        int at = Memory.offset(entry);
        buffer.putLong(at + NEXT, memory.getLong(bucket));
        buffer.putInt(at + HASH, hash);
        buffer.putInt(at + KEY_LENGTH, length);
        for (int i = VALUE; i < keyOffset; i += Long.BYTES) {
            buffer.putLong(at + i, 0L);
        }
        buffer.putBytes(at + keyOffset, key, offset, length);
        memory.putLong(bucket, entry);
        addCount(header, which, 1);
        return entry;
    }

    /** Takes an entry out of its table without freeing it; {@link #freeEntry} does that. */
    void unlink(long header, long entry) {
        int hash = memory.getInt(entry + HASH);
        if (!unlinkFrom(header, 0, entry, hash) && !unlinkFrom(header, 1, entry, hash)) {
            throw new IllegalStateException("entry " + Long.toHexString(entry) + " is not in its table");
        }
        shrinkIfSparse(header);
    }

    private boolean unlinkFrom(long header, int which, long entry, int hash) {
        long table = table(header, which);
        if (table == Memory.NULL) {
            return false;
        }
        int bits = bits(header, which);
        long link = tables.bucket(table, bits, hash & mask(bits));
        while (link != Memory.NULL) {
            long current = memory.getLong(link);
            if (current == entry) {
                memory.putLong(link, memory.getLong(entry + NEXT));
                addCount(header, which, -1);
                return true;
            }
            // NEXT is at offset 0 of an entry, so that an entry's address is the address of its link.
            link = current;
        }
        return false;
    }

    void freeEntry(long entry) {
        allocator.free(entry);
    }

    long value(long entry) {
        return memory.getLong(entry + VALUE);
    }

    void value(long entry, long value) {
        memory.putLong(entry + VALUE, value);
    }

    long keyAddress(long entry) {
        return entry + keyOffset;
    }

    int keyLength(long entry) {
        return memory.getInt(entry + KEY_LENGTH);
    }

    int keyHash(long entry) {
        return memory.getInt(entry + HASH);
    }

    /** Bytes that the block of an entry takes. */
    int entryFootprint(long entry) {
        return allocator.usable(entry);
    }

    /** Bytes that the header and the tables take, without the entries. */
    long tableFootprint(long header) {
        long bytes = allocator.usable(header);
        for (int which = 0; which < 2; which++) {
            long table = table(header, which);
            int bits = bits(header, which);
            if (table != Memory.NULL) {
                bytes += tables.footprint(table, bits);
            }
        }
        return bytes;
    }

    /** Number of buckets of both tables, for walks with {@link #bucketHead}. */
    int buckets(long header) {
        return tableBuckets(header, 0) + tableBuckets(header, 1);
    }

    private int tableBuckets(long header, int which) {
        return table(header, which) == Memory.NULL ? 0 : 1 << bits(header, which);
    }

    /** First entry of a bucket, counted through both tables; {@link Memory#NULL} if it is empty. */
    long bucketHead(long header, int index) {
        int first = tableBuckets(header, 0);
        int which = index < first ? 0 : 1;
        long table = table(header, which);
        long bucket = tables.bucket(table, bits(header, which), which == 0 ? index : index - first);
        return bucket == Memory.NULL ? Memory.NULL : memory.getLong(bucket);
    }

    /** Next entry of the same bucket; {@link Memory#NULL} at its end. */
    long next(long entry) {
        return memory.getLong(entry + NEXT);
    }

    /**
     * Collects all entries of some buckets.
     *
     * @param cursor 0 to start, else what the last call returned
     * @param entries receives the entries
     * @return the next cursor, 0 at the end
     */
    long scan(long header, long cursor, LongList entries) {
        long table0 = table(header, 0);
        if (table0 == Memory.NULL) {
            return 0;
        }
        if (memory.getInt(header + MOVING) < 0) {
            return walk.one(table0, bits(header, 0), cursor, entries);
        }
        return walk.two(table0, bits(header, 0), table(header, 1), bits(header, 1), cursor, entries);
    }

    /** A random entry, each as likely as any other; {@link Memory#NULL} if there is none. */
    long random(long header, SplittableRandom random) {
        if (size(header) == 0) {
            return Memory.NULL;
        }
        if (memory.getInt(header + MOVING) >= 0) {
            rehashStep(header);
        }
        // Buckets of table 0 that have been moved are empty.
        return walk.random(this, header, Math.max(0, memory.getInt(header + MOVING)), random);
    }

    /** Frees the tables and the header. The entries must have been freed, or must live on elsewhere. */
    void destroy(long header) {
        closeTable(header, 0);
        closeTable(header, 1);
        allocator.free(header);
    }

    /** True while entries are on their way to a table of another size. */
    boolean isRehashing(long header) {
        return memory.getInt(header + MOVING) >= 0;
    }

    /** Moves a bucket to the new table, or passes a few empty ones; returns false if there is nothing to move. */
    boolean rehashStep(long header) {
        int from = memory.getInt(header + MOVING);
        if (from < 0) {
            return false;
        }
        long table = table(header, 0);
        int bits = bits(header, 0);
        int buckets = 1 << bits;
        int index = from;
        int bound = Math.min(buckets, index + EMPTY_BUCKETS_PER_STEP);
        while (index < bound) {
            long bucket = tables.bucket(table, bits, index);
            if (bucket == Memory.NULL) {
                // A whole segment that never had an entry.
                index = BucketTable.nextSegment(index);
                break;
            }
            long head = memory.getLong(bucket);
            index++;
            if (head != Memory.NULL) {
                if (!moveBucket(header, bucket, head)) {
                    return false;
                }
                break;
            }
        }
        tables.closeSegments(table, bits, from, index);
        if (index < buckets) {
            memory.putInt(header + MOVING, index);
        } else {
            finishRehash(header);
        }
        return true;
    }

    private boolean moveBucket(long header, long bucket, long head) {
        long target = table(header, 1);
        int bits = bits(header, 1);
        long entry = head;
        int moved = 0;
        boolean complete = true;
        while (entry != Memory.NULL) {
            long next = memory.getLong(entry + NEXT);
            long to;
            try {
                to = tables.openBucket(target, bits, memory.getInt(entry + HASH) & mask(bits));
            } catch (AllocationFailedException e) {
                // The rest of the bucket stays where it is; a later step tries again.
                complete = false;
                break;
            }
            memory.putLong(entry + NEXT, memory.getLong(to));
            memory.putLong(to, entry);
            moved++;
            entry = next;
        }
        memory.putLong(bucket, entry);
        addCount(header, 0, -moved);
        addCount(header, 1, moved);
        return complete;
    }

    private void finishRehash(long header) {
        closeTable(header, 0);
        memory.putLong(header + TABLE, table(header, 1));
        memory.putInt(header + BITS, bits(header, 1));
        memory.putInt(header + COUNT, memory.getInt(header + COUNT + Integer.BYTES));
        memory.putLong(header + TABLE + Long.BYTES, Memory.NULL);
        memory.putInt(header + BITS + Integer.BYTES, 0);
        memory.putInt(header + COUNT + Integer.BYTES, 0);
        memory.putInt(header + MOVING, -1);
        // Entries may have gone meanwhile, the last of them too.
        shrinkIfSparse(header);
    }

    private void growIfFull(long header) {
        if (memory.getInt(header + MOVING) >= 0) {
            return;
        }
        if (table(header, 0) == Memory.NULL) {
            openTable(header, 0, INITIAL_BITS);
            return;
        }
        int bits = bits(header, 0);
        int size = memory.getInt(header + COUNT);
        if (size >= 1 << bits && bits < MAX_BITS) {
            startRehash(header, bits + 1);
        }
    }

    private void shrinkIfSparse(long header) {
        if (memory.getInt(header + MOVING) >= 0) {
            return;
        }
        int bits = bits(header, 0);
        int size = memory.getInt(header + COUNT);
        if (bits > INITIAL_BITS && size < (1 << bits) / MIN_FILL_DIVISOR) {
            startRehash(header, bitsFor(size));
        }
    }

    private static int bitsFor(int entries) {
        return Math.min(
                MAX_BITS,
                Math.max(INITIAL_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, entries - 1))));
    }

    private void startRehash(long header, int bits) {
        try {
            openTable(header, 1, bits);
        } catch (AllocationFailedException e) {
            // Longer chains until there is memory again.
            return;
        }
        memory.putInt(header + MOVING, 0);
    }

    private void openTable(long header, int which, int bits) {
        memory.putLong(header + TABLE + ((long) which << 3), tables.open(bits));
        memory.putInt(header + BITS + ((long) which << 2), bits);
    }

    private void closeTable(long header, int which) {
        if (table(header, which) != Memory.NULL) {
            tables.close(table(header, which), bits(header, which));
            memory.putLong(header + TABLE + ((long) which << 3), Memory.NULL);
        }
    }

    private long table(long header, int which) {
        return memory.getLong(header + TABLE + ((long) which << 3));
    }

    private int bits(long header, int which) {
        return memory.getInt(header + BITS + ((long) which << 2));
    }

    private void addCount(long header, int which, int difference) {
        long at = header + COUNT + ((long) which << 2);
        memory.putInt(at, memory.getInt(at) + difference);
    }

    static int mask(int bits) {
        return (1 << bits) - 1;
    }
}
