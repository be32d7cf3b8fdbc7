package io.verbena.redis.backend;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.kv.server.KvServer;
import io.verbena.kv.server.KvServerContext;
import io.verbena.kv.store.OverflowStatistics;
import io.verbena.kv.store.Shard;
import io.verbena.tier.PagedOptions;
import io.verbena.tier.PagedPeer;
import io.verbena.tier.PagedStatistics;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

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
        this(shards, maxMemory, policy, budget, null, node -> {});
    }

    /**
     * Starts empty shards with a budget, and with memory of donors for what does not fit.
     *
     * @param shards number of shards
     * @param maxMemory bytes of all shards together, 0 for no limit
     * @param policy name of what happens when memory is full
     * @param budget bytes of direct memory that all shards together may hold, 0 for no limit
     * @param overflow options of the memory that values are moved to; null for none
     * @param overflowNode sets more of the node that reaches it
     */
    public NodeStore(
            int shards,
            long maxMemory,
            String policy,
            long budget,
            @Nullable PagedOptions overflow,
            Consumer<NodeContext> overflowNode) {
        memoryBudget = budget == 0 ? Long.MAX_VALUE : budget;
        KvServerContext context = new KvServerContext().overflowNode(overflowNode);
        if (overflow != null) {
            context.overflow(overflow);
        }
        server = KvServer.launch(context.name(name)
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

    @Override
    public @Nullable OverflowState overflow() {
        PagedStatistics memory = server.overflow();
        if (memory == null) {
            return null;
        }
        OverflowStatistics[] sum = {OverflowStatistics.NONE};
        server.forEachShard(shard -> sum[0] = sum[0].plus(shard.overflow()));
        return new OverflowState(
                sum[0].values(),
                sum[0].bytes(),
                sum[0].capacity(),
                sum[0].movedOut(),
                sum[0].movedIn(),
                server.waitingRequests(),
                sum[0].failures(),
                memory.peers().size(),
                (int) memory.peers().stream().filter(PagedPeer::alive).count(),
                memory.lost());
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
