package io.verbena.redis.command;

/** How a command is spread over shards, and how the replies become one. */
public enum Split {
    /** The proxy itself answers. */
    LOCAL,
    /** All keys must lie on one shard, which answers; otherwise the command is refused with {@code CROSSSLOT}. */
    ONE_SHARD,
    /** Each shard gets its keys; the integers are added. A shard's error is the whole command's. */
    KEYS_SUM,
    /** Each shard gets its keys; the elements are put back into the order of the keys. */
    KEYS_ARRAY,
    /** Each shard gets its keys and values; OK if all say OK. Atomic on each shard, not over all of them. */
    KEYS_OK,
    /** Every shard is asked; the integers are added. */
    ALL_SUM,
    /** Every shard is asked; OK if all say OK. */
    ALL_OK,
    /** Every shard is asked; the arrays are joined. */
    ALL_ARRAY,
    /** One shard after the other is walked, the cursor tells which. */
    SCAN,
    /** Shards are asked in turn, from a random one on, until one answers with a value. */
    ANY
}
