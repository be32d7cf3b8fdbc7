package io.verbena.nic.sim;

import org.agrona.collections.Long2LongHashMap;

/** A set of keys of which the least recently used leaves when it is full: which of a NIC's caches holds what. */
final class LruCache {
    private static final int NONE = -1;

    private final Long2LongHashMap slots = new Long2LongHashMap(NONE);
    private final long[] keys;
    private final int[] newer;
    private final int[] older;
    private int newest = NONE;
    private int oldest = NONE;
    private int size;
    private long hits;
    private long misses;

    /** Creates an empty cache for so many keys, at least 1. */
    LruCache(int capacity) {
        keys = new long[capacity];
        newer = new int[capacity];
        older = new int[capacity];
    }

    /** Uses a key, and takes it in if it is not there. Says whether it was there. */
    boolean use(long key) {
        int slot = (int) slots.get(key);
        if (slot != NONE) {
            hits++;
            if (slot != newest) {
                unlink(slot);
                link(slot);
            }
            return true;
        }
        misses++;
        if (size < keys.length) {
            slot = size++;
        } else {
            slot = oldest;
            unlink(slot);
            slots.remove(keys[slot]);
        }
        keys[slot] = key;
        slots.put(key, slot);
        link(slot);
        return false;
    }

    long hits() {
        return hits;
    }

    long misses() {
        return misses;
    }

    private void link(int slot) {
        older[slot] = newest;
        newer[slot] = NONE;
        if (newest != NONE) {
            newer[newest] = slot;
        }
        newest = slot;
        if (oldest == NONE) {
            oldest = slot;
        }
    }

    private void unlink(int slot) {
        int before = older[slot];
        int after = newer[slot];
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
