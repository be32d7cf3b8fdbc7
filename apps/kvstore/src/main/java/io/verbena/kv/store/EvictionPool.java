package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Approximated LRU: each eviction samples a few keys of every database and keeps the longest idle in a pool of 16, of
 * which the idlest goes. Over several rounds the pool comes close to the true order at the price of the samples.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class EvictionPool {
    private static final int SIZE = 16;
    private static final int ROUNDS = 4;

    private final int samples;
    private final SplittableRandom random;
    // Sorted by idle time, the idlest last.
    private final long[] entries = new long[SIZE];
    private final long[] idle = new long[SIZE];
    private final @Nullable Keyspace[] keyspaces = new Keyspace[SIZE];
    private int size;

    EvictionPool(int samples, SplittableRandom random) {
        this.samples = samples;
        this.random = random;
    }

    /** Removes the best candidate; returns false if no key may be removed. */
    boolean evict(Keyspace[] databases, boolean onlyExpiring, long now) {
        for (int round = 1; round <= ROUNDS; round++) {
            for (Keyspace database : databases) {
                sample(database, onlyExpiring, now);
            }
            // Candidates that were used since they were sampled lose their place, but in the last round any key will
            // do.
            if (evictIdlest(onlyExpiring, round == ROUNDS, now)) {
                return true;
            }
        }
        return false;
    }

    private boolean evictIdlest(boolean onlyExpiring, boolean evenUsed, long now) {
        while (size > 0) {
            int last = size - 1;
            long entry = entries[last];
            long sampledIdle = idle[last];
            Keyspace keyspace = keyspaces[last];
            remove(last);
            if (keyspace == null) {
                continue;
            }
            keyspace.markEvictionCandidate(entry, false);
            boolean used = keyspace.idleMillis(entry, now) < sampledIdle;
            if ((used && !evenUsed) || (onlyExpiring && keyspace.expiry(entry) == Keyspace.NO_EXPIRY)) {
                continue;
            }
            keyspace.delete(entry);
            return true;
        }
        return false;
    }

    private void sample(Keyspace keyspace, boolean onlyExpiring, long now) {
        if (onlyExpiring ? keyspace.expiringSize() == 0 : keyspace.size() == 0) {
            return;
        }
        for (int i = 0; i < samples; i++) {
            long entry = onlyExpiring ? keyspace.randomExpiring(random) : keyspace.random(random);
            if (!keyspace.isEvictionCandidate(entry)) {
                offer(keyspace, entry, keyspace.idleMillis(entry, now));
            }
        }
    }

    private void offer(Keyspace keyspace, long entry, long idleMillis) {
        if (size == SIZE) {
            if (idleMillis <= idle[0]) {
                return;
            }
            Keyspace loser = keyspaces[0];
            if (loser != null) {
                loser.markEvictionCandidate(entries[0], false);
            }
            remove(0);
        }
        int at = size;
        while (at > 0 && idle[at - 1] > idleMillis) {
            entries[at] = entries[at - 1];
            idle[at] = idle[at - 1];
            keyspaces[at] = keyspaces[at - 1];
            at--;
        }
        entries[at] = entry;
        idle[at] = idleMillis;
        keyspaces[at] = keyspace;
        size++;
        keyspace.markEvictionCandidate(entry, true);
    }

    private void remove(int index) {
        size--;
        for (int i = index; i < size; i++) {
            entries[i] = entries[i + 1];
            idle[i] = idle[i + 1];
            keyspaces[i] = keyspaces[i + 1];
        }
        keyspaces[size] = null;
    }

    /** The entry is about to be freed. */
    void forget(long entry) {
        for (int i = 0; i < size; i++) {
            if (entries[i] == entry) {
                remove(i);
                return;
            }
        }
    }

    /** All keys of a database are about to be freed. */
    void forget(Keyspace keyspace) {
        for (int i = size - 1; i >= 0; i--) {
            if (keyspaces[i] == keyspace) {
                remove(i);
            }
        }
    }

    /** All memory is gone. */
    void clear() {
        while (size > 0) {
            remove(size - 1);
        }
    }
}
