package io.verbena.redis;

import io.verbena.redis.resp.RespLimits;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a proxy is started with. Setters return this; {@link #conclude} checks it all once and names both values of what
 * does not fit.
 */
public final class ProxyContext {
    /** Redis' port. */
    public static final int DEFAULT_PORT = 6379;

    /** Redis' least {@code client-query-buffer-limit}. */
    static final long MIN_QUERY_BUFFER_LIMIT = 1L << 20;

    private static final int MAX_WORKERS = 256;
    private static final int MAX_TENANTS = 256;

    private int port = DEFAULT_PORT;
    private String bind = "127.0.0.1";
    private int workers = 1;
    private int shards = 1;
    private long maxMemory;
    private String maxMemoryPolicy = "noeviction";
    private String password = "";
    private final List<ProxyTenant> tenants = new ArrayList<>();
    private int maxClients = 10_000;
    private int timeoutSeconds;
    private int backlog = 511;
    private boolean nativeTransport = true;
    private OutputLimit outputLimit = OutputLimit.DEFAULT;
    private RespLimits limits = RespLimits.DEFAULT;
    private @Nullable MemoryShare maxMemoryClients;
    private long queryBufferLimit;
    private long maxQueuedBytes;
    private final OverflowContext overflow = new OverflowContext();

    /**
     * Checks the settings.
     *
     * @return this
     * @throws IllegalArgumentException if one is out of its range
     */
    public ProxyContext conclude() {
        Set<String> names = new HashSet<>();
        for (ProxyTenant tenant : tenants) {
            if (!names.add(tenant.name())) {
                throw new IllegalArgumentException("tenant " + tenant.name() + " is defined twice");
            }
        }
        range("tenants", tenants.size(), 0, MAX_TENANTS);
        range("port", port, 0, 65535);
        range("workers", workers, 1, MAX_WORKERS);
        range("shards", shards, 1, MAX_WORKERS);
        range("maxclients", maxClients, 1, Integer.MAX_VALUE);
        range("timeout", timeoutSeconds, 0, Integer.MAX_VALUE);
        range("backlog", backlog, 1, Integer.MAX_VALUE);
        range("maxmemory", maxMemory, 0, Long.MAX_VALUE);
        overflow.conclude(maxMemory);
        if (queryBufferLimit != 0) {
            range("client-query-buffer-limit", queryBufferLimit, MIN_QUERY_BUFFER_LIMIT, Long.MAX_VALUE);
        }
        return this;
    }

    private static void range(String name, long value, long least, long most) {
        if (value < least) {
            throw new IllegalArgumentException(name + " " + value + " < minimum " + least);
        }
        if (value > most) {
            throw new IllegalArgumentException(name + " " + value + " > maximum " + most);
        }
    }

    /**
     * Where strings go that do not fit into {@link #maxMemory}.
     *
     * @return settings, nowhere unless changed
     */
    public OverflowContext overflow() {
        return overflow;
    }

    /**
     * TCP port to listen on.
     *
     * @param value 0 for any free port
     * @return this
     */
    public ProxyContext port(int value) {
        port = value;
        return this;
    }

    /**
     * TCP port to listen on.
     *
     * @return 0 for any free port
     */
    public int port() {
        return port;
    }

    /**
     * Address to listen on.
     *
     * @param value name or number
     * @return this
     */
    public ProxyContext bind(String value) {
        bind = value;
        return this;
    }

    /**
     * Address to listen on.
     *
     * @return name or number
     */
    public String bind() {
        return bind;
    }

    /**
     * Threads that serve clients.
     *
     * @param value 1 to 256
     * @return this
     */
    public ProxyContext workers(int value) {
        workers = value;
        return this;
    }

    /**
     * Threads that serve clients.
     *
     * @return number
     */
    public int workers() {
        return workers;
    }

    /**
     * Shards of the store. With more than one, commands on keys of several shards are spread or refused, see
     * {@link io.verbena.redis.command.Split}.
     *
     * @param value 1 to 256
     * @return this
     */
    public ProxyContext shards(int value) {
        shards = value;
        return this;
    }

    /**
     * Shards of the store.
     *
     * @return number
     */
    public int shards() {
        return shards;
    }

    /**
     * Memory of all shards together.
     *
     * @param bytes 0 for no limit
     * @return this
     */
    public ProxyContext maxMemory(long bytes) {
        maxMemory = bytes;
        return this;
    }

    /**
     * Memory of all shards together.
     *
     * @param amount such as {@code 100mb}
     * @return this
     */
    public ProxyContext maxMemory(String amount) {
        long bytes = MemorySize.parse(amount);
        if (bytes < 0) {
            throw new IllegalArgumentException("maxmemory '" + amount + "' is no amount; write 100mb or 2gb");
        }
        return maxMemory(bytes);
    }

    /**
     * Memory of all shards together.
     *
     * @return bytes, 0 for no limit
     */
    public long maxMemory() {
        return maxMemory;
    }

    /**
     * What happens when memory is full.
     *
     * @param value name as Redis has it
     * @return this
     */
    public ProxyContext maxMemoryPolicy(String value) {
        maxMemoryPolicy = value;
        return this;
    }

    /**
     * What happens when memory is full.
     *
     * @return name as Redis has it
     */
    public String maxMemoryPolicy() {
        return maxMemoryPolicy;
    }

    /**
     * Memory for what all clients together have sent and left unread.
     *
     * @param amount such as {@code 64mb}, or {@code 5%} of the direct memory; 0 for no limit. Unless set, an eighth of
     *     the direct memory, at least 32 MiB
     * @return this
     */
    public ProxyContext maxMemoryClients(String amount) {
        try {
            maxMemoryClients = MemoryShare.parse(amount);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("maxmemory-clients " + e.getMessage(), e);
        }
        return this;
    }

    /** Memory for all clients together; null if it is not set. */
    @Nullable
    MemoryShare maxMemoryClients() {
        return maxMemoryClients;
    }

    /**
     * Bytes that one client may have sent and that wait to be executed.
     *
     * @param bytes at least 1 MiB; 0 for a quarter of the direct memory, 80 MiB to 1 GiB
     * @return this
     */
    public ProxyContext queryBufferLimit(long bytes) {
        queryBufferLimit = bytes;
        return this;
    }

    /**
     * Bytes that one client may have sent and that wait to be executed.
     *
     * @param amount such as {@code 1gb}
     * @return this
     */
    public ProxyContext queryBufferLimit(String amount) {
        long bytes = MemorySize.parse(amount);
        if (bytes < 0) {
            throw new IllegalArgumentException(
                    "client-query-buffer-limit '" + amount + "' is no amount; write 100mb or 1gb");
        }
        return queryBufferLimit(bytes);
    }

    /**
     * Bytes that one client may have sent and that wait to be executed.
     *
     * @return bytes, 0 for the default
     */
    public long queryBufferLimit() {
        return queryBufferLimit;
    }

    /**
     * Memory for the commands that all clients together have queued between MULTI and EXEC.
     *
     * @param bytes 0 for an eighth of the heap
     * @return this
     */
    public ProxyContext maxQueuedBytes(long bytes) {
        maxQueuedBytes = bytes;
        return this;
    }

    /**
     * Memory for the commands that all clients together have queued between MULTI and EXEC.
     *
     * @return bytes, 0 for the default
     */
    public long maxQueuedBytes() {
        return maxQueuedBytes;
    }

    /**
     * What clients have to give.
     *
     * @param value empty for nothing
     * @return this
     */
    public ProxyContext password(String value) {
        password = value;
        return this;
    }

    /**
     * What clients have to give.
     *
     * @return empty for nothing
     */
    public String password() {
        return password;
    }

    /**
     * Adds a tenant: clients that give its name with AUTH or HELLO. Where several tenants have commands to execute,
     * each gets a share of a worker's time, proportional to its weight.
     *
     * @param value {@link ProxyTenant#DEFAULT} is that of clients that give none, of weight 1 unless it is added
     * @return this
     */
    public ProxyContext tenant(ProxyTenant value) {
        tenants.add(value);
        return this;
    }

    /**
     * All tenants.
     *
     * @return the default one first
     */
    public List<ProxyTenant> tenants() {
        List<ProxyTenant> all = new ArrayList<>();
        all.add(new ProxyTenant(ProxyTenant.DEFAULT, 1, ""));
        for (ProxyTenant each : tenants) {
            if (each.name().equals(ProxyTenant.DEFAULT)) {
                all.set(0, each);
            } else {
                all.add(each);
            }
        }
        return List.copyOf(all);
    }

    /**
     * Most clients at a time.
     *
     * @param value at least 1
     * @return this
     */
    public ProxyContext maxClients(int value) {
        maxClients = value;
        return this;
    }

    /**
     * Most clients at a time.
     *
     * @return at least 1
     */
    public int maxClients() {
        return maxClients;
    }

    /**
     * Seconds after which a silent client is closed.
     *
     * @param value 0 for never
     * @return this
     */
    public ProxyContext timeoutSeconds(int value) {
        timeoutSeconds = value;
        return this;
    }

    /**
     * Seconds after which a silent client is closed.
     *
     * @return 0 for never
     */
    public int timeoutSeconds() {
        return timeoutSeconds;
    }

    /**
     * Connections that may wait to be accepted.
     *
     * @return number
     */
    public int backlog() {
        return backlog;
    }

    /**
     * Whether epoll is used where there is one.
     *
     * @param value false for Java NIO
     * @return this
     */
    public ProxyContext nativeTransport(boolean value) {
        nativeTransport = value;
        return this;
    }

    /**
     * Whether epoll is used where there is one.
     *
     * @return false for Java NIO
     */
    public boolean nativeTransport() {
        return nativeTransport;
    }

    /**
     * What a client may leave unread.
     *
     * @param value limit
     * @return this
     */
    public ProxyContext outputLimit(OutputLimit value) {
        outputLimit = value;
        return this;
    }

    /**
     * What a client may leave unread.
     *
     * @return limit
     */
    public OutputLimit outputLimit() {
        return outputLimit;
    }

    /**
     * What a client may announce.
     *
     * @param value limits
     * @return this
     */
    public ProxyContext limits(RespLimits value) {
        limits = value;
        return this;
    }

    /**
     * What a client may announce.
     *
     * @return limits
     */
    public RespLimits limits() {
        return limits;
    }
}
