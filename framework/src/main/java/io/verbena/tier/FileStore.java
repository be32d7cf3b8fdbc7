package io.verbena.tier;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import io.verbena.SendResult;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Blocks in a file, for which no peer has room. Reads and writes are done by the calling thread. Readable by its owner
 * alone, overwritten when it is opened, and removed when it is closed.
 *
 * <p>Thread-safe. An interrupt closes a {@link FileChannel} under all threads that use it: the file is opened again,
 * and the thread stays interrupted.
 */
final class FileStore implements Store, AutoCloseable {
    private static final Logger LOGGER = LoggerFactory.getLogger(FileStore.class);
    private static final Set<OpenOption> FIRST = Set.of(
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE);
    private static final Set<OpenOption> AGAIN = Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE);

    private final Path path;
    private final int number;
    private final AtomicLong taken = new AtomicLong();
    private volatile FileChannel channel;
    private volatile boolean closed;
    private volatile @Nullable IOException failure;

    FileStore(Path path, int number) {
        this.path = path;
        this.number = number;
        try {
            this.channel = FileChannel.open(path, FIRST, ownerOnly(path));
        } catch (IOException e) {
            throw new UncheckedIOException("spill file " + path + " cannot be opened: " + e, e);
        }
    }

    private static FileAttribute<?>[] ownerOnly(Path path) {
        return path.getFileSystem().supportedFileAttributeViews().contains("posix")
                ? new FileAttribute<?>[] {
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
                }
                : new FileAttribute<?>[0];
    }

    @Override
    public int number() {
        return number;
    }

    @Override
    public boolean isAlive() {
        return true;
    }

    @Override
    public long room() {
        return Long.MAX_VALUE;
    }

    @Override
    public long take() {
        return taken.getAndIncrement();
    }

    @Override
    public long taken() {
        return taken.get();
    }

    @Override
    public SendResult read(
            long offset, MutableDirectBuffer target, int index, int length, long id, OperationHandler handler) {
        handler.onOperation(id, transfer(true, offset, bytes(target, index, length)), 0);
        return SendResult.SENT;
    }

    @Override
    public SendResult write(
            long offset, MutableDirectBuffer source, int index, int length, long id, OperationHandler handler) {
        handler.onOperation(id, transfer(false, offset, bytes(source, index, length)), 0);
        return SendResult.SENT;
    }

    /** The bytes of a frame, which is a part of a direct buffer. */
    private static ByteBuffer bytes(DirectBuffer frame, int index, int length) {
        ByteBuffer whole = frame.byteBuffer();
        if (whole == null) {
            throw new IllegalArgumentException("a frame on the heap");
        }
        return whole.slice(frame.wrapAdjustment() + index, length);
    }

    private Outcome transfer(boolean reads, long offset, ByteBuffer bytes) {
        boolean interrupted = Thread.interrupted();
        try {
            while (bytes.hasRemaining()) {
                FileChannel now = channel;
                try {
                    long at = offset + bytes.position();
                    if ((reads ? now.read(bytes, at) : now.write(bytes, at)) < 0) {
                        throw new EOFException(path + " ends before " + at);
                    }
                } catch (ClosedChannelException e) {
                    interrupted |= Thread.interrupted();
                    reopen(now, e);
                }
            }
            return Outcome.DONE;
        } catch (IOException e) {
            if (failure == null && !closed) {
                LOGGER.warn("paged memory: spill file {} failed", path, e);
            }
            failure = e;
            return Outcome.CLOSED;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Opens the file again, unless another thread has. */
    private synchronized void reopen(FileChannel old, ClosedChannelException cause) throws IOException {
        if (closed) {
            throw cause;
        }
        if (channel == old) {
            channel = FileChannel.open(path, AGAIN);
        }
    }

    @Override
    public void together(long offset, Runnable posts) {
        posts.run();
    }

    @Override
    public void failed() {}

    @Override
    public synchronized void close() {
        closed = true;
        try {
            channel.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOGGER.warn("paged memory: spill file {} is not removed", path, e);
        }
    }

    @Override
    public String toString() {
        IOException why = failure;
        return "spill file " + path + (why == null ? "" : ", which failed: " + why);
    }
}
