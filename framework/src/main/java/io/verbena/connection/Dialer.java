package io.verbena.connection;

import io.verbena.Address;
import io.verbena.ConnectionException;
import io.verbena.fabric.Nanos;
import io.verbena.fabric.security.PeerIdentity;
import io.verbena.link.Links;
import io.verbena.nic.engine.Engine;
import io.verbena.nic.port.Link;
import io.verbena.nic.port.MemoryExhaustedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to addresses: finds or makes the link, and waits for the handshake. In the mode INVOKER whoever
 * waits does the node's work meanwhile.
 *
 * <p>Thread-safe.
 */
public final class Dialer {
    private static final long CONNECT_LOOK = TimeUnit.MILLISECONDS.toNanos(10);

    private final LocalNode node;
    private final boolean invoker;
    private final Engine engine;
    private final Connections connections;
    private final Handshake handshake;
    private final Links links;
    private final BooleanSupplier isClosing;
    private final Executor executor;

    /**
     * Creates it, for a node that drives itself or is driven by an invoker.
     *
     * @param executor runs what nobody waits for
     */
    public Dialer(
            LocalNode node,
            boolean invoker,
            Engine engine,
            Connections connections,
            Links links,
            BooleanSupplier isClosing,
            Executor executor) {
        this.node = node;
        this.invoker = invoker;
        this.engine = engine;
        this.connections = connections;
        this.handshake = connections.handshake();
        this.links = links;
        this.isClosing = isClosing;
        this.executor = executor;
    }

    /**
     * Opens a connection.
     *
     * @throws ConnectionException if it cannot be made in time; says why
     */
    public Connection open(
            Address address,
            int kind,
            ConnectionOwner owner,
            @Nullable MessageQueue answersTo,
            ChannelSettings settings,
            Duration timeout) {
        String target = checkName(address);
        long deadline = Nanos.fromNow(timeout);
        return address.scheme() == Address.Scheme.LOCAL
                ? openLocal(address, target, kind, owner, answersTo, settings)
                : openRemote(address, target, kind, owner, answersTo, settings, timeout, deadline);
    }

    /**
     * Opens a connection while nobody waits: the node's work goes on by whoever does it.
     *
     * @return ends with a {@link ConnectionException} that says why; what depends on it is not run by the node
     */
    public CompletableFuture<Connection> openAsync(
            Address address,
            int kind,
            ConnectionOwner owner,
            @Nullable MessageQueue answersTo,
            ChannelSettings settings,
            Duration timeout) {
        String target = checkName(address);
        long deadline = Nanos.fromNow(timeout);
        CompletableFuture<Connection> made = address.scheme() == Address.Scheme.LOCAL
                ? CompletableFuture.supplyAsync(
                        () -> openLocal(address, target, kind, owner, answersTo, settings), executor)
                : CompletableFuture.supplyAsync(
                                () -> links.connect(address, timeout), executor) // may look up a host's name
                        .thenCompose(link -> link)
                        .thenComposeAsync(
                                link -> ask(link, target, kind, owner, answersTo, settings, deadline)
                                        .exceptionallyComposeAsync(
                                                failed -> isNotShared(failed)
                                                        ? ask(
                                                                link,
                                                                target,
                                                                kind,
                                                                owner,
                                                                answersTo,
                                                                settings.apart(),
                                                                deadline)
                                                        : CompletableFuture.failedFuture(failed),
                                                executor),
                                executor);
        return made.handleAsync(
                (connection, failed) -> {
                    if (failed == null) {
                        return connection;
                    }
                    throw failure(address, failed instanceof CompletionException wrapped ? wrapped.getCause() : failed);
                },
                executor);
    }

    private CompletableFuture<Connection> ask(
            Link link,
            String target,
            int kind,
            ConnectionOwner owner,
            @Nullable MessageQueue answersTo,
            ChannelSettings settings,
            long deadline) {
        Connection c = handshake.prepare(link.peerNic(), kind, target, owner, answersTo, settings, true);
        CompletableFuture<Connection> opened = c.opened(); // which ends with it
        handshake.ask(c, answersTo, link.maxPacket());
        return opened.orTimeout(deadline - System.nanoTime(), TimeUnit.NANOSECONDS)
                .whenCompleteAsync((done, failed) -> handshake.abandon(c), executor);
    }

    private static boolean isNotShared(Throwable failed) {
        return failed instanceof NotSharedException
                || (failed instanceof CompletionException && failed.getCause() instanceof NotSharedException);
    }

    private static String checkName(Address address) {
        String target = address.name();
        if (target == null) {
            throw new IllegalArgumentException("address '" + address + "' lacks a name");
        }
        return target;
    }

    private Connection openLocal(
            Address address,
            String target,
            int kind,
            ConnectionOwner owner,
            @Nullable MessageQueue answersTo,
            ChannelSettings settings) {
        LocalNode peer = NodeRegistry.find(address.target());
        if (peer == null || !NodeRegistry.link(node, peer)) {
            throw new ConnectionException(
                    "cannot connect to " + address + ": no node '" + address.target() + "' runs in this process");
        }
        Connection c = handshake.prepare(peer.nicId(), kind, target, owner, answersTo, settings, false);
        try {
            ConnectionFlyweight reply = peer.handshake()
                    .answer(
                            node.nicId(),
                            handshake.request(c, answersTo, Links.maxPacket(NodeRegistry.ringLength(node, peer))),
                            PeerIdentity.SAME_PROCESS);
            if (reply.type() != ConnectionFlyweight.REPLY) {
                if (handshake.rejection(c, reply) instanceof NotSharedException) {
                    return openLocal(address, target, kind, owner, answersTo, settings.apart());
                }
                throw new ConnectionException("cannot connect to " + address + ": " + reply.text());
            }
            ConnectionFlyweight ready = handshake.answered(peer.nicId(), reply);
            peer.handshake().ready(node.nicId(), ready);
            peer.wake();
            return c;
        } finally {
            handshake.abandon(c); // unless it is open
        }
    }

    private Connection openRemote(
            Address address,
            String target,
            int kind,
            ConnectionOwner owner,
            @Nullable MessageQueue answersTo,
            ChannelSettings settings,
            Duration timeout,
            long deadline) {
        Link link;
        try {
            link = await(links.connect(address, timeout), deadline, address);
        } catch (MemoryExhaustedException e) { // for the rings
            throw failure(address, e);
        }
        Connection c = handshake.prepare(link.peerNic(), kind, target, owner, answersTo, settings, true);
        CompletableFuture<Connection> opened = c.opened(); // which ends with it
        try {
            handshake.ask(c, answersTo, link.maxPacket());
            return await(opened, deadline, address);
        } catch (NotSharedException e) {
            return openRemote(address, target, kind, owner, answersTo, settings.apart(), timeout, deadline);
        } finally {
            handshake.abandon(c); // unless it is open
        }
    }

    /** Waits for an answer, in real time, and meanwhile does the node's work if nobody else does. */
    private <T> T await(CompletableFuture<T> answer, long deadline, Address address) {
        while (true) {
            long left = deadline - System.nanoTime();
            try {
                if (answer.isDone() || !invoker) {
                    return answer.get(Math.max(left, 0), TimeUnit.NANOSECONDS);
                }
            } catch (ExecutionException e) {
                if (e.getCause() instanceof NotSharedException apart) {
                    throw apart;
                }
                throw failure(address, e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new ConnectionException("cannot connect to " + address + ": interrupted", e);
            } catch (TimeoutException e) {
                throw noAnswer(address);
            }
            if (left <= 0) {
                throw noAnswer(address);
            }
            if (isClosing.getAsBoolean()) {
                throw new ConnectionException("cannot connect to " + address + ": " + node + " was closed");
            }
            if (engine.doWork() + connections.doWork(connections.clock().nanoTime()) == 0) {
                engine.await(Math.min(left, CONNECT_LOOK));
            }
        }
    }

    private static ConnectionException noAnswer(Address address) {
        return new ConnectionException(
                "cannot connect to " + address + ": no answer within the timeout; is its node's work being done?");
    }

    private static ConnectionException failure(Address address, @Nullable Throwable cause) {
        if (cause instanceof TimeoutException) {
            return noAnswer(address);
        }
        String reason = cause == null ? "unknown" : String.valueOf(cause.getMessage());
        int colon = reason.startsWith("cannot connect to ") ? reason.indexOf(": ") : -1; // said of the socket's address
        String text = "cannot connect to " + address + ": " + (colon < 0 ? reason : reason.substring(colon + 2));
        return cause == null ? new ConnectionException(text) : new ConnectionException(text, cause);
    }
}
