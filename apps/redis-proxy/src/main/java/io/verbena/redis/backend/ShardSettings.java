package io.verbena.redis.backend;

import io.verbena.kv.store.EvictionPolicy;
import io.verbena.kv.store.ShardContext;
import java.util.List;

/** What CONFIG can change of the shards: each shard's share of the memory, and the policy. */
final class ShardSettings {
    static final List<String> POLICIES = List.of("noeviction", "allkeys-lru", "volatile-lru");

    private final ShardContext[] contexts;

    ShardSettings(int shards, long maxMemory, String policy) {
        contexts = new ShardContext[shards];
        for (int i = 0; i < shards; i++) {
            contexts[i] = new ShardContext();
        }
        maxMemory(maxMemory);
        policy(policy);
    }

    ShardContext context(int shard) {
        return contexts[shard];
    }

    void maxMemory(long bytes) {
        for (ShardContext context : contexts) {
            // Rounded up: a limit that is there never becomes none.
            context.maxMemory((bytes + contexts.length - 1) / contexts.length);
        }
    }

    void policy(String name) {
        EvictionPolicy policy = policyOf(name);
        for (ShardContext context : contexts) {
            context.evictionPolicy(policy);
        }
    }

    /** The policy of a name. */
    static EvictionPolicy policyOf(String name) {
        switch (name) {
            case "noeviction":
                return EvictionPolicy.REFUSE;
            case "allkeys-lru":
                return EvictionPolicy.ALL_KEYS_LRU;
            case "volatile-lru":
                return EvictionPolicy.VOLATILE_LRU;
            default:
                throw new IllegalArgumentException(
                        "maxmemory-policy '" + name + "' is unknown; use " + String.join(", ", POLICIES));
        }
    }
}
