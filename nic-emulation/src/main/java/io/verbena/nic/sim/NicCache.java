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

    /** Creates an empty cache for so many keys, at least 1. */
    NicCache(int capacity, Replacement replacement) {
        this.replacement = replacement;
        random = new SimRandom(capacity);
        keys = new long[capacity];
        newer = new int[capacity];
        older = new int[capacity];
    }

    /** Uses a key, and takes it in if it is not there. Says whether it was there. */
    boolean use(long key) {
        int slot = (int) slots.get(key);
        if (slot != NONE) {
            hits++;
            if (slot != newest && replacement == Replacement.LRU) {
                unlink(slot);
                link(slot);
            }
            return true;
        }
        misses++;
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
