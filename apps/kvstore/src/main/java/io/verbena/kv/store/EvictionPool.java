package io.verbena.kv.store;

import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/**
 * Approximated LRU: each eviction samples a few keys of every database and keeps the longest idle in a pool of 16, of
 * which the idlest is chosen. Over several rounds the pool comes close to the true order at the price of the samples.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class EvictionPool {
    private static final int SIZE = 16;
    private static final int ROUNDS = 4;
    /** Keys that are looked at for each sample that is wanted. */
    private static final int LOOKS_PER_SAMPLE = 16;

    /** Which keys may be chosen. */
    @FunctionalInterface
    interface Choice {
        boolean allows(Keyspace keys, long entry);
    }

    /** Any key. */
    static final Choice ANY = (keys, entry) -> true;

    /** Keys that expire, from which samples are taken then. */
    static final Choice EXPIRING = (keys, entry) -> keys.expiry(entry) != Keyspace.NO_EXPIRY;

    private final int samples;
    private final SplittableRandom random;
    // Sorted by idle time, the idlest last.
    private final long[] entries = new long[SIZE];
    private final long[] idle = new long[SIZE];
    private final @Nullable Keyspace[] keyspaces = new Keyspace[SIZE];
    private int size;
    private long chosen = Memory.NULL;
    private @Nullable Keyspace chosenKeyspace;

    EvictionPool(int samples, SplittableRandom random) {
        this.samples = samples;
        this.random = random;
    }

    /** Chooses the best candidate, which leaves the pool; returns false if no key is allowed. */
    boolean choose(Keyspace[] databases, Choice choice, long now) {
        for (int round = 1; round <= ROUNDS; round++) {
            for (Keyspace database : databases) {
                sample(database, choice, now);
            }
            // Candidates that were used since they were sampled lose their place, but in the last round any key will
            // do.
            if (chooseIdlest(choice, round == ROUNDS, now)) {
                return true;
            }
        }
        return false;
    }

    /** The entry that was chosen last. */
    long chosen() {
        return chosen;
    }

    /** The database that it is in. */
    Keyspace chosenKeyspace() {
        Keyspace keys = chosenKeyspace;
        if (keys == null) {
            throw new IllegalStateException("no key was chosen");
        }
        return keys;
    }

    private boolean chooseIdlest(Choice choice, boolean evenUsed, long now) {
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
            if ((used && !evenUsed) || !choice.allows(keyspace, entry)) {
                continue;
            }
            chosen = entry;
            chosenKeyspace = keyspace;
            return true;
        }
        return false;
    }

    @SuppressWarnings("ReferenceEquality") // a choice is known by who made it
    private void sample(Keyspace keyspace, Choice choice, long now) {
        boolean onlyExpiring = choice == EXPIRING;
        if (onlyExpiring ? keyspace.expiringSize() == 0 : keyspace.size() == 0) {
            return;
        }
        int sampled = 0;
        for (int i = 0; i < LOOKS_PER_SAMPLE * samples && sampled < samples; i++) {
            long entry = onlyExpiring ? keyspace.randomExpiring(random) : keyspace.random(random);
            if (choice.allows(keyspace, entry)) {
                sampled++;
                if (!keyspace.isEvictionCandidate(entry)) {
                    offer(keyspace, entry, keyspace.idleMillis(entry, now));
                }
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
