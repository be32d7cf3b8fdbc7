package io.verbena.bench.overflow;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import org.agrona.IoUtil;

/**
 * A directory for files on a disk, which is deleted with all that is in it when it is closed, or when this process is
 * ended before.
 */
final class DiskDirectory implements AutoCloseable {
    private static final Set<String> MEMORY = Set.of("tmpfs", "ramfs", "devtmpfs", "hugetlbfs");

    private final Path directory;
    private final String fileSystem;
    private final AtEnd deletion;

    /**
     * Makes one in another.
     *
     * @param room bytes that must be free: a store into a mapping ends its process when the disk is full
     * @throws RunException if that is none, is memory, or has less room
     */
    DiskDirectory(Path parent, long room) {
        try {
            FileStore store = Files.getFileStore(parent);
            if (MEMORY.contains(store.type())) {
                throw new RunException(
                        parent + " is " + store.type() + ", which is memory; name a directory on a disk with --file");
            }
            if (store.getUsableSpace() < room) {
                throw new RunException(parent + " has " + MemoryGroup.text(store.getUsableSpace()) + " free and needs "
                        + MemoryGroup.text(room) + "; name another directory with --file");
            }
            fileSystem = store.type() + " (" + store.name() + ")";
            directory = Files.createTempDirectory(parent, "verbena-overflow");
        } catch (IOException e) {
            throw new RunException("no files in " + parent + " (" + e + "); name a directory with --file", e);
        }
        deletion = new AtEnd(() -> IoUtil.delete(directory.toFile(), true));
    }

    /** Type of the file system, and what it is on. */
    String fileSystem() {
        return fileSystem;
    }

    /** Where a file of that name is, or can be. */
    Path file(String name) {
        return directory.resolve(name);
    }

    /** Has all of a file on disk, whoever has written or mapped it. */
    static void force(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.force(false);
        } catch (IOException e) {
            throw new RunException("cannot write " + file + " to disk: " + e, e);
        }
    }

    @Override
    public void close() {
        deletion.close();
    }
}
