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
    Dictionary(final Memory memory, final Allocator allocator, final SipHash sipHash, final int valueLength) {
        this.memory = memory;
        this.allocator = allocator;
        this.tables = new BucketTable(memory, allocator);
        this.walk = new DictionaryWalk(memory, tables);
        this.sipHash = sipHash;
        this.keyOffset = VALUE + valueLength;
    }

    /** Makes an empty table and returns its address. */
    long create() {
        final long header = allocator.allocate(HEADER_LENGTH);
        memory.clear(header, HEADER_LENGTH);
        memory.putInt(header + MOVING, -1);
        return header;
    }

    /** Makes an empty table with room for a number of entries, so that filling it need not grow it. */
    long create(final int entries) {
        final long header = create();
        try {
            openTable(header, 0, bitsFor(entries));
        } catch (final AllocationFailedException failure) {
            allocator.free(header);
            throw failure;
        }
        return header;
    }

    /** Number of entries. */
    int size(final long header) {
        return memory.getInt(header + COUNT) + memory.getInt(header + COUNT + Integer.BYTES);
    }

    /** The hash by which entries are found. */
    int hash(final UnsafeBuffer buffer, final int offset, final int length) {
        return (int) sipHash.hash(buffer, offset, length);
    }

    /** Finds an entry; {@link Memory#NULL} if there is none. */
    long find(final long header, final UnsafeBuffer key, final int offset, final int length, final int hash) {
        final int moving = memory.getInt(header + MOVING);
        if (moving >= 0) {
            rehashStep(header);
        }
        long table = table(header, 0);
        if (table == Memory.NULL) {
            return Memory.NULL;
        }
        final int bits = bits(header, 0);
        long found = findIn(table, bits, key, offset, length, hash);
        if (found == Memory.NULL && memory.getInt(header + MOVING) >= 0) {
            table = table(header, 1);
            found = findIn(table, bits(header, 1), key, offset, length, hash);
        }
        return found;
    }

    private long findIn(
            final long table,
            final int bits,
            final UnsafeBuffer key,
            final int offset,
            final int length,
            final int hash) {
        final long bucket = tables.bucket(table, bits, hash & mask(bits));
        if (bucket == Memory.NULL) {
            return Memory.NULL;
        }
        long entry = memory.getLong(bucket);
        while (entry != Memory.NULL) {
            final UnsafeBuffer buffer = memory.buffer(entry);
            final int at = Memory.offset(entry);
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
    long insert(final long header, final UnsafeBuffer key, final int offset, final int length, final int hash) {
        growIfFull(header);
        final long entry = allocator.allocate(keyOffset + length);
        final int which = memory.getInt(header + MOVING) >= 0 ? 1 : 0;
        final int bits = bits(header, which);
        final long bucket;
        try {
            bucket = tables.openBucket(table(header, which), bits, hash & mask(bits));
        } catch (final AllocationFailedException e) {
            allocator.free(entry);
            throw e;
        }
        final UnsafeBuffer buffer = memory.buffer(entry);
        final int at = Memory.offset(entry);
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
    void unlink(final long header, final long entry) {
        final int hash = memory.getInt(entry + HASH);
        if (!unlinkFrom(header, 0, entry, hash) && !unlinkFrom(header, 1, entry, hash)) {
            throw new IllegalStateException("entry " + Long.toHexString(entry) + " is not in its table");
        }
        shrinkIfSparse(header);
    }

    private boolean unlinkFrom(final long header, final int which, final long entry, final int hash) {
        final long table = table(header, which);
        if (table == Memory.NULL) {
            return false;
        }
        final int bits = bits(header, which);
        long link = tables.bucket(table, bits, hash & mask(bits));
        while (link != Memory.NULL) {
            final long current = memory.getLong(link);
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

    void freeEntry(final long entry) {
        allocator.free(entry);
    }

    long value(final long entry) {
        return memory.getLong(entry + VALUE);
    }

    void value(final long entry, final long value) {
        memory.putLong(entry + VALUE, value);
    }

    long keyAddress(final long entry) {
        return entry + keyOffset;
    }

    int keyLength(final long entry) {
        return memory.getInt(entry + KEY_LENGTH);
    }

    int keyHash(final long entry) {
        return memory.getInt(entry + HASH);
    }

    /** Bytes that the block of an entry takes. */
    int entryFootprint(final long entry) {
        return allocator.usable(entry);
    }

    /** Bytes that the header and the tables take, without the entries. */
    long tableFootprint(final long header) {
        long bytes = allocator.usable(header);
        for (int which = 0; which < 2; which++) {
            final long table = table(header, which);
            final int bits = bits(header, which);
            if (table != Memory.NULL) {
                bytes += tables.footprint(table, bits);
            }
        }
        return bytes;
    }

    /** Number of buckets of both tables, for walks with {@link #bucketHead}. */
    int buckets(final long header) {
        return tableBuckets(header, 0) + tableBuckets(header, 1);
    }

    private int tableBuckets(final long header, final int which) {
        return table(header, which) == Memory.NULL ? 0 : 1 << bits(header, which);
    }

    /** First entry of a bucket, counted through both tables; {@link Memory#NULL} if it is empty. */
    long bucketHead(final long header, final int index) {
        final int first = tableBuckets(header, 0);
        final int which = index < first ? 0 : 1;
        final long table = table(header, which);
        final long bucket = tables.bucket(table, bits(header, which), which == 0 ? index : index - first);
        return bucket == Memory.NULL ? Memory.NULL : memory.getLong(bucket);
    }

    /** Next entry of the same bucket; {@link Memory#NULL} at its end. */
    long next(final long entry) {
        return memory.getLong(entry + NEXT);
    }

    /**
     * Collects all entries of some buckets.
     *
     * @param cursor 0 to start, else what the last call returned
     * @param entries receives the entries
     * @return the next cursor, 0 at the end
     */
    long scan(final long header, final long cursor, final LongList entries) {
        final long table0 = table(header, 0);
        if (table0 == Memory.NULL) {
            return 0;
        }
        if (memory.getInt(header + MOVING) < 0) {
            return walk.one(table0, bits(header, 0), cursor, entries);
        }
        return walk.two(table0, bits(header, 0), table(header, 1), bits(header, 1), cursor, entries);
    }

    /** A random entry, each as likely as any other; {@link Memory#NULL} if there is none. */
    long random(final long header, final SplittableRandom random) {
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
    void destroy(final long header) {
        closeTable(header, 0);
        closeTable(header, 1);
        allocator.free(header);
    }

    /** True while entries are on their way to a table of another size. */
    boolean isRehashing(final long header) {
        return memory.getInt(header + MOVING) >= 0;
    }

    /** Moves a bucket to the new table, or passes a few empty ones; returns false if there is nothing to move. */
    boolean rehashStep(final long header) {
        final int from = memory.getInt(header + MOVING);
        if (from < 0) {
            return false;
        }
        final long table = table(header, 0);
        final int bits = bits(header, 0);
        final int buckets = 1 << bits;
        int index = from;
        final int bound = Math.min(buckets, index + EMPTY_BUCKETS_PER_STEP);
        while (index < bound) {
            final long bucket = tables.bucket(table, bits, index);
            if (bucket == Memory.NULL) {
                // A whole segment that never had an entry.
                index = BucketTable.nextSegment(index);
                break;
            }
            final long head = memory.getLong(bucket);
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

    private boolean moveBucket(final long header, final long bucket, final long head) {
        final long target = table(header, 1);
        final int bits = bits(header, 1);
        long entry = head;
        int moved = 0;
        boolean complete = true;
        while (entry != Memory.NULL) {
            final long next = memory.getLong(entry + NEXT);
            final long to;
            try {
                to = tables.openBucket(target, bits, memory.getInt(entry + HASH) & mask(bits));
            } catch (final AllocationFailedException e) {
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

    private void finishRehash(final long header) {
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

    private void growIfFull(final long header) {
        if (memory.getInt(header + MOVING) >= 0) {
            return;
        }
        if (table(header, 0) == Memory.NULL) {
            openTable(header, 0, INITIAL_BITS);
            return;
        }
        final int bits = bits(header, 0);
        final int size = memory.getInt(header + COUNT);
        if (size >= 1 << bits && bits < MAX_BITS) {
            startRehash(header, bits + 1);
        }
    }

    private void shrinkIfSparse(final long header) {
        if (memory.getInt(header + MOVING) >= 0) {
            return;
        }
        final int bits = bits(header, 0);
        final int size = memory.getInt(header + COUNT);
        if (bits > INITIAL_BITS && size < (1 << bits) / MIN_FILL_DIVISOR) {
            startRehash(header, bitsFor(size));
        }
    }

    private static int bitsFor(final int entries) {
        return Math.min(
                MAX_BITS,
                Math.max(INITIAL_BITS, Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(0, entries - 1))));
    }

    private void startRehash(final long header, final int bits) {
        try {
            openTable(header, 1, bits);
        } catch (final AllocationFailedException e) {
            // Longer chains until there is memory again.
            return;
        }
        memory.putInt(header + MOVING, 0);
    }

    private void openTable(final long header, final int which, final int bits) {
        memory.putLong(header + TABLE + ((long) which << 3), tables.open(bits));
        memory.putInt(header + BITS + ((long) which << 2), bits);
    }

    private void closeTable(final long header, final int which) {
        if (table(header, which) != Memory.NULL) {
            tables.close(table(header, which), bits(header, which));
            memory.putLong(header + TABLE + ((long) which << 3), Memory.NULL);
        }
    }

    private long table(final long header, final int which) {
        return memory.getLong(header + TABLE + ((long) which << 3));
    }

    private int bits(final long header, final int which) {
        return memory.getInt(header + BITS + ((long) which << 2));
    }

    private void addCount(final long header, final int which, final int difference) {
        final long at = header + COUNT + ((long) which << 2);
        memory.putInt(at, memory.getInt(at) + difference);
    }

    static int mask(final int bits) {
        return (1 << bits) - 1;
    }
}
