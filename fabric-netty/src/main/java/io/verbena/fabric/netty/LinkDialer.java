package io.verbena.fabric.netty;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.verbena.fabric.ConnectFailure;
import io.verbena.fabric.Deadline;
import io.verbena.fabric.Nanos;
import io.verbena.nic.port.Link;
import java.net.ConnectException;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one connection to one address: makes it, and brings it back after a break, with delays that double from attempt
 * to attempt and have a random part, until it is closed or has failed for too long.
 *
 * <pre>
 *   connecting ──hello──▶ up ──break──▶ waiting ──delay──▶ connecting ──too long──▶ closed
 *       └── first attempt fails: the future fails, and that is all
 * </pre>
 *
 * <p>Concurrency: of the loop's owner, but for {@link #close} and the future.
 */
final class LinkDialer {
    private static final Logger LOG = LoggerFactory.getLogger(LinkDialer.class);
    private static final int MAX_DOUBLINGS = 20;

    private final NettyFabric fabric;
    private final SocketAddress address;
    private final CompletableFuture<Link> first = new CompletableFuture<>();
    private final long minDelayNanos;
    private final long maxDelayNanos;
    private final long reconnectForNanos;
    private volatile boolean closed;
    private volatile @Nullable Channel channel;
    private Duration helloTimeout; // of an attempt; by the owner, but for the first
    private boolean hadLink;
    private int failures;
    private long linkSince;
    private long brokenSince; // since when it has not been up for long

    LinkDialer(NettyFabric fabric, SocketAddress address) {
        this.fabric = fabric;
        this.address = address;
        this.helloTimeout = fabric.context().helloTimeout();
        this.minDelayNanos = Nanos.of(fabric.context().minReconnectDelay());
        this.maxDelayNanos = Nanos.of(fabric.context().maxReconnectDelay());
        this.reconnectForNanos = Nanos.of(fabric.context().reconnectFor());
    }

    /** Where it connects to. */
    SocketAddress address() {
        return address;
    }

    /** How long each hello of an attempt may take: of the first as long as the caller waits. */
    Duration helloTimeout() {
        return helloTimeout;
    }

    /** Starts the first attempt; any thread. */
    CompletableFuture<Link> start(Duration timeout) {
        helloTimeout = Deadline.longer(timeout, helloTimeout);
        Deadline.set(
                first,
                timeout,
                () -> fail("cannot connect to " + address + " within " + timeout.toMillis()
                        + " ms: is a node listening there, and is this node's thread running?"));
        attempt();
        return first;
    }

    private void attempt() {
        if (closed) {
            return;
        }
        ChannelFuture future = fabric.open(address, this);
        channel = future.channel();
        future.addListener(done -> {
            if (!done.isSuccess()) {
                attemptFailed(ConnectFailure.reason(done.cause()));
            }
        });
    }

    /** The connection or its hello failed; by the owner. */
    void attemptFailed(String reason) {
        fabric.counters().countFailedConnect();
        if (hadLink) {
            LOG.debug("attempt {} to reach {} again failed: {}", failures + 1, address, reason);
            again();
        } else {
            fail("cannot connect to " + address + ": " + reason);
        }
    }

    private void fail(String message) {
        if (first.completeExceptionally(new ConnectException(message))) {
            close();
        }
    }

    /** The hello is done, and nobody knows of the link yet; by the owner. */
    void helloDone() {
        if (hadLink) {
            fabric.counters().countReconnect();
        }
        hadLink = true;
        helloTimeout = fabric.context().helloTimeout();
        linkSince = System.nanoTime();
    }

    /** The engine knows of the link; by the owner. */
    void linkUp(NettyLink link) {
        if (!first.isDone()) {
            first.complete(link);
        }
    }

    /**
     * The peer has a link already that it made itself, or that another connector keeps: that is the one. By the owner.
     */
    void adopt(NettyLink link) {
        first.complete(link);
        close();
    }

    boolean isClosed() {
        return closed;
    }

    /** The link broke; by the owner. */
    void linkBroken() {
        // A peer that takes each connection only to drop it is not hammered.
        if (failures == 0 || System.nanoTime() - linkSince > maxDelayNanos) {
            failures = 0;
            brokenSince = System.nanoTime();
        }
        again();
    }

    private void again() {
        if (closed) {
            return;
        }
        if (System.nanoTime() - brokenSince > reconnectForNanos) {
            LOG.debug("{} is given up: not reached within {} ns", address, reconnectForNanos);
            close();
            return;
        }
        long most = Math.min(maxDelayNanos, minDelayNanos << Math.min(failures, MAX_DOUBLINGS));
        if (most <= 0) {
            most = maxDelayNanos;
        }
        failures++;
        long delay = most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1);
        try {
            fabric.loop().schedule(this::attempt, delay, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            closed = true;
        }
    }

    /** Stops it, and closes a connection that is in its hello; any thread. */
    void close() {
        closed = true;
        fabric.forget(this);
        first.completeExceptionally(new ConnectException("connecting to " + address + " was given up: closed"));
        Channel open = channel;
        if (open != null) {
            open.close();
        }
    }
}
