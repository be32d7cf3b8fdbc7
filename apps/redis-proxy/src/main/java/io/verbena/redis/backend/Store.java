package io.verbena.redis.backend;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shards as the proxy owns or finds them: gives each worker its way to them, and says how they are. All methods but
 * {@link #open} may be called by any thread.
 */
public interface Store extends AutoCloseable {
    /**
     * A way to the shards for one worker.
     *
     * @param worker number of the worker, from 0
     * @param owner thread that will drive it
     * @return backend, which the worker closes
     */
    Backend open(int worker, Thread owner);

    /**
     * Number of shards.
     *
     * @return at least 1, constant
     */
    int shards();

    /**
     * Limits the memory of all shards together.
     *
     * @param bytes 0 for no limit
     */
    void maxMemory(long bytes);

    /**
     * Chooses what happens when memory is full.
     *
     * @param policy one of {@link #policies()}
     */
    void maxMemoryPolicy(String policy);

    /**
     * The policies that the shards know, by Redis' names.
     *
     * @return at least one
     */
    List<String> policies();

    /**
     * Memory that the data takes.
     *
     * @return bytes, a moment old
     */
    long usedMemory();

    /**
     * Direct memory that the shards hold from the process, free parts included.
     *
     * @return bytes, a moment old
     */
    long committedMemory();

    /**
     * Direct memory that the shards may hold from the process.
     *
     * @return bytes, constant; {@link Long#MAX_VALUE} for no limit
     */
    long memoryBudget();

    /**
     * Keys in a database.
     *
     * @param database number
     * @return number, a moment old
     */
    long keys(int database);

    /**
     * Keys in a database that will expire.
     *
     * @param database number
     * @return number, a moment old
     */
    long expiringKeys(int database);

    /**
     * Keys that have expired since the start.
     *
     * @return number, a moment old
     */
    long expiredKeys();

    /**
     * Keys that were evicted since the start because memory was full.
     *
     * @return number, a moment old
     */
    long evictedKeys();

    /**
     * What was moved to the memory of donors.
     *
     * @return a moment old; null if nothing ever is
     */
    default @Nullable OverflowState overflow() {
        return null;
    }

    @Override
    void close();
}
