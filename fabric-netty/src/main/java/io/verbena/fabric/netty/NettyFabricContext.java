package io.verbena.fabric.netty;

import io.netty.util.internal.PlatformDependent;
import io.verbena.fabric.security.SharedSecret;
import io.verbena.fabric.security.TlsCredentials;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a {@link NettyFabric}. Not thread-safe; read once, by the fabric's constructor.
 */
public final class NettyFabricContext {
    private static final long MIN_RECEIVE_BUDGET = 1 << 20;

    private int maxPacket = 64 * 1024 + 128;
    private int sendWindow = 256 * 1024;
    private int sendBufferLength = 64 * 1024;
    private int notSentLowWater = 512 * 1024;
    private int receiveLimit = 1024 * 1024;
    private int maxReceiveBuffer = 128 * 1024;
    private long receiveBudget = defaultReceiveBudget();
    private int maxConnections = 4096;
    private int backlog = 1024;
    private Duration helloTimeout = Duration.ofSeconds(5);
    private Duration frameTimeout = Duration.ofSeconds(10);
    private Duration minReconnectDelay = Duration.ofMillis(20);
    private Duration maxReconnectDelay = Duration.ofSeconds(5);
    private Duration reconnectFor = Duration.ofMinutes(1);
    private @Nullable TlsCredentials tls;
    private @Nullable SharedSecret secret;
    private Set<Integer> allowedUsers = Set.of();
    private boolean insecure;

    /** Creates settings with the defaults. */
    public NettyFabricContext() {}

    /** Largest packet in bytes, headers included; a link takes the smaller of both sides'. Default 64 KiB + 128. */
    public NettyFabricContext maxPacket(int bytes) {
        maxPacket = checkRange("maxPacket", bytes, 512, 16 << 20);
        return this;
    }

    /** Most bytes that a link holds unsent before it says that there is no room. Default 256 KiB. */
    public NettyFabricContext sendWindow(int bytes) {
        sendWindow = checkRange("sendWindow", bytes, 1024, 64 << 20);
        return this;
    }

    /** Bytes of each send buffer; raised to one largest packet if it is less. Default 64 KiB. */
    public NettyFabricContext sendBufferLength(int bytes) {
        sendBufferLength = checkRange("sendBufferLength", bytes, 1024, 16 << 20);
        return this;
    }

    /**
     * Bytes that the kernel is asked to hold: unsent on a TCP connection, unread by the peer on a Unix-domain one. With
     * NIO it is not asked. Default 512 KiB.
     */
    public NettyFabricContext notSentLowWater(int bytes) {
        notSentLowWater = checkRange("notSentLowWater", bytes, 4096, 64 << 20);
        return this;
    }

    /** Bytes of received buffers that wait to be polled, above which a link stops reading. Default 1 MiB. */
    public NettyFabricContext receiveLimit(int bytes) {
        receiveLimit = checkRange("receiveLimit", bytes, 4096, 256 << 20);
        return this;
    }

    /**
     * Bytes of direct memory that all connections together may hold for what they receive, at least 1 MiB. Above half
     * of it each reads little at a time; where it is used up, the connection whose frame has been unfinished for
     * longest is closed. Default: a quarter of the direct memory that the process may have, at most 256 MiB.
     */
    public NettyFabricContext receiveBudget(long bytes) {
        if (bytes < MIN_RECEIVE_BUDGET) {
            throw new IllegalArgumentException("receiveBudget " + bytes + " < minimum " + MIN_RECEIVE_BUDGET);
        }
        receiveBudget = bytes;
        return this;
    }

    private static long defaultReceiveBudget() {
        return Math.max(MIN_RECEIVE_BUDGET, Math.min(256L << 20, PlatformDependent.estimateMaxDirectMemory() / 4));
    }

    /** Bytes of the largest receive buffer; they start at 4 KiB and follow the traffic. Default 128 KiB. */
    public NettyFabricContext maxReceiveBuffer(int bytes) {
        maxReceiveBuffer = checkRange("maxReceiveBuffer", bytes, 2048, 16 << 20);
        return this;
    }

    /**
     * Most connections that are let in, those in their hello included. When there are so many, a new one takes the
     * place of the one that has been silent for longest: of those in their hello, or of the links over which no packet
     * has come. Default 4096.
     */
    public NettyFabricContext maxConnections(int connections) {
        maxConnections = checkRange("maxConnections", connections, 1, 1 << 20);
        return this;
    }

    /** Connections that the kernel queues before they are accepted. Default 1024. */
    public NettyFabricContext backlog(int connections) {
        backlog = checkRange("backlog", connections, 1, 65535);
        return this;
    }

    /** Time in which a peer must have said its hello. Default 5 s. */
    public NettyFabricContext helloTimeout(Duration timeout) {
        helloTimeout = checkPositive("helloTimeout", timeout);
        return this;
    }

    /**
     * Time in which a frame that has begun must be there whole; and while more than half of {@link #maxConnections} are
     * taken, in which the first packet must come over a link. Default 10 s.
     */
    public NettyFabricContext frameTimeout(Duration timeout) {
        frameTimeout = checkPositive("frameTimeout", timeout);
        return this;
    }

    /**
     * Delays between attempts to bring a broken link back: doubled from the first to the second, less a random part.
     */
    public NettyFabricContext reconnectDelay(Duration min, Duration max) {
        if (checkPositive("minReconnectDelay", min).compareTo(checkPositive("maxReconnectDelay", max)) > 0) {
            throw new IllegalArgumentException("minReconnectDelay " + min + " > maxReconnectDelay " + max);
        }
        minReconnectDelay = min;
        maxReconnectDelay = max;
        return this;
    }

    /**
     * How long after a break a link is tried to be brought back, before that is given up. Default 1 minute, which is
     * more than the retry budget of a queue pair.
     */
    public NettyFabricContext reconnectFor(Duration time) {
        reconnectFor = checkPositive("reconnectFor", time);
        return this;
    }

    /**
     * Speaks mutual TLS 1.3 on TCP, and nothing else; Unix-domain sockets stay as they are. Without it, the default,
     * TCP is in clear.
     */
    public NettyFabricContext tls(TlsCredentials credentials) {
        tls = credentials;
        return this;
    }

    /** Asks peers of links without TLS to prove a secret, and proves it to them. None by default. */
    public NettyFabricContext secret(SharedSecret shared) {
        secret = shared;
        return this;
    }

    /**
     * Numeric ids of users that may connect over Unix-domain sockets besides this process's own. None by default, and
     * the sockets are for their owner alone (mode 0600); with some, the kernel's word on who connects decides alone.
     */
    public NettyFabricContext allowedUsers(Set<Integer> users) {
        allowedUsers = Set.copyOf(users);
        return this;
    }

    /**
     * Whether this may listen beyond this machine though neither {@link #tls} nor {@link #secret} is set, so that
     * anybody who reaches the address is let in. Off by default.
     */
    public NettyFabricContext insecure(boolean wanted) {
        insecure = wanted;
        return this;
    }

    @Nullable
    SharedSecret secret() {
        return secret;
    }

    Set<Integer> allowedUsers() {
        return allowedUsers;
    }

    boolean insecure() {
        return insecure;
    }

    @Nullable
    TlsCredentials tls() {
        return tls;
    }

    int maxPacket() {
        return maxPacket;
    }

    int sendWindow() {
        return sendWindow;
    }

    int sendBufferLength() {
        return sendBufferLength;
    }

    int notSentLowWater() {
        return notSentLowWater;
    }

    int receiveLimit() {
        return receiveLimit;
    }

    long receiveBudget() {
        return receiveBudget;
    }

    int maxReceiveBuffer() {
        return maxReceiveBuffer;
    }

    int maxConnections() {
        return maxConnections;
    }

    int backlog() {
        return backlog;
    }

    Duration helloTimeout() {
        return helloTimeout;
    }

    Duration frameTimeout() {
        return frameTimeout;
    }

    Duration minReconnectDelay() {
        return minReconnectDelay;
    }

    Duration maxReconnectDelay() {
        return maxReconnectDelay;
    }

    Duration reconnectFor() {
        return reconnectFor;
    }

    private static int checkRange(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(
                    name + " " + value + (value < min ? " < minimum " + min : " > maximum " + max));
        }
        return value;
    }

    private static Duration checkPositive(String name, Duration value) {
        if (value.isZero() || value.isNegative()) {
            throw new IllegalArgumentException(name + " " + value + " is not positive");
        }
        return value;
    }
}
