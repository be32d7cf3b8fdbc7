package io.verbena.admin;

import io.verbena.fabric.ListenException;
import io.verbena.nic.port.LogRateLimiter;
import java.io.Closeable;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where an administrator queries and sets up a node, a line each; see {@link AdminSession}. A Unix-domain socket that
 * only its user can open: it is made in a directory that nobody else can enter, and put in its place when its
 * permissions are set.
 *
 * <p>One client at a time, by a thread of its own; one that says nothing for 10 s, or does not read, is turned out.
 */
public final class AdminSocket implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(AdminSocket.class);
    private static final long IDLE_MILLIS = TimeUnit.SECONDS.toMillis(10);
    private static final long AFTER_FAILURE = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int MAX_LINE = 256;
    private static final long END_MILLIS = TimeUnit.SECONDS.toMillis(2);

    private final NanoClock clock;
    private final Administered administered;
    private final Path path;
    private final @Nullable Object fileKey; // of the socket, as long as it is at the path
    private final ServerSocketChannel server;
    private final Selector selector;
    private final Thread thread;
    private final LogRateLimiter failures = new LogRateLimiter();
    private volatile boolean closed;

    private AdminSocket(
            String node,
            NanoClock clock,
            Administered administered,
            Path path,
            @Nullable Object fileKey,
            ServerSocketChannel server,
            Selector selector) {
        this.clock = clock;
        this.administered = administered;
        this.path = path;
        this.fileKey = fileKey;
        this.server = server;
        this.selector = selector;
        this.thread = new Thread(this::run, "verbena-admin-" + node);
        thread.setDaemon(true);
    }

    /**
     * Opens a node's socket.
     *
     * @param node its name
     * @param administered its tenants
     * @param path of the socket
     * @throws ListenException if it is not available; the message says why
     */
    public static AdminSocket open(String node, NanoClock clock, Administered administered, Path path) {
        ServerSocketChannel server = null;
        Selector selector = null;
        try {
            takeOver(path);
            server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            selector = Selector.open();
            Object fileKey = bind(server, path);
            server.configureBlocking(false);
            AdminSocket socket = new AdminSocket(node, clock, administered, path, fileKey, server, selector);
            socket.thread.start();
            return socket;
        } catch (IOException | RuntimeException e) {
            close(server);
            close(selector);
            throw e instanceof ListenException already
                    ? already
                    : new ListenException("cannot listen on " + path + ": " + e.getMessage(), e);
        }
    }

    /** Binds the socket and puts it in its place. Returns what tells its file from others. */
    private static @Nullable Object bind(ServerSocketChannel server, Path path) throws IOException {
        Path parent = path.toAbsolutePath().getParent();
        if (parent == null || !Files.isDirectory(parent)) {
            throw new ListenException(
                    "cannot listen on " + path + ": there is no directory " + parent + "; create it first", null);
        }
        Path room = Files.createTempDirectory(
                parent, ".", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Path socket = room.resolve("s");
        try {
            server.bind(UnixDomainSocketAddress.of(socket), 1);
            Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
            Object fileKey = fileKey(socket);
            Files.move(socket, path, StandardCopyOption.ATOMIC_MOVE);
            return fileKey;
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(room);
        }
    }

    /** What tells a file from others while it exists: device and inode. */
    private static @Nullable Object fileKey(Path file) throws IOException {
        return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .fileKey();
    }

    /** Removes what a dead node left. */
    private static void takeOver(Path path) throws IOException {
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        if (!Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
                .isOther()) {
            throw new ListenException("cannot listen on " + path + ": it is no socket; choose another path", null);
        }
        boolean lives;
        try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            probe.configureBlocking(false);
            probe.connect(UnixDomainSocketAddress.of(path)); // one that has no place in its queue lives too
            lives = true;
        } catch (ConnectException e) {
            lives = false;
        }
        if (lives) {
            throw new ListenException(
                    "cannot listen on " + path + ": another process listens there; stop it or choose another path",
                    null);
        }
        Files.deleteIfExists(path);
    }

    private void run() {
        while (!closed) {
            try {
                SelectionKey key = server.register(selector, SelectionKey.OP_ACCEPT);
                selector.select();
                selector.selectedKeys().clear();
                SocketChannel client = closed ? null : server.accept();
                if (client != null) {
                    key.interestOps(0);
                    serve(client);
                }
            } catch (IOException e) {
                if (!closed) {
                    LOG.debug("admin socket {}: {}", path, e.getMessage());
                    LockSupport.parkNanos(this, AFTER_FAILURE);
                }
            } catch (ClosedSelectorException e) {
                return;
            }
        }
    }

    private void serve(SocketChannel client) {
        try (client) {
            client.configureBlocking(false);
            AdminSession session = new AdminSession(administered);
            byte[] bytes = new byte[MAX_LINE];
            ByteBuffer in = ByteBuffer.wrap(bytes);
            while (await(client, SelectionKey.OP_READ) && client.read(in) >= 0) {
                answer(client, in, bytes, session);
                if (!in.hasRemaining()) {
                    write(client, "error line of more than " + (MAX_LINE - 1) + " bytes\n");
                    return;
                }
            }
        } catch (IOException e) {
            LOG.debug("admin socket {}: client: {}", path, e.getMessage());
        } catch (ClosedSelectorException e) {
            throw e;
        } catch (RuntimeException e) {
            long leftOut = failures.ask(clock.nanoTime());
            if (leftOut >= 0) {
                LOG.warn(
                        "admin socket {}: a client's line met an error, and it was turned out; {} such lines left out",
                        path,
                        leftOut,
                        e);
            }
        }
    }

    /** Answers the lines that are complete, and keeps the rest. */
    private void answer(SocketChannel client, ByteBuffer in, byte[] bytes, AdminSession session) throws IOException {
        int begin = 0;
        for (int i = 0; i < in.position(); i++) {
            if (in.get(i) == '\n') {
                String line = new String(bytes, begin, i - begin, StandardCharsets.US_ASCII);
                write(client, session.answer(line.strip()));
                begin = i + 1;
            }
        }
        in.limit(in.position()).position(begin);
        in.compact();
    }

    private void write(SocketChannel client, String text) throws IOException {
        ByteBuffer out = ByteBuffer.wrap(text.getBytes(StandardCharsets.US_ASCII));
        while (client.write(out) >= 0 && out.hasRemaining()) {
            if (!await(client, SelectionKey.OP_WRITE)) {
                throw new IOException("it does not read");
            }
        }
    }

    /** Waits until a client can be read or written; false if it is time for it to go. */
    private boolean await(SocketChannel client, int operation) throws IOException {
        client.register(selector, operation);
        int ready = selector.select(IDLE_MILLIS);
        selector.selectedKeys().clear();
        return ready > 0 && !closed;
    }

    private static void close(@Nullable Closeable resource) {
        try {
            if (resource != null) {
                resource.close();
            }
        } catch (IOException e) {
            LOG.debug("admin socket: {}", e.getMessage());
        }
    }

    /**
     * Removes the socket, if it is still this one: its file may have been deleted, and another process listen there
     * now.
     */
    private void remove() {
        try {
            if (Objects.equals(fileKey(path), fileKey)) {
                Files.deleteIfExists(path);
            }
        } catch (NoSuchFileException e) {
            LOG.debug("the socket {} has been removed already", path);
        } catch (IOException e) {
            LOG.warn("cannot remove the socket {}: {}", path, e.getMessage());
        }
    }

    /** Turns the client out, and removes the socket. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        selector.wakeup();
        boolean interrupted = false;
        try {
            thread.join(END_MILLIS);
        } catch (InterruptedException e) {
            interrupted = true;
        }
        remove(); // while it is bound: its inode is nobody else's
        close(server);
        close(selector);
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
