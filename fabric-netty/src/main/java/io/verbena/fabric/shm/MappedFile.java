package io.verbena.fabric.shm;

import io.verbena.nic.port.MemoryExhaustedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.agrona.BufferUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Files as memory. Every page is there before a file is mapped, because a page that the file system cannot give kills
 * the JVM that touches it: zeroes are written through the file first, where a full file system is an exception. A file
 * gets its name when it is complete, is never truncated, and stays mapped until {@link #unmap} or until its last buffer
 * is garbage.
 *
 * <p>Stateless; any thread.
 */
final class MappedFile {
    private static final int ZEROES_LENGTH = 256 * 1024;
    private static final String INCOMPLETE = ".new";

    private MappedFile() {}

    /**
     * Makes and maps a file of zeroes.
     *
     * @param file that does not exist yet
     * @param length bytes, at least 1
     * @param purpose for the message, such as "segment"
     * @return its memory
     * @throws MemoryExhaustedException if the file system has no room for it, or the directory is gone
     */
    static AtomicBuffer create(Path file, int length, String purpose) {
        checkSpace(file, length, purpose);
        Path incomplete = file.resolveSibling(file.getFileName() + INCOMPLETE);
        try {
            AtomicBuffer buffer = fill(incomplete, length);
            Files.move(incomplete, file, StandardCopyOption.ATOMIC_MOVE);
            return buffer;
        } catch (IOException e) {
            delete(incomplete);
            throw unavailable(file, length, purpose, e);
        }
    }

    private static void checkSpace(Path file, int length, String purpose) {
        long usable;
        try {
            usable = Files.getFileStore(file.toAbsolutePath().getParent()).getUsableSpace();
        } catch (IOException e) {
            throw unavailable(file, length, purpose, e);
        }
        if (usable < length) {
            throw exhausted(file, length, purpose, usable + " bytes are left");
        }
    }

    private static MemoryExhaustedException unavailable(Path file, int length, String purpose, IOException e) {
        if (e instanceof NoSuchFileException) {
            return new MemoryExhaustedException(purpose + " of " + length + " bytes in " + file.getParent()
                    + ": somebody has removed that directory; what is mapped stays, but there is no new memory, and no"
                    + " new peer can map this node's: launch it again");
        }
        return exhausted(file, length, purpose, String.valueOf(e.getMessage()));
    }

    private static MemoryExhaustedException exhausted(Path file, int length, String purpose, String reason) {
        return new MemoryExhaustedException(purpose + " of " + length + " bytes in " + file.getParent() + ": " + reason
                + "; enlarge it (docker run --shm-size=1g, or mount -o remount,size=1g /dev/shm), or ask for less (a"
                + " smaller chunkLength or region)");
    }

    private static AtomicBuffer fill(Path file, int length) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer zeroes = ByteBuffer.allocateDirect(Math.min(length, ZEROES_LENGTH));
            try {
                for (long left = length; left > 0; ) {
                    zeroes.clear().limit((int) Math.min(left, zeroes.capacity()));
                    left -= channel.write(zeroes);
                }
            } finally {
                BufferUtil.free(zeroes); // a process that collects no garbage would keep one a file
            }
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
            mapped.load();
            return new UnsafeBuffer(mapped);
        }
    }

    /**
     * Maps a file that another process made.
     *
     * @param file to map
     * @param loadBelow files shorter than this have all their pages mapped at once
     * @return its memory
     * @throws IOException if it cannot be opened, or is no plain file of 1 to 2^31-1 bytes
     */
    static AtomicBuffer open(Path file, int loadBelow) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS))) {
            long length = channel.size();
            if (length < 1 || length > Integer.MAX_VALUE) {
                throw new IOException(file + " has " + length + " bytes, expected 1 to " + Integer.MAX_VALUE);
            }
            MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
            if (length < loadBelow) {
                mapped.load();
            }
            return new UnsafeBuffer(mapped);
        }
    }

    /**
     * Unmaps a file, at about 0.1 ms a MiB. Whoever has the buffer meets an {@link IndexOutOfBoundsException} from now
     * on, unless bounds checks are off: then the JVM ends. So nobody may have it in use.
     *
     * @param buffer of {@link #create} or {@link #open}; a second time does nothing
     */
    static void unmap(AtomicBuffer buffer) {
        ByteBuffer mapped = buffer.byteBuffer();
        if (mapped != null) {
            buffer.wrap(0, 0);
            BufferUtil.free(mapped);
        }
    }

    /** Removes a file if it is there; processes that have it mapped keep its memory. Returns whether it is gone. */
    static boolean delete(Path file) {
        try {
            Files.deleteIfExists(file);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
