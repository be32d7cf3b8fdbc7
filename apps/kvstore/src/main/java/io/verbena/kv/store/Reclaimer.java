package io.verbena.kv.store;

/**
 * Frees large values and whole databases piece by piece, so that removing a million members does not stall the
 * operations behind it. What waits here still counts as used memory.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class Reclaimer {
    private static final int KEYSPACE = 0;
    private static final int VALUE_KINDS = 1;
    private static final int JOB_LENGTH = 3;

    private final Values values;
    private final Dictionary keys;
    /** Jobs of three longs: kind, address and how far it has come. The last one is worked on. */
    private final LongList jobs = new LongList();

    Reclaimer(Values values, Dictionary keys) {
        this.values = values;
        this.keys = keys;
    }

    /** Takes the dictionary of a database with all keys and values. */
    void keyspace(long header) {
        push(KEYSPACE, header);
    }

    /** Takes a value that is a structure of many blocks. */
    void value(byte type, long address) {
        push(VALUE_KINDS + type, address);
    }

    private void push(long kind, long address) {
        try {
            jobs.prepareAdd(JOB_LENGTH);
        } catch (OutOfMemoryError e) {
            // No room on the heap to note it: freed at once, for its key is gone already.
            for (long progress = 0; progress != Values.FREED; ) {
                progress = freePart(kind, address, progress);
            }
            return;
        }
        jobs.add(kind);
        jobs.add(address);
        jobs.add(0);
    }

    boolean isIdle() {
        return jobs.size() == 0;
    }

    /** Frees about so many blocks; returns how many. */
    int work(int limit) {
        int done = 0;
        while (done < limit && jobs.size() > 0) {
            int job = jobs.size() - JOB_LENGTH;
            long kind = jobs.get(job);
            long address = jobs.get(job + 1);
            long progress = jobs.get(job + 2);
            done++;
            long next = freePart(kind, address, progress);
            if (next != Values.FREED) {
                jobs.set(job + 2, next);
            } else {
                jobs.remove(job, JOB_LENGTH);
            }
        }
        return done;
    }

    private long freePart(long kind, long address, long progress) {
        return kind == KEYSPACE
                ? freeKeys(address, progress)
                : values.freePart((byte) (kind - VALUE_KINDS), address, progress);
    }

    /** Frees the keys of one bucket. */
    private long freeKeys(long header, long bucket) {
        int buckets = keys.buckets(header);
        if (bucket >= buckets) {
            keys.destroy(header);
            return Values.FREED;
        }
        long entry = keys.bucketHead(header, (int) bucket);
        while (entry != Memory.NULL) {
            long next = keys.next(entry);
            values.releaseOf(entry);
            keys.freeEntry(entry);
            entry = next;
        }
        return bucket + 1;
    }

    /** All memory is gone. */
    void clear() {
        jobs.clear();
    }
}
