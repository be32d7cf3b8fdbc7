package io.verbena.kv.store;

/**
 * HSET and HMSET of several fields: all are set or none. A packed hash is copied, and the copy takes the place of the
 * hash when all are in it. In a dictionary the values that were replaced are kept until then. Single-threaded, as the
 * shard that owns it.
 */
final class HashMultipleSet {
    private final Execution e;
    private final HashValue hashes;
    /** Entries that were set, each with the value that it had, or {@link Memory#NULL} if it is new. */
    private final LongList done = new LongList();

    HashMultipleSet(Execution execution) {
        e = execution;
        hashes = execution.values.hashes();
    }

    /**
     * Sets the fields and values that are arguments 1 and on, of the hash of a key; returns how many were not there.
     */
    int execute(long entry) {
        return e.keyspace.encoding(entry) == ValueType.LISTPACK ? setPacked(entry) : setInDictionary(entry);
    }

    private int setPacked(long entry) {
        long original = e.keyspace.value(entry);
        e.keyspace.value(entry, e.values.packedLists().copy(original));
        int created = 0;
        try {
            for (int i = 1; i < e.argc(); i += 2) {
                boolean found = find(entry, i);
                created += hashes.set(
                                e.keyspace,
                                entry,
                                found,
                                e.in,
                                e.at(i),
                                e.length(i),
                                e.in,
                                e.at(i + 1),
                                e.length(i + 1))
                        ? 1
                        : 0;
            }
        } catch (AllocationFailedException failure) {
            e.keyspace.releaseValue(entry);
            e.keyspace.value(entry, ValueType.LISTPACK, original);
            throw failure;
        }
        e.values.packedLists().free(original);
        return created;
    }

    private boolean find(long entry, int field) {
        return hashes.find(e.keyspace.encoding(entry), e.keyspace.value(entry), e.in, e.at(field), e.length(field));
    }

    private int setInDictionary(long entry) {
        long hash = e.keyspace.value(entry);
        int created = 0;
        boolean complete = false;
        try {
            for (int i = 1; i < e.argc(); i += 2) {
                done.prepareAdd(2);
                boolean found = find(entry, i);
                long before = hashes.exchange(found, e.in, e.at(i), e.length(i), e.in, e.at(i + 1), e.length(i + 1));
                done.add(hashes.dictionaryEntry());
                done.add(before);
                created += found ? 0 : 1;
            }
            complete = true;
        } finally {
            if (!complete) {
                undo(hash);
            }
        }
        for (int i = 1; i < done.size(); i += 2) {
            e.values.strings().free(done.get(i));
        }
        done.clear();
        return created;
    }

    /** The last first, for a field may be among them several times. */
    private void undo(long hash) {
        for (int i = done.size() - 2; i >= 0; i -= 2) {
            hashes.restore(hash, done.get(i), done.get(i + 1));
        }
        done.clear();
    }
}
