package io.verbena.file;

import java.io.IOException;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.AccessMode;
import java.nio.file.CopyOption;
import java.nio.file.DirectoryStream;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.FileAttributeView;
import java.nio.file.spi.FileSystemProvider;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Files in the memory of peers and donors, for {@code Files} and every library that runs on any {@link Path}.
 *
 * <pre>{@code
 *   // at each donor: ./verbena donate --memory 4gb --listen tcp://...
 *   try (FileSystem files = FileSystems.newFileSystem(URI.create("verbena://scratch"), Map.of(
 *           "donors", "tcp://10.0.0.7:9000,tcp://10.0.0.8:9000",
 *           "replicas", 2))) {
 *       Path path = Path.of(URI.create("verbena://scratch/part/0")); // or files.getPath("/part/0")
 *       Files.createDirectories(path.getParent());
 *       Files.copy(input, path);
 *   }
 * }</pre>
 *
 * <p>The name behind the scheme is the file system's in this process. Properties, as values or as text:
 *
 * <ul>
 *   <li>{@code donors} - addresses of nodes that lend memory, see {@link io.verbena.Address} and {@link
 *       io.verbena.tier.Donation}, as a collection or with commas. The file system has all that they lend, until it is
 *       closed
 *   <li>{@code peers} - addresses of nodes that share a region, beside donors or in place of them
 *   <li>{@code memory} - the region that each of these peers shares for this file system alone; {@code files} by
 *       default
 *   <li>{@code size} - bytes for files, a multiple of 128 KiB; by default what donors lend and peers share, in whole
 *       blocks
 *   <li>{@code resident} - bytes of them that are kept here too, in direct memory; 64 MiB by default
 *   <li>{@code replicas} - donors or peers that have each block, 1 or 2; 1 by default
 *   <li>{@code timeout} - how long connecting, borrowing, or a page may take, as a {@link java.time.Duration} or text;
 *       PT15S by default
 *   <li>{@code node} - the {@link io.verbena.Node} to use, which stays open and knows secrets and certificates; by
 *       default the file system has one of its own
 * </ul>
 *
 * <p><b>What is where.</b> Bytes are in a {@link io.verbena.tier.PagedMemory}, in blocks of 128 KiB that are striped
 * over donors and peers. Names and attributes are in this process: it alone sees the files, and they end when the file
 * system is closed or the process ends. A file takes room in whole blocks, for what was written: holes take none.
 *
 * <p><b>Rules</b> are those of Unix: a file that is deleted lives until its last channel is closed; a move within a
 * file system is atomic; writes behind the end leave holes. There are hard links, and no symbolic ones; the attribute
 * view "basic", and no users and rights; access times change only when they are set. {@code force}, and each write with
 * SYNC or DSYNC, waits until the peers have what was written. Locks hold between the channels of the process. Nothing
 * is mapped or watched, nothing is a {@link java.io.File}, and there are no asynchronous channels.
 *
 * <p><b>Failures.</b> Without room a write ends in a {@link java.nio.file.FileSystemException} that names the limit.
 * What is lost with a peer is an {@link IOException} that names the range of the file and the peer, until all of it is
 * written again. No failure shows as zeros or older bytes.
 *
 * <p>Thread-safe.
 */
public final class RemoteFileSystemProvider extends FileSystemProvider {
    static final String SCHEME = "verbena";

    private final Map<String, RemoteFileSystem> systems = new ConcurrentHashMap<>();
    private final Set<String> names = ConcurrentHashMap.newKeySet(); // also of those that are being opened

    /** Creates a provider without file systems, as the JVM does for itself. */
    public RemoteFileSystemProvider() {}

    @Override
    public String getScheme() {
        return SCHEME;
    }

    // ---- file systems -----------------------------------------------------------------------------------------------

    /**
     * Connects to the peers, borrows from the donors, and begins with an empty root directory.
     *
     * @param uri {@code verbena://name}
     * @param env properties, see above
     * @throws FileSystemAlreadyExistsException if one of that name is open
     * @throws IllegalArgumentException if the URI has no name or more than that, or a property is missing or wrong
     * @throws java.nio.file.FileSystemException if a peer cannot be reached, refuses, does not permit both to read and
     *     to write, or shares no such memory; if another node has a donor's memory, and does not give it back within
     *     the timeout; or if there is less memory than the size that was asked for. Then nothing is borrowed
     */
    @Override
    public FileSystem newFileSystem(URI uri, Map<String, ?> env) throws IOException {
        String name = name(uri);
        if (uri.getPath().length() > 1) {
            throw new IllegalArgumentException(uri + " has a path; a file system is " + SCHEME + "://name");
        }
        Settings settings = new Settings(env);
        if (!names.add(name)) {
            throw new FileSystemAlreadyExistsException(name);
        }
        boolean opened = false;
        try {
            RemoteFileSystem system = RemoteFileSystem.open(this, name, settings);
            systems.put(name, system);
            opened = true;
            return system;
        } finally {
            if (!opened) {
                names.remove(name);
            }
        }
    }

    void forget(RemoteFileSystem system) {
        if (systems.remove(system.name(), system)) {
            names.remove(system.name());
        }
    }

    @Override
    public FileSystem getFileSystem(URI uri) {
        String name = name(uri);
        RemoteFileSystem system = systems.get(name);
        if (system == null) {
            throw new FileSystemNotFoundException(name);
        }
        return system;
    }

    @Override
    public Path getPath(URI uri) {
        if (uri.isOpaque() || uri.getPath().isEmpty()) {
            throw new IllegalArgumentException(uri + " has no path");
        }
        return getFileSystem(uri).getPath(uri.getPath());
    }

    private static String name(URI uri) {
        String name = uri.getAuthority();
        if (!SCHEME.equalsIgnoreCase(uri.getScheme())
                || name == null
                || uri.getQuery() != null
                || uri.getFragment() != null) {
            throw new IllegalArgumentException(uri + " is not " + SCHEME + "://name/path");
        }
        return name;
    }

    // ---- channels ---------------------------------------------------------------------------------------------------

    @Override
    public SeekableByteChannel newByteChannel(
            Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes) throws IOException {
        return newFileChannel(path, options, attributes);
    }

    @Override
    public FileChannel newFileChannel(Path path, Set<? extends OpenOption> options, FileAttribute<?>... attributes)
            throws IOException {
        RemotePath remote = RemotePath.of(path);
        OpenModes modes = OpenModes.of(options);
        refuse(attributes);
        return remote.getFileSystem().channel(remote, modes);
    }

    private static void refuse(FileAttribute<?>... attributes) {
        for (FileAttribute<?> each : attributes) {
            throw new UnsupportedOperationException("attribute '" + each.name() + "' of what is created");
        }
    }

    // ---- directories ------------------------------------------------------------------------------------------------

    @Override
    public DirectoryStream<Path> newDirectoryStream(Path directory, DirectoryStream.Filter<? super Path> filter)
            throws IOException {
        return new DirectoryListing(RemotePath.of(directory), filter);
    }

    @Override
    public void createDirectory(Path directory, FileAttribute<?>... attributes) throws IOException {
        refuse(attributes);
        tree(directory).createDirectory(RemotePath.of(directory));
    }

    @Override
    public void createLink(Path link, Path existing) throws IOException {
        if (RemotePath.of(link).getFileSystem() != RemotePath.of(existing).getFileSystem()) {
            throw new UnsupportedOperationException(link + " and " + existing + " are in two file systems");
        }
        tree(link).createLink(RemotePath.of(link), RemotePath.of(existing));
    }

    @Override
    public void delete(Path path) throws IOException {
        tree(path).delete(RemotePath.of(path));
    }

    @Override
    public void copy(Path source, Path target, CopyOption... options) throws IOException {
        Copying.of(options).copy(RemotePath.of(source), RemotePath.of(target));
    }

    @Override
    public void move(Path source, Path target, CopyOption... options) throws IOException {
        Copying.of(options).move(RemotePath.of(source), RemotePath.of(target));
    }

    // ---- what files are ---------------------------------------------------------------------------------------------

    private static Tree tree(Path path) {
        return RemotePath.of(path).getFileSystem().tree();
    }

    private static Inode inode(Path path) throws IOException {
        return tree(path).find(RemotePath.of(path));
    }

    @Override
    public boolean isSameFile(Path path, Path other) throws IOException {
        if (path.equals(other)) {
            return true;
        }
        return other instanceof RemotePath && inode(path) == inode(other);
    }

    @Override
    public boolean isHidden(Path path) {
        Path name = path.getFileName();
        return name != null && name.toString().startsWith(".");
    }

    @Override
    public FileStore getFileStore(Path path) throws IOException {
        inode(path);
        return new RemoteFileStore(RemotePath.of(path).getFileSystem());
    }

    /** Everybody may read and write everything, and nobody execute a file. */
    @Override
    public void checkAccess(Path path, AccessMode... modes) throws IOException {
        Inode inode = inode(path);
        for (AccessMode each : modes) {
            if (each == AccessMode.EXECUTE && !inode.isDirectory()) {
                throw new AccessDeniedException(path.toString(), null, "no file is executable");
            }
        }
    }

    @Override
    public <V extends FileAttributeView> @Nullable V getFileAttributeView(
            Path path, Class<V> type, LinkOption... options) {
        AttributeView view = new AttributeView(RemotePath.of(path));
        return type == BasicFileAttributeView.class ? type.cast(view) : null;
    }

    @Override
    public <A extends BasicFileAttributes> A readAttributes(Path path, Class<A> type, LinkOption... options)
            throws IOException {
        if (type != BasicFileAttributes.class) {
            throw new UnsupportedOperationException(type.getName() + "; there is " + Attributes.VIEW);
        }
        return type.cast(Attributes.of(inode(path)));
    }

    @Override
    public Map<String, Object> readAttributes(Path path, String attributes, LinkOption... options) throws IOException {
        return Attributes.of(inode(path)).select(attributes);
    }

    @Override
    public void setAttribute(Path path, String attribute, @Nullable Object value, LinkOption... options)
            throws IOException {
        Attributes.set(new AttributeView(RemotePath.of(path)), attribute, value);
    }
}
