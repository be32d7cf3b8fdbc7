package io.verbena.kv.store;

import io.verbena.kv.protocol.KvOp;

/**
 * What a shard has done, counted since it was made.
 *
 * <p>Written by the shard's thread. Read exactly by that thread; other threads may see older values.
 */
public final class ShardStatistics {
    private static final KvOp[] OPERATIONS = KvOp.values();

    private final long[] calls = new long[KvOp.MAX_CODE + 1];
    private long hits;
    private long misses;
    private long expired;
    private long evicted;
    private long errors;
    private long rejected;

    ShardStatistics() {}

    void call(KvOp op) {
        calls[op.code()]++;
    }

    void hit() {
        hits++;
    }

    void miss() {
        misses++;
    }

    void expire() {
        expired++;
    }

    void evict() {
        evicted++;
    }

    void error() {
        errors++;
    }

    void reject() {
        rejected++;
    }

    /**
     * @param op operation
     * @return how often it was executed, failures included
     */
    public long calls(KvOp op) {
        return calls[op.code()];
    }

    /** @return how many operations were executed; pieces of values are none */
    public long totalCalls() {
        long total = 0;
        for (KvOp op : OPERATIONS) {
            if (op.group() != KvOp.Group.TRANSFER) {
                total += calls[op.code()];
            }
        }
        return total;
    }

    /** @return reads that found their key */
    public long hits() {
        return hits;
    }

    /** @return reads that did not find their key */
    public long misses() {
        return misses;
    }

    /** @return keys removed because their time was over */
    public long expired() {
        return expired;
    }

    /** @return keys removed to make room */
    public long evicted() {
        return evicted;
    }

    /** @return error replies */
    public long errors() {
        return errors;
    }

    /** @return requests refused because the memory limit was reached */
    public long rejected() {
        return rejected;
    }
}
