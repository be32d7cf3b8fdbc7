package io.verbena.bench.check.redis;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a check is started with. Setters return this; {@link #conclude} checks it all once and names both values of what
 * does not fit.
 */
public final class RedisCheckContext {
    /** Clients by default. */
    public static final int CLIENTS = 200;

    /** Bytes of the largest value by default. */
    public static final long MAX_VALUE = 64L << 20;

    /** Most commands sent ahead by default. */
    public static final int MAX_DEPTH = 10_000;

    /** Bytes of data kept in the server by default. */
    public static final long MAX_DATA = 256L << 20;

    private static final int MIN_CLIENTS = 30;
    private static final int MAX_CLIENTS = 20_000;
    private static final int MAX_THREADS = 16;

    private String host = "127.0.0.1";
    private int port;
    private String password = "";
    private double seconds = 30;
    private long seed = 1;
    private int clients = CLIENTS;
    private int threads = 2;
    private long maxValue = MAX_VALUE;
    private int maxDepth = MAX_DEPTH;
    private long maxData = MAX_DATA;
    private double stallSeconds = 30;
    private boolean allowOom;
    private boolean halfClose = true;
    private boolean own;
    private List<String> scenarios = List.of();

    /** Checks the settings. */
    public RedisCheckContext conclude() {
        range("port", port, 1, 65535);
        range("clients", clients, MIN_CLIENTS, MAX_CLIENTS);
        range("threads", threads, 1, MAX_THREADS);
        range("max-value", maxValue, 1 << 10, 512L << 20);
        range("max-depth", maxDepth, 1, 1_000_000);
        range("max-data", maxData, 16L << 20, 1L << 40);
        if (!(seconds > 0) || !(stallSeconds > 0)) {
            throw new IllegalArgumentException("seconds " + seconds + " or stall timeout " + stallSeconds + " <= 0");
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

    /** Where the server listens. */
    public RedisCheckContext address(String host, int port) {
        this.host = host;
        this.port = port;
        return this;
    }

    String address() {
        return host + ":" + port;
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(host, port);
    }

    /** What the server wants to be told; empty for nothing. */
    public RedisCheckContext password(String value) {
        password = value;
        return this;
    }

    String password() {
        return password;
    }

    /** How long the load runs; the last look at everything comes on top. */
    public RedisCheckContext seconds(double value) {
        seconds = value;
        return this;
    }

    double seconds() {
        return seconds;
    }

    /** What the clients' choices are a function of. */
    public RedisCheckContext seed(long value) {
        seed = value;
        return this;
    }

    long seed() {
        return seed;
    }

    /** Connections, at least {@value #MIN_CLIENTS}. */
    public RedisCheckContext clients(int value) {
        clients = value;
        return this;
    }

    int clients() {
        return clients;
    }

    /** Threads of the client. */
    public RedisCheckContext threads(int value) {
        threads = value;
        return this;
    }

    int threads() {
        return threads;
    }

    /** Bytes of the largest value, 1 KiB to 512 MiB. */
    public RedisCheckContext maxValue(long value) {
        maxValue = value;
        return this;
    }

    int maxValue() {
        return (int) maxValue;
    }

    /** Most commands that are sent without waiting for a reply. */
    public RedisCheckContext maxDepth(int value) {
        maxDepth = value;
        return this;
    }

    int maxDepth() {
        return maxDepth;
    }

    /** Bytes of data that the load keeps in the server, about; at least 16 MiB. */
    public RedisCheckContext maxData(long value) {
        maxData = value;
        return this;
    }

    long maxData() {
        return maxData;
    }

    /** How long a reply may take while nothing else moves on its connection. */
    public RedisCheckContext stallSeconds(double value) {
        stallSeconds = value;
        return this;
    }

    long stallNanos() {
        return (long) (stallSeconds * TimeUnit.SECONDS.toNanos(1));
    }

    /** Whether the server may refuse a write for want of memory; the write must then not have happened. */
    public RedisCheckContext allowOom(boolean value) {
        allowOom = value;
        return this;
    }

    boolean allowOom() {
        return allowOom;
    }

    /** Whether clients shut their output and still wait for the replies owed. */
    public RedisCheckContext halfClose(boolean value) {
        halfClose = value;
        return this;
    }

    boolean halfClose() {
        return halfClose;
    }

    /** Whether nobody else uses the server, so that it must be empty in the end. */
    public RedisCheckContext own(boolean value) {
        own = value;
        return this;
    }

    boolean own() {
        return own;
    }

    /** Names of scenarios to which the load is limited; none for the whole load. */
    public RedisCheckContext scenarios(List<String> value) {
        scenarios = List.copyOf(value);
        return this;
    }

    List<String> scenarios() {
        return scenarios;
    }

    /** The command that makes the same choices again, without what a server of its own was started with. */
    String replay() {
        return String.format(
                "./verbena check redis --seed %d --seconds %.0f --clients %d --threads %d --max-value %d --max-depth %d"
                        + " --max-data %d%s%s%s",
                seed,
                seconds,
                clients,
                threads,
                maxValue,
                maxDepth,
                maxData,
                allowOom ? " --allow-oom" : "",
                halfClose ? "" : " --no-half-close",
                scenarios.isEmpty() ? "" : " --scenario " + String.join(",", scenarios));
    }
}
