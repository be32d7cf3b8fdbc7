package io.verbena.kv.store;

import io.verbena.kv.protocol.ReadIndexDescriptor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The strings of a shard that clients may read by one-sided READs, in a region of {@link ReadIndexDescriptor}.
 *
 * <pre>
 *   a string changes      ─▶ its slot, or a free one of its set, is invalid at once, and is noted
 *   a key goes            ─▶ its slot is free at once
 *   the request is over   ─▶ what was noted is published, if it is still a string that fits and does not expire
 *   GET of one without    ─▶ it takes a slot of its set, if need be another key's
 * </pre>
 *
 * <p>All that a request changes is invalid before any of it is published, and it is published before the request is
 * answered. So who has seen one effect of a request, or its reply, sees none of the state before.
 *
 * <p>Single-threaded, as the shard that owns it; remote readers copy at any time and judge by themselves what they got.
 */
final class ReadIndex {
    private static final int WAYS = ReadIndexDescriptor.WAYS;

    private final Memory memory;
    private final Dictionary keys;
    private final UnsafeBuffer region;
    private final int slotLength;
    private final int setsBits;
    /** The entry that a slot belongs to, {@link Memory#NULL} for none. */
    private final long[] owners;
    /** The database of that entry. */
    private final short[] databases;
    /** Whether a slot is among {@link #changed}. */
    private final boolean[] listed;

    private final int[] changed;
    private int changedCount;
    private int owned;
    private int nextVictim;
    private long version = ReadIndexDescriptor.FREE;
    private final UnsafeBuffer number = new UnsafeBuffer(new byte[20]);
    private boolean closed;

    /**
     * Makes an empty index.
     *
     * @param keys the dictionary of all databases' keys
     * @param region which nobody else writes; it is cleared
     * @param slotLength in bytes, a power of two
     */
    ReadIndex(Memory memory, Dictionary keys, UnsafeBuffer region, int slotLength) {
        this.memory = memory;
        this.keys = keys;
        this.region = region;
        this.slotLength = slotLength;
        this.setsBits = ReadIndexDescriptor.setsBits(region.capacity(), slotLength);
        int slots = WAYS << setsBits;
        this.owners = new long[slots];
        this.databases = new short[slots];
        this.listed = new boolean[slots];
        this.changed = new int[slots];
        region.setMemory(0, region.capacity(), (byte) 0);
        ReadIndexDescriptor.putHeader(region, setsBits, slotLength);
    }

    /** Number of keys that have a slot. */
    int size() {
        return owned;
    }

    /** A key was added, or its value, type or expiry is about to change or has changed within this request. */
    void changed(int database, long entry) {
        if (closed) {
            return;
        }
        int slot = slotOf(entry);
        if (slot >= 0) {
            invalidate(slot);
        } else if (mayBePublished(entry)) {
            int free = find(firstOf(database, entry), Memory.NULL);
            if (free >= 0) {
                give(free, database, entry);
            }
        }
    }

    /** A client asked for a key in the ordinary way: if it can be published and is not, it gets a slot. */
    void wanted(int database, long entry) {
        if (closed || slotOf(entry) >= 0 || !isPublishable(entry)) {
            return;
        }
        int first = firstOf(database, entry);
        int slot = find(first, Memory.NULL);
        for (int i = 0; slot < 0 && i < WAYS; i++) {
            int victim = first + (nextVictim++ & WAYS - 1);
            if (!listed[victim]) {
                take(victim);
                slot = victim;
            }
        }
        if (slot >= 0) {
            give(slot, database, entry);
        }
    }

    /** A key goes. */
    void removed(long entry) {
        int slot = slotOf(entry);
        if (slot >= 0 && !closed) {
            take(slot);
        }
    }

    /** All keys of all databases go. */
    void cleared() {
        for (int slot = 0; owned > 0 && !closed && slot < owners.length; slot++) {
            if (owners[slot] != Memory.NULL) {
                owners[slot] = Memory.NULL;
                owned--;
                free(slot);
            }
        }
    }

    /** All keys of a database go. */
    void cleared(int database) {
        if (closed) {
            return;
        }
        for (int slot = 0; owned > 0 && slot < owners.length; slot++) {
            if (owners[slot] != Memory.NULL && databases[slot] == (short) database) {
                owners[slot] = Memory.NULL;
                owned--;
                free(slot);
            }
        }
    }

    /** The request is over: publishes what it has changed. */
    void publish() {
        for (int i = 0; i < changedCount; i++) {
            int slot = changed[i];
            listed[slot] = false;
            long entry = owners[slot];
            if (entry == Memory.NULL) {
                continue;
            }
            if (isPublishable(entry)) {
                put(slot, entry);
            } else {
                take(slot);
            }
        }
        changedCount = 0;
    }

    /** Nothing is written to the region any more. */
    void close() {
        closed = true;
        changedCount = 0;
    }

    private int slotOf(long entry) {
        return memory.getInt(entry + Keyspace.SLOT) - 1;
    }

    /** The first slot of a key's set. */
    private int firstOf(int database, long entry) {
        long key = keys.keyAddress(entry);
        return WAYS
                * ReadIndexDescriptor.setOf(
                        database, memory.buffer(key), Memory.offset(key), keys.keyLength(entry), setsBits);
    }

    /** The slot of a set that belongs to an entry; negative if there is none. */
    private int find(int first, long entry) {
        for (int slot = first; slot < first + WAYS; slot++) {
            if (owners[slot] == entry) {
                return slot;
            }
        }
        return -1;
    }

    private void give(int slot, int database, long entry) {
        owners[slot] = entry;
        databases[slot] = (short) database;
        owned++;
        memory.putInt(entry + Keyspace.SLOT, slot + 1);
        invalidate(slot);
    }

    /** Takes a slot from its owner. */
    private void take(int slot) {
        memory.putInt(owners[slot] + Keyspace.SLOT, 0);
        owners[slot] = Memory.NULL;
        owned--;
        free(slot);
    }

    private void free(int slot) {
        region.putLongRelease(offset(slot), ReadIndexDescriptor.FREE);
    }

    private void invalidate(int slot) {
        if (!listed[slot]) {
            listed[slot] = true;
            changed[changedCount++] = slot;
            region.putLongRelease(offset(slot), version | 1);
        }
    }

    private boolean mayBePublished(long entry) {
        return memory.getByte(entry + Keyspace.TYPE) == ValueType.STRING
                && memory.getByte(entry + Keyspace.ENCODING) != ValueType.REMOTE
                && memory.getInt(entry + Keyspace.EXPIRY) == 0;
    }

    private boolean isPublishable(long entry) {
        if (!mayBePublished(entry)) {
            return false;
        }
        long value = memory.getLong(entry + Dictionary.VALUE);
        boolean isNumber = memory.getByte(entry + Keyspace.ENCODING) == ValueType.INT;
        int length = isNumber ? number.putLongAscii(0, value) : memory.getInt(value);
        return ReadIndexDescriptor.fits(keys.keyLength(entry), length, slotLength);
    }

    private void put(int slot, long entry) {
        long key = keys.keyAddress(entry);
        long value = memory.getLong(entry + Dictionary.VALUE);
        UnsafeBuffer bytes;
        int from;
        int length;
        if (memory.getByte(entry + Keyspace.ENCODING) == ValueType.INT) {
            bytes = number;
            from = 0;
            length = number.putLongAscii(0, value);
        } else {
            bytes = memory.buffer(value);
            from = Memory.offset(value) + StringBlock.BYTES;
            length = memory.getInt(value);
        }
        version += 2;
        int at = offset(slot);
        ReadIndexDescriptor.putEntry(
                region,
                at,
                version,
                databases[slot] & 0xffff,
                memory.buffer(key),
                Memory.offset(key),
                keys.keyLength(entry),
                bytes,
                from,
                length);
        region.putLongRelease(at, version);
    }

    private int offset(int slot) {
        return (int) ReadIndexDescriptor.slotOffset(slot, slotLength);
    }
}
