package io.verbena.kv.store;

/** What a shard does when it has reached its memory limit and is asked to store more. */
public enum EvictionPolicy {
    /** Refuse with an OOM error. */
    REFUSE,
    /** Remove keys that have not been used for long. */
    ALL_KEYS_LRU,
    /** Remove keys that expire and have not been used for long; refuse if no key expires. */
    VOLATILE_LRU
}
