package io.verbena.kv.store;

import org.jspecify.annotations.Nullable;

/**
 * Frees memory when a shard has too much or too little of it: first what waits to be freed, then values that can be
 * moved to the {@link Overflow}, then keys, if the policy allows it. Single-threaded, as the shard that owns it.
 */
final class Eviction {
    private static final int RECLAIM_STEPS = 16;
    private static final int MAX_KEYS_PER_REQUEST = 1_000_000;

    private final ShardContext context;
    private final Allocator allocator;
    private final Reclaimer reclaimer;
    private final Keyspace[] databases;
    private final EvictionPool pool;
    private final ShardStatistics statistics;
    private final @Nullable Overflow overflow;
    private boolean busy;

    Eviction(
            ShardContext context,
            Allocator allocator,
            Reclaimer reclaimer,
            Keyspace[] databases,
            EvictionPool pool,
            ShardStatistics statistics,
            @Nullable Overflow overflow) {
        this.context = context;
        this.allocator = allocator;
        this.reclaimer = reclaimer;
        this.databases = databases;
        this.pool = pool;
        this.statistics = statistics;
        this.overflow = overflow;
    }

    /** True if more memory is used than the limit allows. */
    boolean isOverLimit() {
        return context.maxMemory() > 0 && allocator.used() > context.maxMemory();
    }

    /** Evicts until memory is below the limit; returns false if it is not. */
    boolean makeRoom(long now) {
        return makeRoom(0, now);
    }

    /**
     * Whether there is room for this many bytes more within the limit, after freeing what waits for it but evicting
     * nothing.
     */
    boolean hasRoom(long size) {
        while (context.maxMemory() > 0 && allocator.used() + size > context.maxMemory()) {
            if (size > context.maxMemory() || reclaimer.work(RECLAIM_STEPS) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether moving values out, or eviction, may ever make room for this many bytes. */
    boolean mayMakeRoom(long size) {
        return (overflow != null || context.evictionPolicy() != EvictionPolicy.REFUSE) && size <= context.maxMemory();
    }

    /** Moves values out, or evicts, until there is room for this many bytes more; returns false if there is not. */
    boolean makeRoom(long size, long now) {
        if (context.maxMemory() > 0 && size > context.maxMemory()) {
            return false; // nothing goes for what cannot be had
        }
        busy = false;
        int keys = 0;
        while (context.maxMemory() > 0 && allocator.used() + size > context.maxMemory()) {
            if (reclaimer.work(RECLAIM_STEPS) > 0) {
                continue;
            }
            if (keys++ == MAX_KEYS_PER_REQUEST || free(1, now) == 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * Frees memory for a request that did not get it.
     *
     * @param amount of keys that are evicted at most, if nothing waits to be freed
     * @return true if it is worth trying again
     */
    boolean makeRoomFor(AllocationFailedException failure, int amount, long now) {
        busy = false;
        if (failure.wanted() > allocator.budget()) {
            return false;
        }
        return reclaimer.work(amount * RECLAIM_STEPS) > 0 || free(amount, now) > 0;
    }

    /** Whether no room was made the last time because values could not be moved out at once. */
    boolean isBusy() {
        return busy;
    }

    /** Moves values out, or if none can be moved, evicts keys; at most that many; returns how many. */
    private int free(int limit, long now) {
        int moved = 0;
        while (overflow != null && moved < limit) {
            Overflow.Moving moving = overflow.moveOut(now);
            busy = moving == Overflow.Moving.BUSY;
            if (moving != Overflow.Moving.MOVED) {
                break;
            }
            moved++;
        }
        return moved > 0 || busy ? moved : evict(limit, now);
    }

    /** Evicts keys, at most that many; returns how many. */
    private int evict(int limit, long now) {
        if (context.evictionPolicy() == EvictionPolicy.REFUSE) {
            return 0;
        }
        EvictionPool.Choice choice =
                context.evictionPolicy() == EvictionPolicy.VOLATILE_LRU ? EvictionPool.EXPIRING : EvictionPool.ANY;
        int count = 0;
        while (count < limit && pool.choose(databases, choice, now)) {
            pool.chosenKeyspace().delete(pool.chosen());
            statistics.evict();
            count++;
        }
        return count;
    }
}
