package io.verbena.bench.check.redis;

import io.verbena.bench.check.CheckOptions;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;

/** What a check does, as the command line says; {@link #conclude} names both values of what does not fit. */
public final class RedisCheckContext extends CheckOptions {
    private static final int MIN_CLIENTS = 30;
    private static final int MAX_CLIENTS = 20_000;
    private static final int MAX_THREADS = 16;

    @Option(names = "--password", paramLabel = "P", description = "Password of the server, or of its users.")
    String password = "";

    @Option(
            names = "--users",
            paramLabel = "<user>",
            split = ",",
            description = "Users that the clients are of, in turn: the tenants of a server that has some.")
    List<String> users = new ArrayList<>();

    @Option(names = "--clients", paramLabel = "N", description = "Connections (${DEFAULT-VALUE}).")
    int clients = 200;

    @Option(
            names = "--max-value",
            paramLabel = "SIZE",
            defaultValue = "64m",
            converter = Size.class,
            description = "Largest value, such as 64k or 1m (${DEFAULT-VALUE}).")
    long maxValue;

    @Option(names = "--max-depth", paramLabel = "N", description = "Most commands sent ahead (${DEFAULT-VALUE}).")
    int maxDepth = 10000;

    @Option(
            names = "--max-data",
            paramLabel = "SIZE",
            defaultValue = "256m",
            converter = Size.class,
            description = "Data that the load keeps in the server at most, about (${DEFAULT-VALUE}).")
    long maxData;

    @Option(
            names = "--allow-oom",
            description = "Writes may be refused with OOM, and must then not have happened."
                    + " Leaves transactions out, and deaths on own keys.")
    boolean allowOom;

    @Option(
            names = "--no-half-close",
            negatable = false,
            description = "Leave out clients that shut their output and read on.")
    boolean noHalfClose;

    @Option(
            names = "--scenario",
            split = ",",
            paramLabel = "NAME",
            description = "Nothing but these scenarios, with all clients.")
    List<String> scenarios = List.of();

    /** Whether nobody else uses the server, so that it must be empty in the end. */
    boolean own;

    private String host = "127.0.0.1";
    private int port;

    /** Checks the settings. */
    void conclude() {
        range("port", port, 1, 65535);
        range("clients", clients, MIN_CLIENTS, MAX_CLIENTS);
        range("threads", threads(), 1, MAX_THREADS);
        range("max-value", maxValue, 1 << 10, 512L << 20);
        range("max-depth", maxDepth, 1, 1_000_000);
        range("max-data", maxData, 16L << 20, 1L << 40);
        if (!(seconds() > 0) || !(stallSeconds() > 0)) {
            throw new IllegalArgumentException(
                    "seconds " + seconds() + " or stall timeout " + stallSeconds() + " <= 0");
        }
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
    RedisCheckContext address(String serverHost, int serverPort) {
        host = serverHost;
        port = serverPort;
        return this;
    }

    String address() {
        return host + ":" + port;
    }

    InetSocketAddress socketAddress() {
        return new InetSocketAddress(host, port);
    }

    int maxValue() {
        return (int) maxValue;
    }

    long stallNanos() {
        return (long) (stallSeconds() * TimeUnit.SECONDS.toNanos(1));
    }

    /** The command that makes the same choices again, without what a server of its own was started with. */
    String replay() {
        return String.format(
                "./verbena check redis --seed %d --seconds %.0f --clients %d --threads %d --max-value %d --max-depth %d"
                        + " --max-data %d%s%s%s",
                seed(),
                seconds(),
                clients,
                threads(),
                maxValue,
                maxDepth,
                maxData,
                allowOom ? " --allow-oom" : "",
                noHalfClose ? " --no-half-close" : "",
                scenarios.isEmpty() ? "" : " --scenario " + String.join(",", scenarios));
    }

    /** Reads bytes with k, m or g. */
    static final class Size implements ITypeConverter<Long> {
        @Override
        public Long convert(String value) {
            String text = value.toLowerCase(Locale.ROOT).replaceAll("i?b$", "");
            int shift = switch (text.isEmpty() ? ' ' : text.charAt(text.length() - 1)) {
                case 'k' -> 10;
                case 'm' -> 20;
                case 'g' -> 30;
                default -> 0;
            };
            return Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1)) << shift;
        }
    }
}
