package io.verbena.bench.files;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * Writes and reads a file, in order by 128 KiB and at random by 4 KiB, as one thread does it. Each page says which it
 * is and how often it was written, which every read checks.
 */
final class FileLoad implements AutoCloseable {
    /** Bytes of what is read and written in order. */
    static final int PIECE = 128 << 10;

    /** Bytes of what is read and written at random. */
    static final int PAGE = 4 << 10;

    private static final long SIGN = 0x9E3779B97F4A7C15L;

    private final Path path;
    private final FileChannel channel;
    private final int[] versions; // of pages
    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE);
    private final ByteBuffer page = ByteBuffer.allocateDirect(PAGE);
    private final SplittableRandom random = new SplittableRandom(1);

    /**
     * Makes a file.
     *
     * @param path where there is none
     * @param length bytes, a multiple of {@link #PIECE}
     */
    FileLoad(Path path, long length) throws IOException {
        this.path = path;
        this.versions = new int[Math.toIntExact(length / PAGE)];
        this.channel = FileChannel.open(
                path, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    /** Writes all of it in order, and forces it. */
    void writeAll() throws IOException {
        for (int first = 0; first < versions.length; first += PIECE / PAGE) {
            piece.clear();
            for (int i = first; i < first + PIECE / PAGE; i++) {
                sign(piece, (i - first) * PAGE, i);
            }
            expect(PIECE, channel.write(piece, (long) first * PAGE));
        }
        channel.force(false);
    }

    /** Reads all of it in order. */
    void readAll() throws IOException {
        for (int first = 0; first < versions.length; first += PIECE / PAGE) {
            expect(PIECE, channel.read(piece.clear(), (long) first * PAGE));
            for (int i = first; i < first + PIECE / PAGE; i++) {
                check(piece, (i - first) * PAGE, i);
            }
        }
    }

    /** Reads pages at random. */
    void readSome(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int number = random.nextInt(versions.length);
            expect(PAGE, channel.read(page.clear(), (long) number * PAGE));
            check(page, 0, number);
        }
    }

    /** Writes pages at random, and forces them in the end. */
    void writeSome(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            int number = random.nextInt(versions.length);
            sign(page.clear(), 0, number);
            expect(PAGE, channel.write(page, (long) number * PAGE));
        }
        channel.force(false);
    }

    private void sign(ByteBuffer buffer, int index, int number) {
        int version = ++versions[number];
        buffer.putLong(index, number * SIGN).putInt(index + PAGE - Integer.BYTES, version);
    }

    private void check(ByteBuffer buffer, int index, int number) {
        if (buffer.getLong(index) != number * SIGN || buffer.getInt(index + PAGE - Integer.BYTES) != versions[number]) {
            throw new RunException(path.toUri() + ": page " + number + " is not what was written last");
        }
    }

    private static void expect(int length, int done) {
        if (done != length) {
            throw new RunException(done + " bytes of " + length);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            channel.close();
        } finally {
            Files.deleteIfExists(path);
        }
    }
}
