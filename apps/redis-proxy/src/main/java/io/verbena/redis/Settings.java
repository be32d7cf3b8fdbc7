package io.verbena.redis;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * What can be set while the proxy runs, by CONFIG SET; and what cannot, for CONFIG GET. Any thread reads and writes; each
 * value is taken over by itself.
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

    Settings(ProxyContext context) {
        this.context = context;
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

    /** Most bytes that all clients together may take; 0 for no limit. */
    long maxMemoryClients() {
        return 256L << 20;
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
