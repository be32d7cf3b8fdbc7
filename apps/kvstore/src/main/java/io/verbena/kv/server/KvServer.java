package io.verbena.kv.server;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.Right;
import io.verbena.SharedRegion;
import io.verbena.Tenants;
import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.kv.store.Shard;
import io.verbena.kv.store.ShardContext;
import io.verbena.tier.PagedOptions;
import io.verbena.tier.PagedStatistics;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A running key-value store: shards by key, each a node of its own with an inbox for requests.
 *
 * <p>Thread-safe.
 */
public final class KvServer implements AutoCloseable {
    private static final long HOUSEKEEPING_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long JOIN_MILLIS = 10_000;
    private static final long MAX_READ_INDEX = 1L << 30;

    private final List<ShardRunner> runners = new CopyOnWriteArrayList<>();
    private final List<ShardContext> shardContexts = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private final List<List<String>> addresses = new ArrayList<>(); // of nodes
    private final List<String> tenants;
    private final AtomicIntegerArray shardsOfTenants; // on how many shards each has requests
    private final @Nullable OverflowNode overflow;
    private volatile boolean closed;

    private KvServer(KvServerContext context) {
        boolean threaded = context.mode == KvServerContext.Mode.THREADS;
        if (!threaded && !context.listen.isEmpty()) {
            throw new IllegalArgumentException(
                    "mode ASSISTED serves this process alone and cannot listen at " + context.listen + "; use THREADS");
        }
        tenants = context.tenantNames();
        shardsOfTenants = new AtomicIntegerArray(tenants.size());
        PagedOptions options = context.overflow;
        overflow = options == null ? null : OverflowNode.open(context, options, this::onOverflowProgress);
        try {
            for (int i = 0; i < context.shards; i++) {
                launchShard(context, i);
            }
        } catch (RuntimeException | Error e) {
            close();
            throw e;
        }
        if (threaded) {
            for (int i = 0; i < context.shards; i++) {
                start(runners.get(i)::loop, context.name + "-" + i);
            }
        } else {
            start(this::housekeep, context.name + "-housekeeping");
        }
    }

    private void launchShard(KvServerContext context, int shard) {
        String name = context.name + "-" + shard;
        NodeContext nodeContext = new NodeContext();
        context.nodes.accept(nodeContext);
        context.tenants.forEach(nodeContext::tenant);
        Node node = Node.launch(nodeContext
                .name(name)
                .mode(NodeMode.INVOKER)
                .closeOnShutdown(!context.listen.isEmpty())
                .sharedMemory(context.listen.stream().anyMatch(address -> address.startsWith("shm:"))));
        try {
            launchShard(context, shard, node);
        } catch (RuntimeException | Error e) {
            node.close();
            throw e;
        }
    }

    private void launchShard(KvServerContext context, int shard, Node node) {
        ShardContext shardContext = new ShardContext()
                .databases(context.databases)
                .maxMemory(share(context.maxMemory, context.shards))
                .memoryBudget(share(context.memoryBudget, context.shards))
                .argumentBudget(share(context.argumentBudget, context.shards))
                .maxReplyLength(context.maxReplyLength)
                .evictionPolicy(context.evictionPolicy)
                .memorySource(context.memorySource);
        if (context.readIndexBytes > 0) {
            shareReadIndex(node, shardContext, context);
        }
        if (overflow != null) {
            long share = overflow.share(context.shards);
            shardContext.overflow(overflow.memory(), shard * share, share);
        }
        boolean threaded = context.mode == KvServerContext.Mode.THREADS;
        ShardRunner runner = new ShardRunner(
                node, context, shardContext, shardsOfTenants, threaded ? node::wake : this::wakeHousekeeping);
        shardContexts.add(shardContext);
        runners.add(runner);
        List<String> reachable = new ArrayList<>();
        reachable.add("local:" + node.name());
        for (String address : context.listen) {
            reachable.add(node.listen(addressOf(address, shard)));
        }
        addresses.add(reachable);
    }

    private void onOverflowProgress() {
        for (ShardRunner runner : runners) {
            runner.overflowProgress();
        }
    }

    /** Peers may read a shard's index, those whom the node's policy lets. */
    private static void shareReadIndex(Node node, ShardContext shardContext, KvServerContext context) {
        int slotLength = context.readSlotLength;
        long bytes = Math.min(MAX_READ_INDEX, context.readIndexBytes / context.shards);
        int setsBits = ReadIndexDescriptor.setsBits(bytes, slotLength);
        if (setsBits < 0) {
            throw new IllegalArgumentException("oneSided " + context.readIndexBytes + " for " + context.shards
                    + " shards < minimum " + context.shards * ReadIndexDescriptor.regionLength(0, slotLength));
        }
        int length = (int) ReadIndexDescriptor.regionLength(setsBits, slotLength);
        SharedRegion region = node.share(ReadIndexDescriptor.REGION, length, Right.READ);
        shardContext.readIndex(new UnsafeBuffer(region.buffer()), slotLength);
    }

    /** What each shard has of a limit of all; 0 is no limit. */
    private static long share(long limit, int shards) {
        return limit == 0 ? 0 : Math.max(1, limit / shards);
    }

    /**
     * Launches a server.
     *
     * @throws IllegalArgumentException if the settings contradict each other
     * @throws RuntimeException if a shard cannot listen where it should, as {@code Node.listen} throws it
     */
    public static KvServer launch(KvServerContext context) {
        return new KvServer(context);
    }

    private void start(Runnable work, String name) {
        Thread thread = new Thread(work, "verbena-" + name);
        thread.setDaemon(true);
        threads.add(thread);
        thread.start();
    }

    /**
     * Shards that nobody uses still expire keys, and serve connections that are being made. And what a caller leaves of
     * a shard's work, because it was much, is done here if nobody else comes.
     */
    private void housekeep() {
        while (!closed) {
            int work = 0;
            boolean left = false;
            for (ShardRunner runner : runners) {
                work += runner.tryRun();
                left |= runner.hasWork();
            }
            if (work == 0 || !left) {
                LockSupport.parkNanos(this, HOUSEKEEPING_NANOS);
            }
        }
    }

    private void wakeHousekeeping() {
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
        }
    }

    private static String addressOf(String address, int shard) {
        int colon = address.lastIndexOf(':');
        if (address.startsWith("tcp://") && colon > "tcp:".length()) {
            int port = Integer.parseInt(address.substring(colon + 1));
            return address.substring(0, colon + 1) + (port == 0 ? 0 : port + shard);
        }
        return address + "-" + shard;
    }

    /** Number of shards. */
    public int shards() {
        return runners.size();
    }

    /**
     * Where a shard's inbox can be reached.
     *
     * @param shard from 0
     * @return addresses for {@code Node.connect}; the first is for this process
     */
    public List<String> addresses(int shard) {
        return addresses(shard, Tenants.DEFAULT);
    }

    /**
     * Where a tenant's inbox of a shard can be reached.
     *
     * @param shard from 0
     * @param tenant name of one of {@link KvServerContext#tenant}
     * @return addresses for {@code Node.connect}; the first is for this process
     * @throws IllegalArgumentException if there is no such tenant
     */
    public List<String> addresses(int shard, String tenant) {
        if (!tenants.contains(tenant)) {
            throw new IllegalArgumentException("no tenant '" + tenant + "' of " + tenants);
        }
        return addresses.get(shard).stream()
                .map(address -> address + "/" + ShardInboxes.nameOf(tenant))
                .toList();
    }

    /** The addresses by which a client in this process reaches all shards. */
    public List<String> localAddresses() {
        return localAddresses(Tenants.DEFAULT);
    }

    /** The addresses by which a tenant's client in this process reaches all shards. */
    public List<String> localAddresses(String tenant) {
        return IntStream.range(0, shards())
                .mapToObj(shard -> addresses(shard, tenant).get(0))
                .toList();
    }

    /**
     * Runs a shard in the calling thread if nobody else does: for a thread that has just appended to it.
     *
     * @return work done
     */
    public int assist(int shard) {
        return runners.get(shard).tryRun();
    }

    /** Shows each shard to a consumer, as its owner: statistics, settings. Not for the data path. */
    public void forEachShard(Consumer<Shard> consumer) {
        for (ShardRunner runner : runners) {
            runner.call(() -> consumer.accept(runner.shard()));
        }
    }

    /** Shows each shard's settings to a consumer, which may change them, as the shard's owner. */
    public void configure(Consumer<ShardContext> consumer) {
        for (int i = 0; i < runners.size(); i++) {
            ShardContext shardContext = shardContexts.get(i);
            runners.get(i).call(() -> consumer.accept(shardContext));
        }
    }

    /** Requests that could not be read. */
    public long malformedRequests() {
        return runners.stream().mapToLong(ShardRunner::malformed).sum();
    }

    /** Clients that were disconnected because they left their replies unread. */
    public long disconnectedClients() {
        return runners.stream().mapToLong(ShardRunner::disconnected).sum();
    }

    /** Requests that wait for values that are away, or for room, see {@link KvServerContext#overflow}. */
    public int waitingRequests() {
        return runners.stream().mapToInt(ShardRunner::waitingRequests).sum();
    }

    /** What the memory of peers has done and holds, of whose peers each is; null without any. */
    public @Nullable PagedStatistics overflow() {
        return overflow == null ? null : overflow.statistics();
    }

    /** Ends the shards and their threads; clients see their channels close. Idempotent; bounded. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        for (ShardRunner runner : runners) {
            runner.end();
        }
        for (Thread thread : threads) {
            LockSupport.unpark(thread);
            try {
                thread.join(JOIN_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        for (ShardRunner runner : runners) {
            runner.close();
        }
        if (overflow != null) {
            overflow.close();
        }
    }
}
