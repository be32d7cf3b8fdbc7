package io.verbena.nic.sim;

import org.agrona.collections.Long2LongHashMap;

/** A set of keys of which one leaves when it is full, as the replacement says: which of a NIC's caches holds what. */
final class NicCache {
    private static final int NONE = -1;

    private final Long2LongHashMap slots = new Long2LongHashMap(NONE);
    private final Replacement replacement;
    private final SimRandom random;
    private final long[] keys;
    private final int[] newer;
    private final int[] older;
    private int newest = NONE;
    private int oldest = NONE;
    private int size;
    private long hits;
    private long misses;

    /** Creates an empty cache for this many keys, at least 1. */
    NicCache(int capacity, Replacement replacement) {
        this.replacement = replacement;
        random = new SimRandom(capacity);
        keys = new long[capacity];
        newer = new int[capacity];
        older = new int[capacity];
    }

    /** Uses a key, and takes it in if it is not there. Says whether it was there. */
    boolean use(long key) {
        if (touch(key)) {
            hits++;
            return true;
        }
        misses++;
        insert(key);
        return false;
    }

    /** Takes a key in, which is no lookup: it came by itself. */
    void put(long key) {
        if (!touch(key)) {
            insert(key);
        }
    }

    /** Uses a key for the last time: it is not there any more. Says whether it was. */
    boolean take(long key) {
        int slot = (int) slots.remove(key);
        if (slot == NONE) {
            misses++;
            return false;
        }
        hits++;
        unlink(slot);
        int last = --size;
        if (slot != last) {
            keys[slot] = keys[last];
            slots.put(keys[slot], slot);
            older[slot] = older[last];
            newer[slot] = newer[last];
            join(older[slot], slot);
            join(slot, newer[slot]);
        }
        return true;
    }

    private boolean touch(long key) {
        int slot = (int) slots.get(key);
        if (slot == NONE) {
            return false;
        }
        if (slot != newest && replacement == Replacement.LRU) {
            unlink(slot);
            link(slot);
        }
        return true;
    }

    private void insert(long key) {
        int slot;
        if (size < keys.length) {
            slot = size++;
        } else {
            slot = replacement == Replacement.RANDOM ? random.nextInt(size) : oldest;
            unlink(slot);
            slots.remove(keys[slot]);
        }
        keys[slot] = key;
        slots.put(key, slot);
        link(slot);
    }

    long hits() {
        return hits;
    }

    long misses() {
        return misses;
    }

    private void link(int slot) {
        join(newest, slot);
        join(slot, NONE);
    }

    private void unlink(int slot) {
        join(older[slot], newer[slot]);
    }

    /** Puts two slots beside each other in the order of age; none is the end of it. */
    private void join(int before, int after) {
        if (before != NONE) {
            newer[before] = after;
        } else {
            oldest = after;
        }
        if (after != NONE) {
            older[after] = before;
        } else {
            newest = before;
        }
    }
}
