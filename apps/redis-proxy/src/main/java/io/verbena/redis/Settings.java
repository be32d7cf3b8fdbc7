package io.verbena.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What can be set while the proxy runs, by CONFIG SET; and what cannot, for CONFIG GET. Any thread reads and writes;
 * each value is taken over by itself.
 */
public final class Settings {
    /** Number of databases that SELECT knows. */
    public static final int DATABASES = 16;

    private static final int IN_FLIGHT_COMMANDS = 1024;
    private static final int IN_FLIGHT_BYTES = 16 << 20;

    private final ProxyContext context;
    private final AtomicInteger clients = new AtomicInteger();
    private volatile String password;
    private volatile int maxClients;
    private volatile int timeoutSeconds;
    private volatile long timeoutNanos;
    private volatile OutputLimit outputLimit;
    private volatile long maxMemory;
    private volatile String maxMemoryPolicy;
    private final MemoryPlan memory;
    private final QueueMemory queueMemory;
    private volatile MemoryShare maxMemoryClients;
    private volatile long queryBufferLimit;

    Settings(ProxyContext context) {
        this(context, MemoryPlan.of(context));
    }

    Settings(ProxyContext context, MemoryPlan memory) {
        this.context = context;
        this.memory = memory;
        this.queueMemory = new QueueMemory(memory.queues());
        MemoryShare given = context.maxMemoryClients();
        this.maxMemoryClients = given == null ? new MemoryShare(memory.clients(), false) : given;
        this.queryBufferLimit = memory.queryBuffer();
        this.password = context.password();
        this.maxClients = context.maxClients();
        this.outputLimit = context.outputLimit();
        this.maxMemory = context.maxMemory();
        this.maxMemoryPolicy = context.maxMemoryPolicy();
        timeoutSeconds(context.timeoutSeconds());
    }

    /**
     * What the proxy was started with.
     *
     * @return the context
     */
    public ProxyContext context() {
        return context;
    }

    /**
     * What clients have to give before anything else.
     *
     * @return empty if they need nothing
     */
    public String password() {
        return password;
    }

    void password(String value) {
        password = value;
    }

    /**
     * Most clients at a time.
     *
     * @return at least 1
     */
    public int maxClients() {
        return maxClients;
    }

    void maxClients(int value) {
        maxClients = value;
    }

    /**
     * Seconds after which a silent client is closed.
     *
     * @return 0 for never
     */
    public int timeoutSeconds() {
        return timeoutSeconds;
    }

    long timeoutNanos() {
        return timeoutNanos;
    }

    void timeoutSeconds(int value) {
        timeoutSeconds = value;
        timeoutNanos = TimeUnit.SECONDS.toNanos(value);
    }

    /**
     * What a client may leave unread.
     *
     * @return limit
     */
    public OutputLimit outputLimit() {
        return outputLimit;
    }

    void outputLimit(OutputLimit value) {
        outputLimit = value;
    }

    /**
     * Most bytes of data.
     *
     * @return 0 for no limit
     */
    public long maxMemory() {
        return maxMemory;
    }

    void maxMemory(long value) {
        maxMemory = value;
    }

    /**
     * What happens when the data is full.
     *
     * @return name as Redis has it
     */
    public String maxMemoryPolicy() {
        return maxMemoryPolicy;
    }

    void maxMemoryPolicy(String value) {
        maxMemoryPolicy = value;
    }

    /** How the memory of the JVM is divided. */
    MemoryPlan memory() {
        return memory;
    }

    /** Memory of the commands queued between MULTI and EXEC, of all clients. */
    QueueMemory queueMemory() {
        return queueMemory;
    }

    /**
     * Most bytes that all clients together may have sent and left unread: {@code maxmemory-clients}.
     *
     * @return 0 for no limit
     */
    public long maxMemoryClients() {
        return maxMemoryClients.of(memory.direct());
    }

    /** The same as it was set. */
    MemoryShare maxMemoryClientsShare() {
        return maxMemoryClients;
    }

    void maxMemoryClients(MemoryShare value) {
        maxMemoryClients = value;
    }

    /**
     * Most bytes that one client may have sent and that wait to be executed: {@code client-query-buffer-limit}.
     *
     * @return at least 1 MiB
     */
    public long queryBufferLimit() {
        return queryBufferLimit;
    }

    void queryBufferLimit(long value) {
        queryBufferLimit = value;
    }

    /** Most commands of a client in flight. */
    int inFlightCommands() {
        return IN_FLIGHT_COMMANDS;
    }

    /** Most bytes that the replies in flight of a client may take, as far as that can be foreseen. */
    int inFlightBytes() {
        return IN_FLIGHT_BYTES;
    }

    /** A client wants in; false if there are too many. */
    boolean admit() {
        if (clients.incrementAndGet() > maxClients) {
            clients.decrementAndGet();
            return false;
        }
        return true;
    }

    /** An admitted client is gone. */
    void leave() {
        clients.decrementAndGet();
    }

    /**
     * Clients connected now.
     *
     * @return number
     */
    public int clients() {
        return clients.get();
    }
}
