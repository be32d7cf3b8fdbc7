package io.verbena.fabric.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.ServerChannel;
import io.verbena.fabric.ListenException;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A bound, listening socket; if it is a Unix-domain one, its file too, which is removed at the end. A file that a dead
 * process left is taken over. Thread-safe.
 */
public final class ListeningSocket implements AutoCloseable {
    /** What the kernel takes, less the zero byte. */
    private static final int MAX_PATH = 107;

    private static final Set<PosixFilePermission> OF_OWNER = PosixFilePermissions.fromString("rw-------");
    private static final Set<PosixFilePermission> OF_ALL = PosixFilePermissions.fromString("rw-rw-rw-");
    private static final Logger LOG = LoggerFactory.getLogger(ListeningSocket.class);

    private final ServerChannel channel;
    private final SocketAddress address;
    private final @Nullable Path file;

    private ListeningSocket(ServerChannel channel, SocketAddress address, @Nullable Path file) {
        this.channel = channel;
        this.address = address;
        this.file = file;
    }

    /**
     * Binds, without a running loop.
     *
     * @param transport that the channel is to be of
     * @param address TCP or Unix-domain
     * @param backlog connections that the kernel queues
     * @param ofOwner whether a Unix-domain socket is for its owner alone, mode 0600; else any user may connect
     * @return the socket
     * @throws ListenException if the address is not available
     */
    public static ListeningSocket bind(SocketTransport transport, SocketAddress address, int backlog, boolean ofOwner) {
        Path file = SocketTransport.isDomain(address) ? Path.of(SocketTransport.path(address)) : null;
        if (file != null) {
            checkPath(file);
            takeOver(file);
        }
        try {
            ServerChannel channel = transport.bind(transport.address(address), backlog, () -> protect(file, ofOwner));
            SocketAddress bound = file == null ? channel.localAddress() : address;
            return new ListeningSocket(channel, bound, file);
        } catch (IOException | RuntimeException e) {
            throw new ListenException("cannot listen on " + address + ": " + remedy(e, file), e);
        }
    }

    /** Before anybody can connect. */
    private static void protect(@Nullable Path file, boolean ofOwner) throws IOException {
        if (file != null) {
            Files.setPosixFilePermissions(file, ofOwner ? OF_OWNER : OF_ALL);
        }
    }

    private static void checkPath(Path file) {
        if (file.toString().length() > MAX_PATH) {
            throw new ListenException(
                    "cannot listen on " + file + ": the path has "
                            + file.toString().length() + " characters, the kernel takes " + MAX_PATH
                            + "; choose a shorter one",
                    null);
        }
        Path directory = file.toAbsolutePath().getParent();
        if (directory == null || !Files.isDirectory(directory)) {
            throw new ListenException(
                    "cannot listen on " + file + ": there is no directory " + directory + "; create it first", null);
        }
    }

    private static void takeOver(Path file) {
        if (!Files.exists(file)) {
            return;
        }
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.connect(UnixDomainSocketAddress.of(file));
        } catch (IOException e) {
            removeStale(file);
            return;
        }
        throw new ListenException(
                "cannot listen on " + file + ": another process listens there; stop it or choose another path", null);
    }

    private static void removeStale(Path file) {
        try {
            if (Files.isRegularFile(file) || Files.isDirectory(file)) {
                throw new ListenException(
                        "cannot listen on " + file + ": it is a file and no socket; choose another path", null);
            }
            Files.deleteIfExists(file);
        } catch (IOException e) {
            throw new ListenException(
                    "cannot listen on " + file + ": a dead process left it and it cannot be removed: " + e.getMessage(),
                    e);
        }
    }

    private static String remedy(Exception e, @Nullable Path file) {
        String message = String.valueOf(e.getMessage());
        String lower = message.toLowerCase(Locale.ROOT);
        if (lower.contains("in use")) {
            return file == null
                    ? "the port is in use; choose another, or 0 for any free one"
                    : "the path is in use; choose another";
        }
        if (lower.contains("permission denied")) {
            return "permission denied; choose a port above 1023 or a directory that you may write";
        }
        if (lower.contains("cannot assign")) {
            return "this host has no such address; choose one of its own, or 0.0.0.0";
        }
        return message;
    }

    /** The channel, bound and not yet registered with a loop. */
    public Channel channel() {
        return channel;
    }

    /**
     * Lets a loop accept connections, from when it is driven next.
     *
     * <p>The socket listens already, and the kernel lets peers in. A bootstrap puts the handler that takes them in
     * place by a task of the loop, and a loop looks at its sockets before it runs its tasks; so where the loop's owner
     * is the one that calls this, a peer that was quick would be accepted by nobody, and wait in vain for its hello.
     * The socket is not read before that handler is there.
     *
     * @param bootstrap with everything but the group and the channel
     * @param loop that drives the socket and those that are accepted
     */
    public void accept(ServerBootstrap bootstrap, EventLoop loop) {
        bootstrap
                .group(loop)
                .channelFactory(() -> channel)
                .option(ChannelOption.AUTO_READ, false)
                .register()
                .addListener(registered -> {
                    if (registered.isSuccess()) {
                        loop.execute(() -> channel.config().setAutoRead(true)); // behind the bootstrap's own task
                    }
                });
    }

    /** The address as bound. */
    public SocketAddress address() {
        return address;
    }

    /** Whether it is a Unix-domain socket. */
    public boolean isDomain() {
        return file != null;
    }

    /** Stops listening and removes the file. Idempotent. */
    @Override
    public void close() {
        if (file != null) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                LOG.warn("cannot remove the socket {}: {}", file, e.getMessage());
            }
        }
        channel.close();
    }
}
