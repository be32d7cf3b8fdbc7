package io.verbena.bench.overflow;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * All values, on disk: read and written past the page cache, as on a machine whose memory is all given to the store. A
 * value has pages of its own. Thread-safe.
 */
final class BackingFile implements AutoCloseable {
    private static final int PAGE = 4096;

    private final Path path;
    private final FileChannel channel;
    private final int slot;
    private final ThreadLocal<ByteBuffer> buffers;

    /** Makes an empty file, which must not exist. */
    BackingFile(Path path, int valueLength) {
        this.path = path;
        slot = slot(valueLength);
        buffers = ThreadLocal.withInitial(
                () -> ByteBuffer.allocateDirect(slot + PAGE).alignedSlice(PAGE));
        try {
            channel = FileChannel.open(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE, direct());
        } catch (IOException | UnsupportedOperationException e) {
            throw new RunException(
                    "no direct I/O for " + path + " (" + e.getMessage() + "); name a directory on a disk with --file",
                    e);
        }
    }

    /** Bytes of a file of so many values. */
    static long length(int keys, int valueLength) {
        return (long) keys * slot(valueLength);
    }

    private static int slot(int valueLength) {
        return (valueLength + PAGE - 1) / PAGE * PAGE;
    }

    /** By its name: javac warns of the class, which {@code jdk.unsupported} exports. */
    private static OpenOption direct() {
        try {
            for (Object option :
                    Class.forName("com.sun.nio.file.ExtendedOpenOption").getEnumConstants()) {
                if (option instanceof OpenOption found && option.toString().equals("DIRECT")) {
                    return found;
                }
            }
        } catch (ClassNotFoundException e) {
            throw new UnsupportedOperationException("this JDK has no direct I/O", e);
        }
        throw new UnsupportedOperationException("this JDK has no direct I/O");
    }

    void write(int key, byte[] value) {
        ByteBuffer buffer = buffers.get().clear();
        buffer.put(value).position(0).limit(slot);
        try {
            expectAll(channel.write(buffer, (long) key * slot));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] read(int key, int length) {
        ByteBuffer buffer = buffers.get().clear().limit(slot);
        try {
            expectAll(channel.read(buffer, (long) key * slot));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        byte[] value = new byte[length];
        buffer.flip().get(value);
        return value;
    }

    private void expectAll(int bytes) throws IOException {
        if (bytes != slot) {
            throw new IOException(bytes + " of " + slot + " bytes of a value in " + path);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
