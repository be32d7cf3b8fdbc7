package io.verbena.file;

import io.verbena.ConnectionException;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.RemoteMemoryException;
import io.verbena.tier.PagedMemory;
import io.verbena.tier.PagedOptions;
import java.io.IOException;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.WatchService;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A file system that is open, and what it consists of. Thread-safe. */
final class RemoteFileSystem extends FileSystem {
    private final RemoteFileSystemProvider provider;
    private final String name;
    private final @Nullable Node own; // closed with the file system
    private final int replicas;
    private final BlockPool pool;
    private final Tree tree;
    private final Duration timeout;
    private final Clock clock = Clock.systemUTC();
    private final Set<RemoteFileChannel> channels = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean closed = new AtomicBoolean();

    private RemoteFileSystem(
            RemoteFileSystemProvider provider,
            String name,
            @Nullable Node own,
            int replicas,
            PagedMemory memory,
            Duration timeout) {
        this.provider = provider;
        this.name = name;
        this.own = own;
        this.replicas = replicas;
        this.pool = new BlockPool(memory);
        this.timeout = timeout;
        this.tree = new Tree(clock, this::newFile);
    }

    /** Connects to the peers and borrows from the donors, or leaves nothing behind. */
    static RemoteFileSystem open(RemoteFileSystemProvider provider, String name, Settings settings) throws IOException {
        PagedOptions options = settings.memory();
        Node given = settings.node();
        Node node = given == null ? Node.launch(new NodeContext()) : given;
        Node own = given == null ? node : null;
        PagedMemory memory = null;
        boolean opened = false;
        try {
            memory = PagedMemory.open(node, options, settings.timeout());
            checkRoom(name, memory, settings.replicas());
            RemoteFileSystem system =
                    new RemoteFileSystem(provider, name, own, settings.replicas(), memory, settings.timeout());
            opened = true;
            return system;
        } catch (ConnectionException | RemoteMemoryException | IllegalStateException e) {
            FileSystemException failure = new FileSystemException(name, null, e.getMessage());
            failure.initCause(e);
            throw failure;
        } finally {
            if (!opened) {
                if (memory != null) {
                    memory.close(); // gives back what donors have lent
                }
                if (own != null) {
                    own.close();
                }
            }
        }
    }

    /** Files of the length that was asked for must fit: else a write would find that out. */
    private static void checkRoom(String name, PagedMemory memory, int replicas) throws FileSystemException {
        if (memory.size() <= memory.capacity()) {
            return;
        }
        String peers = memory.statistics().peers().stream()
                .map(peer -> peer.address() + " has " + peer.capacity())
                .collect(Collectors.joining(", "));
        throw new FileSystemException(
                name,
                null,
                "size " + memory.size() + " > " + memory.capacity() + ", what there is with " + replicas
                        + (replicas == 1 ? " replica: " : " replicas: ") + peers);
    }

    String name() {
        return name;
    }

    /** Its directories. */
    Tree tree() {
        checkOpen();
        return tree;
    }

    /** A file without a name and a byte. */
    RegularFile newFile() {
        return new RegularFile(clock, new FileContent(pool, timeout));
    }

    /** A directory without a name. */
    Directory newDirectory() {
        return new Directory(clock);
    }

    BlockPool pool() {
        checkOpen();
        return pool;
    }

    /** On how many peers each block is. */
    int replicas() {
        return replicas;
    }

    // ---- channels ---------------------------------------------------------------------------------------------------

    RemoteFileChannel channel(RemotePath path, OpenModes modes) throws IOException {
        Inode inode = tree().open(path, modes);
        RemoteFileChannel channel = new RemoteFileChannel(path.toAbsolutePath(), inode, modes);
        channels.add(channel);
        boolean opened = false;
        try {
            if (modes.truncates()) {
                channel.truncate(0);
            }
            checkOpen(); // else it is closed by whoever closes the file system
            opened = true;
            return channel;
        } finally {
            if (!opened) {
                channel.close();
            }
        }
    }

    void forget(RemoteFileChannel channel) {
        channels.remove(channel);
    }

    /** Deletes a file that is closed, unless its name is gone or another's by now. */
    void deleteIfSame(RemotePath path, RegularFile file) throws IOException {
        try {
            tree.delete(path, file);
        } catch (NoSuchFileException e) {
            // somebody was faster
        }
    }

    // ---- life -------------------------------------------------------------------------------------------------------

    private void checkOpen() {
        if (!isOpen()) {
            throw new ClosedFileSystemException();
        }
    }

    @Override
    public boolean isOpen() {
        return !closed.get();
    }

    /** Ends all channels, and all files. Idempotent. */
    @Override
    public void close() throws IOException {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            for (RemoteFileChannel each : channels) {
                each.close();
            }
        } finally {
            pool.memory().close();
            if (own != null) {
                own.close();
            }
            provider.forget(this);
        }
    }

    // ---- what it is -------------------------------------------------------------------------------------------------

    @Override
    public RemoteFileSystemProvider provider() {
        return provider;
    }

    @Override
    public boolean isReadOnly() {
        return false;
    }

    @Override
    public String getSeparator() {
        return "/";
    }

    RemotePath root() {
        return RemotePath.parse(this, "/");
    }

    @Override
    public Iterable<Path> getRootDirectories() {
        return List.of(root());
    }

    @Override
    public Iterable<FileStore> getFileStores() {
        return List.of(new RemoteFileStore(this));
    }

    @Override
    public Set<String> supportedFileAttributeViews() {
        return Set.of(Attributes.VIEW);
    }

    @Override
    public RemotePath getPath(String first, String... more) {
        StringBuilder text = new StringBuilder(first);
        for (String each : more) {
            if (!each.isEmpty()) {
                text.append(text.isEmpty() ? "" : "/").append(each);
            }
        }
        return RemotePath.parse(this, text.toString());
    }

    @Override
    public PathMatcher getPathMatcher(String syntaxAndPattern) {
        return Globs.matcher(syntaxAndPattern);
    }

    @Override
    public UserPrincipalLookupService getUserPrincipalLookupService() {
        throw new UnsupportedOperationException(this + " knows no users");
    }

    @Override
    public WatchService newWatchService() {
        throw new UnsupportedOperationException(this + " watches nothing");
    }

    @Override
    public String toString() {
        return RemoteFileSystemProvider.SCHEME + "://" + name;
    }
}
