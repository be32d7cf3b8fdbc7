package io.verbena.fabric.shm;

import io.verbena.fabric.security.LocalUser;
import io.verbena.nic.port.NicId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one NIC's memory, held by a file lock for as long as its process lives, and the janitor that removes
 * the directories of the dead.
 *
 * <p>A file lock is the process's, and closing any descriptor of the file gives it up. So directories of this JVM are
 * known by name and their lock files are never opened a second time.
 *
 * <p>Thread-safe. Directories come and go under the user's own lock file, across processes.
 */
final class SharedDirectory implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(SharedDirectory.class);
    private static final String LOCK = "lock";
    private static final String USER_LOCK = ".lock";
    private static final String SOCKETS = "sockets";
    private static final long LOCK_TIMEOUT = TimeUnit.SECONDS.toNanos(10);
    private static final Pattern NAME = Pattern.compile("[0-9a-f]{16}");
    private static final Set<PosixFilePermission> PRIVATE =
            EnumSet.copyOf(PosixFilePermissions.fromString("rwx------"));

    /** Directories that this JVM holds, or knows that another class loader of it holds. */
    private static final Set<Path> HELD_HERE = ConcurrentHashMap.newKeySet();

    /** Descriptors that must not be closed, see above. */
    private static final ConcurrentLinkedQueue<FileChannel> KEPT_OPEN = new ConcurrentLinkedQueue<>();

    private static final ReentrantLock IN_PROCESS = new ReentrantLock();

    private final Path parent;
    private final Path path;
    private final FileChannel lockFile;
    private boolean closed;
    private boolean isRemoved; // under IN_PROCESS

    private SharedDirectory(Path parent, Path path, FileChannel lockFile) {
        this.parent = parent;
        this.path = path;
        this.lockFile = lockFile;
    }

    /**
     * Makes and locks the directory of a NIC, after removing those of the dead.
     *
     * @param root such as /dev/shm
     * @param nicId names the directory
     * @return the directory, held
     * @throws IllegalStateException if a living process holds it, or the root is not usable
     */
    static SharedDirectory open(Path root, long nicId) {
        Path parent = userDirectory(root);
        return locked(parent, () -> {
            sweep(parent);
            Path path = parent.resolve(name(nicId));
            if (HELD_HERE.contains(path) || Files.exists(path)) {
                throw new IllegalStateException(path
                        + " belongs to a living process: give each NIC an id of its own, or stop the other process");
            }
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PRIVATE));
            FileChannel lockFile = FileChannel.open(
                    path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            FileLock lock = lockFile.tryLock();
            if (lock == null) {
                throw new IllegalStateException(path.resolve(LOCK) + " is locked though it was just made");
            }
            HELD_HERE.add(path);
            return new SharedDirectory(parent, path, lockFile);
        });
    }

    /**
     * Removes the directories of processes that are gone.
     *
     * @param root such as /dev/shm
     * @return directories removed
     */
    static int removeDead(Path root) {
        Path parent = userDirectory(root);
        return locked(parent, () -> sweep(parent));
    }

    /** Removes the directories of processes that are gone, beside this one; nothing once it is closed. */
    int removeDeadNeighbours() {
        IN_PROCESS.lock();
        try {
            return isRemoved ? 0 : locked(parent, () -> sweep(parent)); // else the parent may be gone, or another's
        } finally {
            IN_PROCESS.unlock();
        }
    }

    /** Whether a directory is one that a provider of the same user and root makes. */
    boolean isNeighbour(Path directory) {
        return parent.equals(directory.getParent())
                && NAME.matcher(String.valueOf(directory.getFileName())).matches();
    }

    static String name(long nicId) {
        return NicId.text(nicId);
    }

    /** The user's directory under a root, made if need be, and nobody else's. */
    static Path userDirectory(Path root) {
        try {
            return userDirectory(root, LocalUser.own());
        } catch (IOException e) {
            throw new IllegalStateException("cannot use " + root + " for shared memory: " + e.getMessage(), e);
        }
    }

    /** As the other, for the user of that numeric id, whose process this is. */
    static Path userDirectory(Path root, int uid) {
        if (!Files.isDirectory(root)) {
            throw new IllegalStateException("there is no directory " + root
                    + " for shared memory; mount a tmpfs there, or name another "
                    + "directory (NodeContext.sharedMemoryRoot)");
        }
        String user = System.getProperty("user.name", "unknown").replaceAll("[^A-Za-z0-9_.-]", "_");
        Path path = root.toAbsolutePath().normalize().resolve("verbena-" + user);
        try {
            if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
                try {
                    Files.createDirectory(path, PosixFilePermissions.asFileAttribute(PRIVATE));
                } catch (java.nio.file.FileAlreadyExistsException e) {
                    LOG.debug("{} was made by another process at the same time", path);
                }
            }
            checkOwn(path, uid);
        } catch (IOException e) {
            throw new IllegalStateException(
                    "cannot use " + path + ": " + e.getMessage()
                            + "; name another directory for shared memory (NodeContext.sharedMemoryRoot)",
                    e);
        }
        return path;
    }

    private static void checkOwn(Path path, int uid) throws IOException {
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
            throw new IOException("it is not a directory");
        }
        Object owner = Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
        if (!owner.equals(uid)) {
            throw new IOException("it belongs to user " + owner + ", this process is user " + uid);
        }
        if (!Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS).equals(PRIVATE)) {
            throw new IOException("others may enter it; remove it, or chmod 700");
        }
    }

    private interface LockedAction<T> {
        T run() throws IOException;
    }

    private static <T> T locked(Path parent, LockedAction<T> action) {
        IN_PROCESS.lock();
        try (FileChannel channel = FileChannel.open(
                        parent.resolve(USER_LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock lock = lock(channel, parent)) {
            LOG.trace("holding {}", lock);
            return action.run();
        } catch (IOException e) {
            throw new UncheckedIOException("shared memory directory " + parent + ": " + e.getMessage(), e);
        } finally {
            IN_PROCESS.unlock();
        }
    }

    private static FileLock lock(FileChannel channel, Path parent) throws IOException {
        long deadline = System.nanoTime() + LOCK_TIMEOUT;
        while (true) {
            try {
                FileLock lock = channel.tryLock();
                if (lock != null) {
                    return lock;
                }
            } catch (OverlappingFileLockException e) {
                LOG.trace("{} is locked by another class loader", parent);
            }
            if (System.nanoTime() > deadline) {
                throw new IOException("another process has held its lock for 10 s");
            }
            try {
                Thread.sleep(5);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new IOException("interrupted while waiting for its lock", e);
            }
        }
    }

    private static int sweep(Path parent) throws IOException {
        int removed = 0;
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(parent, Files::isDirectory)) {
            for (Path directory : directories) {
                boolean ours =
                        NAME.matcher(String.valueOf(directory.getFileName())).matches();
                if (ours && !HELD_HERE.contains(directory) && removeIfDead(directory)) {
                    removed++;
                }
            }
        }
        return removed;
    }

    /** What the dead have left may be in any state: it keeps nobody from beginning. */
    private static boolean removeIfDead(Path directory) {
        try {
            if (!isDead(directory)) {
                return false;
            }
            removeTree(directory);
            LOG.info("removed {}: its process is gone", directory);
            return true;
        } catch (IOException e) {
            LOG.warn("{} stays: {}; remove it if no process uses it", directory, e.toString());
            return false;
        }
    }

    /** What tells a directory from a later one of the same path. */
    static Object identityOf(Path directory) throws IOException {
        return Files.getAttribute(directory, "unix:ino", LinkOption.NOFOLLOW_LINKS);
    }

    /**
     * Whether the process that held a directory is known to have ended, or to have closed it. Does not wait: while the
     * janitor looks at a directory that is still there, nothing is known of it.
     *
     * @param identity of the directory then
     */
    static boolean isGone(Path directory, Object identity) {
        if (isRemoved(directory, identity)) {
            return true;
        }
        if (!IN_PROCESS.tryLock()) {
            return false;
        }
        try {
            return !HELD_HERE.contains(directory) && isDead(directory);
        } catch (IOException e) {
            LOG.debug("whether {} is held: {}", directory, e.toString());
            return false;
        } finally {
            IN_PROCESS.unlock();
        }
    }

    /** Once true, true for good: a directory that comes later is another. */
    private static boolean isRemoved(Path directory, Object identity) {
        try {
            return !identity.equals(identityOf(directory));
        } catch (NoSuchFileException e) {
            LOG.debug("{} was removed", directory);
            return true;
        } catch (IOException e) {
            LOG.debug("whether {} is there: {}", directory, e.toString());
            return false;
        }
    }

    private static boolean isDead(Path directory) throws IOException {
        Path file = directory.resolve(LOCK);
        if (!Files.exists(file)) {
            return true; // its maker died between two steps: makers hold the user's lock
        }
        FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        try {
            FileLock lock = channel.tryLock();
            channel.close();
            return lock != null;
        } catch (IOException e) {
            channel.close();
            throw e;
        } catch (OverlappingFileLockException e) {
            // Held by another class loader of this JVM: closing our descriptor would give its lock up.
            KEPT_OPEN.add(channel);
            HELD_HERE.add(directory);
            return false;
        }
    }

    private static void removeTree(Path directory) throws IOException {
        removeSockets(directory.resolve(SOCKETS));
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (Path file : files) {
                Files.deleteIfExists(file);
            }
        }
        Files.deleteIfExists(directory);
    }

    /**
     * Notes a socket that this process listens on: it goes with the directory, unless somebody else has its path by
     * then.
     *
     * @param socket path of the bound socket
     */
    synchronized void noteSocket(Path socket) {
        if (closed) {
            return;
        }
        try {
            Files.writeString(
                    path.resolve(SOCKETS),
                    identity(socket) + " " + socket.toAbsolutePath() + "\n",
                    StandardOpenOption.CREATE,
                    StandardOpenOption.APPEND);
        } catch (IOException e) {
            LOG.warn("{} will stay if this process is killed: {}", socket, e.toString());
        }
    }

    /** Tells a socket from a later one with the same path: inode and time of birth. */
    private static String identity(Path socket) throws IOException {
        return Files.getAttribute(socket, "unix:ino", LinkOption.NOFOLLOW_LINKS) + " "
                + Files.getLastModifiedTime(socket, LinkOption.NOFOLLOW_LINKS).to(TimeUnit.NANOSECONDS);
    }

    private static void removeSockets(Path notes) throws IOException {
        if (!Files.exists(notes)) {
            return;
        }
        // Its writer may have been killed in the middle of a note, even of a character.
        String text = new String(Files.readAllBytes(notes), StandardCharsets.UTF_8);
        for (String line : text.split("\n")) {
            String[] fields = line.split(" ", 3);
            if (fields.length < 3 || fields[2].indexOf('\0') >= 0) {
                continue;
            }
            Path socket = Path.of(fields[2]);
            if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)
                    && identity(socket).equals(fields[0] + " " + fields[1])) {
                Files.deleteIfExists(socket);
            }
        }
    }

    /** The directory. */
    Path path() {
        return path;
    }

    /** Removes the directory with all its files, and gives up the lock. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        try {
            locked(parent, () -> {
                isRemoved = true;
                removeTree(path);
                lockFile.close();
                HELD_HERE.remove(path);
                return path;
            });
        } catch (UncheckedIOException e) {
            LOG.warn("cannot remove {}: {}", path, e.getMessage());
        }
    }
}
