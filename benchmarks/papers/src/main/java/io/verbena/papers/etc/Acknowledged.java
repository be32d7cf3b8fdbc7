package io.verbena.papers.etc;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * How many messages of each sender the receiver has acknowledged, in a mapped file: what a sender has written there
 * before it is killed stays. One writer a sender, any reader.
 */
final class Acknowledged implements AutoCloseable {
    private final Path file;
    private final boolean isOwner;
    private final UnsafeBuffer counts;

    private Acknowledged(Path file, boolean isOwner, MappedByteBuffer mapped) {
        this.file = file;
        this.isOwner = isOwner;
        this.counts = new UnsafeBuffer(mapped);
    }

    /** Makes the file, which {@link #close} deletes. */
    static Acknowledged create(int senders) {
        try {
            Path file = Files.createTempFile("verbena-etc-", ".acknowledged");
            return new Acknowledged(file, true, map(file, (long) senders * Long.BYTES));
        } catch (IOException e) {
            throw new RunException("cannot make a file for counts: " + e.getMessage(), e);
        }
    }

    /** Opens the file that another process has made. */
    static Acknowledged open(Path file) {
        try {
            return new Acknowledged(file, false, map(file, Files.size(file)));
        } catch (IOException e) {
            throw new RunException("cannot open " + file + ": " + e.getMessage(), e);
        }
    }

    private static MappedByteBuffer map(Path file, long length) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, length);
        }
    }

    Path file() {
        return file;
    }

    void put(int sender, long count) {
        counts.putLongRelease(sender * Long.BYTES, count);
    }

    long get(int sender) {
        return counts.getLongVolatile(sender * Long.BYTES);
    }

    @Override
    public void close() {
        BufferUtil.free(counts);
        if (isOwner) {
            try {
                Files.deleteIfExists(file);
            } catch (IOException e) {
                throw new RunException("cannot delete " + file + ": " + e.getMessage(), e);
            }
        }
    }
}
