package io.verbena.redis.backend;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.kv.server.KvServer;
import io.verbena.kv.server.KvServerContext;
import io.verbena.kv.store.Shard;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

/**
 * The embedded default: a key-value server in this process, each shard a node of its own, reached by queue pairs.
 */
public final class NodeStore implements Store {
    private static final AtomicInteger NUMBER = new AtomicInteger();

    private final String name = "redis-" + ProcessHandle.current().pid() + "-" + NUMBER.incrementAndGet();
    private final KvServer server;
    private final long memoryBudget;

    /**
     * Starts empty shards.
     *
     * @param shards number of shards
     * @param maxMemory bytes of all shards together, 0 for no limit
     * @param policy name of what happens when memory is full
     */
    public NodeStore(int shards, long maxMemory, String policy) {
        this(shards, maxMemory, policy, 0);
    }

    /**
     * Starts empty shards with a budget.
     *
     * @param shards number of shards
     * @param maxMemory bytes of all shards together, 0 for no limit
     * @param policy name of what happens when memory is full
     * @param budget bytes of direct memory that all shards together may hold, 0 for no limit
     */
    public NodeStore(int shards, long maxMemory, String policy, long budget) {
        memoryBudget = budget == 0 ? Long.MAX_VALUE : budget;
        server = KvServer.launch(new KvServerContext()
                .name(name)
                .shards(shards)
                .mode(KvServerContext.Mode.ASSISTED)
                .maxMemory(maxMemory)
                .memoryBudget(budget)
                .evictionPolicy(ShardSettings.policyOf(policy)));
    }

    @Override
    public Backend open(int worker, Thread owner) {
        Node node = Node.launch(new NodeContext()
                .name(name + "-worker-" + worker)
                .mode(NodeMode.INVOKER)
                .closeOnShutdown(false)
                .sendDepth(1024)
                .maxInline(256)
                .stagingLength(1 << 20));
        return new NodeBackend(node, server);
    }

    @Override
    public int shards() {
        return server.shards();
    }

    @Override
    public void maxMemory(long bytes) {
        int shards = server.shards();
        // Rounded up: a limit that is there never becomes none.
        server.configure(context -> context.maxMemory((bytes + shards - 1) / shards));
    }

    @Override
    public void maxMemoryPolicy(String policy) {
        server.configure(context -> context.evictionPolicy(ShardSettings.policyOf(policy)));
    }

    @Override
    public List<String> policies() {
        return ShardSettings.POLICIES;
    }

    @Override
    public long usedMemory() {
        return sum(Shard::usedMemory);
    }

    @Override
    public long committedMemory() {
        return sum(Shard::committedMemory);
    }

    @Override
    public long memoryBudget() {
        return memoryBudget;
    }

    @Override
    public long keys(int database) {
        return sum(shard -> shard.keys(database));
    }

    @Override
    public long expiringKeys(int database) {
        return sum(shard -> shard.expiringKeys(database));
    }

    @Override
    public long expiredKeys() {
        return sum(shard -> shard.statistics().expired());
    }

    @Override
    public long evictedKeys() {
        return sum(shard -> shard.statistics().evicted());
    }

    private long sum(ToLongFunction<Shard> of) {
        long[] sum = new long[1];
        server.forEachShard(shard -> sum[0] += of.applyAsLong(shard));
        return sum[0];
    }

    @Override
    public void close() {
        server.close();
    }
}
