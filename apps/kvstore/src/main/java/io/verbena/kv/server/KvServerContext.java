package io.verbena.kv.server;

import io.verbena.NodeContext;
import io.verbena.TenantOptions;
import io.verbena.Tenants;
import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.kv.store.EvictionPolicy;
import io.verbena.kv.store.ShardContext;
import io.verbena.tier.PagedOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import org.agrona.BitUtil;
import org.jspecify.annotations.Nullable;

/** What a {@link KvServer} is launched with: fluent setters over defaults. Mutable; not thread-safe. */
public final class KvServerContext {
    /** Most shards of one server. */
    public static final int MAX_SHARDS = 256;

    /** Bytes of a slot of the read index unless set otherwise. */
    public static final int DEFAULT_READ_SLOT_LENGTH = 256;

    /** Who runs the shards. */
    public enum Mode {
        /** A thread each: for clients in other processes or on other hosts. */
        THREADS,
        /** The thread that appended a request, in this process: no thread hop. */
        ASSISTED
    }

    String name = "kv";
    int shards = 1;
    Mode mode = Mode.THREADS;
    int databases = 16;
    long maxMemory;
    long memoryBudget;
    long argumentBudget = ShardContext.DEFAULT_ARGUMENT_BUDGET;
    int maxReplyLength = ShardContext.DEFAULT_MAX_REPLY_LENGTH;
    EvictionPolicy evictionPolicy = EvictionPolicy.REFUSE;
    IntFunction<ByteBuffer> memorySource = ByteBuffer::allocateDirect;
    int inboxChunk = 1 << 20;
    long maxBacklog = 256L << 20;
    long readIndexBytes;
    int readSlotLength = DEFAULT_READ_SLOT_LENGTH;
    Consumer<NodeContext> nodes = node -> {};
    Consumer<NodeContext> overflowNode = node -> {};

    @Nullable
    PagedOptions overflow;

    final List<TenantOptions> tenants = new ArrayList<>();
    final List<String> listen = new ArrayList<>();

    /** Creates the defaults: one shard, no memory limit, a thread a shard, reachable in this process alone. */
    public KvServerContext() {}

    /** Names the server's nodes: shard i is {@code <name>-<i>}. */
    public KvServerContext name(String serverName) {
        name = serverName;
        return this;
    }

    /** Number of shards, 1 to {@value #MAX_SHARDS}; each has one owner at a time. */
    public KvServerContext shards(int count) {
        if (count < 1 || count > MAX_SHARDS) {
            throw new IllegalArgumentException("shards " + count + " outside 1.." + MAX_SHARDS);
        }
        shards = count;
        return this;
    }

    /** Who runs the shards. */
    public KvServerContext mode(Mode who) {
        mode = who;
        return this;
    }

    /** Databases that SELECT chooses from, 1 to 65536. */
    public KvServerContext databases(int count) {
        databases = count;
        return this;
    }

    /** Bytes that all shards together may use, 0 for no limit. */
    public KvServerContext maxMemory(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("maxMemory " + bytes + " < minimum 0");
        }
        maxMemory = bytes;
        return this;
    }

    /**
     * Bytes of direct memory that all shards together hold from the process at most, their free parts included; 0 for
     * no limit but the process'. Stay below {@code -XX:MaxDirectMemorySize} by what else needs direct memory: near that
     * limit the JVM stalls for each allocation.
     */
    public KvServerContext memoryBudget(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("memoryBudget " + bytes + " < minimum 0");
        }
        memoryBudget = bytes;
        return this;
    }

    /**
     * Bytes that all shards together hold beside {@link #memoryBudget} at most, for requests that are longer than a
     * message while data leaves no room for them, see {@link ShardContext#argumentBudget}.
     */
    public KvServerContext argumentBudget(long bytes) {
        if (bytes < 0) {
            throw new IllegalArgumentException("argumentBudget " + bytes + " < minimum 0");
        }
        argumentBudget = bytes;
        return this;
    }

    /** Greatest reply in bytes, see {@link ShardContext#maxReplyLength}; a client's inbox may limit it further. */
    public KvServerContext maxReplyLength(int bytes) {
        maxReplyLength = bytes;
        return this;
    }

    /** What happens when memory is full. */
    public KvServerContext evictionPolicy(EvictionPolicy policy) {
        evictionPolicy = policy;
        return this;
    }

    /**
     * Says where the shards' memory comes from, keys and values alike: {@link ByteBuffer#allocateDirect} unless set
     * otherwise. A source that maps pieces of a file, for example, lets the kernel keep in memory what is used and the
     * rest on disk. Data does not outlive the server: nothing is read from what the source returns.
     *
     * @param source makes a direct buffer of this many bytes, which is freed when the shard needs it no more, or throws
     *     OutOfMemoryError; called by each shard's thread, so it must be thread-safe where there are several
     */
    public KvServerContext memorySource(IntFunction<ByteBuffer> source) {
        memorySource = source;
        return this;
    }

    /**
     * Bytes of replies, and of requests after them, that may wait for one client that does not keep up, 1 to 896 MiB;
     * beyond that it is disconnected. A client that waits for replies before it asks for much more never comes near it:
     * its requests are not executed while 8 MiB of replies, or half of this if that is less, are unread.
     */
    public KvServerContext maxBacklog(long bytes) {
        if (bytes < 1 || bytes > ReplyTarget.MAX_BACKLOG) {
            throw new IllegalArgumentException("maxBacklog " + bytes + " outside 1.." + ReplyTarget.MAX_BACKLOG);
        }
        maxBacklog = bytes;
        return this;
    }

    /** As {@link #oneSided(long, int)}, with slots of {@value #DEFAULT_READ_SLOT_LENGTH} bytes. */
    public KvServerContext oneSided(long bytes) {
        return oneSided(bytes, DEFAULT_READ_SLOT_LENGTH);
    }

    /**
     * Publishes short strings that do not expire, so that a {@link io.verbena.kv.client.OneSidedReader} reads them
     * without the server's processor (the one-sided GET of DRUM, fig. 15). Each shard has a region of its own for it,
     * which peers may read and nothing else, and only those whom the nodes' {@code AccessPolicy} gives the right to
     * READ {@link ReadIndexDescriptor#REGION}. Off by default.
     *
     * @param bytes that all shards together have for it beside their data, a shard at most 1 GiB; the sets of a table
     *     are a power of two, so up to half of it may stay unused. 0: off
     * @param slotLength bytes of one key with its value, and {@link ReadIndexDescriptor#KEY_OFFSET} more; a power of
     *     two, {@value ReadIndexDescriptor#MIN_SLOT_LENGTH} to {@value ReadIndexDescriptor#MAX_SLOT_LENGTH}. A GET
     *     reads {@value ReadIndexDescriptor#WAYS} times as much
     */
    public KvServerContext oneSided(long bytes, int slotLength) {
        if (bytes < 0) {
            throw new IllegalArgumentException("oneSided " + bytes + " < minimum 0");
        }
        if (slotLength < ReadIndexDescriptor.MIN_SLOT_LENGTH
                || slotLength > ReadIndexDescriptor.MAX_SLOT_LENGTH
                || !BitUtil.isPowerOfTwo(slotLength)) {
            throw new IllegalArgumentException("slotLength " + slotLength + " is no power of two in "
                    + ReadIndexDescriptor.MIN_SLOT_LENGTH + ".." + ReadIndexDescriptor.MAX_SLOT_LENGTH);
        }
        readIndexBytes = bytes;
        readSlotLength = slotLength;
        return this;
    }

    /**
     * Sets more of the shards' nodes, who may connect to them for instance: {@code nodes(node -> node.tls(options))}.
     */
    public KvServerContext nodes(Consumer<NodeContext> settings) {
        nodes = settings;
        return this;
    }

    /**
     * Moves values that do not fit into {@link #maxMemory} to memory of peers, the longest idle first, in place of
     * refusing writes or evicting keys; {@link #evictionPolicy} says what happens when that is full, too. Values of 64
     * bytes to 64 KiB are moved, of whatever type; keys, and values of more than 1,024 elements, stay.
     *
     * <pre>{@code
     *   context.maxMemory(1L << 30)
     *       .overflow(new PagedOptions(4L << 30).donor("tcp://10.0.0.7:9000").donor("tcp://10.0.0.8:9000").replicas(2))
     * }</pre>
     *
     * <p>A request that needs a value that is away waits for it, and holds up nobody but what the same client asks
     * about the same key, and its requests that name no key. After {@link PagedOptions#timeout} it fails with an error
     * that begins with {@code OVERFLOW}, as do those that need a value that was lost with a peer. What was lost is
     * never answered as missing, or as it was before.
     *
     * @param options of the paged memory that all shards share: its size is what all of them move at most, its resident
     *     part is direct memory beside {@link #memoryBudget}; its pages are of 4 KiB at most.
     *     {@link PagedOptions#onProgress} is the server's
     */
    public KvServerContext overflow(PagedOptions options) {
        overflow = options;
        return this;
    }

    /** Sets more of the node that reaches the peers of {@link #overflow}: its secret, or its certificate. */
    public KvServerContext overflowNode(Consumer<NodeContext> settings) {
        overflowNode = settings;
        return this;
    }

    /** How long a request waits for its values. */
    long overflowTimeoutMillis() {
        return overflow == null ? 0 : overflow.timeout().toMillis();
    }

    /**
     * Adds a tenant: clients that connect to its addresses ({@link KvServer#addresses(int, String)}). Where several
     * tenants have requests, a shard executes them by utility ({@link TenantOptions#utility}, or by
     * {@link TenantOptions#weight} if none was set), and of each at least {@link TenantOptions#minimumRate} a second of
     * all shards together; a client with one request at a time waits for few of its neighbours'. What is read and
     * written counts as a request for each 4 KiB. Replies are sent by {@link TenantOptions#weight}. Clients that
     * connect to the addresses without a tenant are of {@link Tenants#DEFAULT}. Who may connect to a tenant's inbox is
     * for {@link NodeContext#accessPolicy} to say. Each tenant has an inbox a shard, with memory of its own.
     *
     * @param options with a name that no other tenant has
     */
    public KvServerContext tenant(TenantOptions options) {
        tenants.add(options);
        return this;
    }

    /** Names of all tenants, the default one first. */
    List<String> tenantNames() {
        List<String> names = new ArrayList<>(List.of(Tenants.DEFAULT));
        tenants.forEach(each -> names.add(each.name()));
        return names;
    }

    /**
     * Adds an address at which shards can be reached from outside the process, as {@code Node.listen} takes it. Each
     * shard listens at an address of its own: with a port, shard i at port + i (port 0: any); with a path or a name, at
     * {@code <address>-<i>}.
     */
    public KvServerContext listen(String address) {
        listen.add(address);
        return this;
    }
}
