package io.verbena.bench.overflow;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * A store's memory in a file: each piece that the store asks for is the next one of the file, mapped. The kernel keeps
 * what is used in memory, and writes what was changed to disk. For one thread.
 */
final class MappedFile implements IntFunction<ByteBuffer>, AutoCloseable {
    private final Path path;
    private final @Nullable MappingAdvice advice;
    private final FileChannel channel;
    private long end;

    /**
     * Creates the file, which must not exist.
     *
     * @param advice that its pages are used at random, if it can be given
     */
    MappedFile(Path path, @Nullable MappingAdvice advice) {
        this.path = path;
        this.advice = advice;
        try {
            channel = FileChannel.open(
                    path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw new RunException("cannot create " + path + ": " + e, e);
        }
    }

    /**
     * Maps the next piece, which is a hole in the file until something is stored in it. To write it first would have it
     * in the page cache in units of up to 2 MiB, each of which one store makes dirty as a whole.
     *
     * @throws OutOfMemoryError if it cannot be mapped
     */
    @Override
    public ByteBuffer apply(int length) {
        try {
            ByteBuffer piece = channel.map(FileChannel.MapMode.READ_WRITE, end, length);
            end += length;
            if (advice != null) {
                advice.random(piece);
            }
            return piece;
        } catch (IOException e) {
            throw new OutOfMemoryError("no " + length + " bytes more of " + path + ": " + e);
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
