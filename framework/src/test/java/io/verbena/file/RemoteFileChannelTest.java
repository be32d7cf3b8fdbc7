package io.verbena.file;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.DELETE_ON_CLOSE;
import static java.nio.file.StandardOpenOption.DSYNC;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.SPARSE;
import static java.nio.file.StandardOpenOption.TRUNCATE_EXISTING;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.Node;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.NonReadableChannelException;
import java.nio.channels.NonWritableChannelException;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How files are opened, and what an open one does. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RemoteFileChannelTest {
    private static final int SIZE = 8 << 20;

    private final Donors donors = Donors.local().add(SIZE / 2).add(SIZE / 2);
    private FileSystem system;
    private Path file;
    private FileStore store;

    @BeforeEach
    void open() throws IOException {
        system = donors.small();
        file = system.getPath("/file");
        store = Files.getFileStore(system.getPath("/"));
    }

    @AfterEach
    void close() throws IOException {
        donors.close();
    }

    private long usedBlocks() throws IOException {
        return (store.getTotalSpace() - store.getUnallocatedSpace()) / Donors.BLOCK;
    }

    private static ByteBuffer bytes(int... values) {
        ByteBuffer buffer = ByteBuffer.allocate(values.length);
        Arrays.stream(values).forEach(value -> buffer.put((byte) value));
        return buffer.flip();
    }

    // ---- failures ---------------------------------------------------------------------------------------------------

    /** What the memory refuses is a failure of the file. */
    @Test
    void aFaultWithinACallbackIsAFileSystemException() throws Exception {
        Map<String, Object> properties = donors.properties();
        properties.put("resident", 16 * Donors.PAGE);
        system.close(); // this one uses what its peers share
        Path other = donors.open("callback", properties).getPath("/file");
        Files.write(other, new byte[2 * Donors.BLOCK]);
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        ((Node) properties.get("node")).execute(() -> {
            try {
                Files.readAllBytes(other);
                failure.complete(new AssertionError("it was read"));
            } catch (IOException | RuntimeException e) {
                failure.complete(e);
            }
        });
        assertThat(failure.get(30, TimeUnit.SECONDS))
                .isInstanceOf(FileSystemException.class)
                .hasMessageContaining("cannot be called from its own callbacks");
    }

    @Test
    void aCopyEndsWhenItsThreadIsInterrupted() throws IOException {
        Files.write(file, new byte[10 * Donors.BLOCK]);
        Thread.currentThread().interrupt();
        assertThatExceptionOfType(IOException.class).isThrownBy(() -> Files.copy(file, system.getPath("/copy")));
        assertThat(Thread.interrupted()).isTrue();
        assertThat(Files.exists(system.getPath("/copy"))).isFalse();
        assertThat(usedBlocks()).isEqualTo(10);
    }

    // ---- options ----------------------------------------------------------------------------------------------------

    @Test
    void optionsDecideWhatIsOpened() throws IOException {
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> FileChannel.open(file, WRITE));
        assertThatExceptionOfType(NoSuchFileException.class).isThrownBy(() -> FileChannel.open(file, READ, CREATE));
        FileChannel.open(file, CREATE, WRITE).close();
        FileChannel.open(file, CREATE, WRITE).close();
        assertThatExceptionOfType(FileAlreadyExistsException.class)
                .isThrownBy(() -> FileChannel.open(file, CREATE_NEW, WRITE));
        Files.writeString(file, "content");
        FileChannel.open(file, READ, TRUNCATE_EXISTING).close();
        assertThat(Files.readString(file)).isEqualTo("content");
        FileChannel.open(file, WRITE, TRUNCATE_EXISTING).close();
        assertThat(Files.size(file)).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> FileChannel.open(file, APPEND, READ));
        assertThatIllegalArgumentException().isThrownBy(() -> FileChannel.open(file, APPEND, TRUNCATE_EXISTING));
        assertThatThrownBy(() -> FileChannel.open(file, new OpenOption() {}))
                .isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> FileChannel.open(file, (OpenOption) null)).isInstanceOf(NullPointerException.class);
    }

    @Test
    void whatAChannelIsNotOpenForIsRefused() throws IOException {
        Files.createFile(file);
        try (FileChannel reader = FileChannel.open(file);
                FileChannel writer = FileChannel.open(file, WRITE)) {
            assertThatThrownBy(() -> reader.write(bytes(1))).isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> reader.write(bytes(1), 0)).isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> reader.truncate(0)).isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> reader.tryLock()).isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(
                            () -> reader.transferFrom(Channels.newChannel(new ByteArrayInputStream(new byte[1])), 0, 1))
                    .isInstanceOf(NonWritableChannelException.class);
            assertThatThrownBy(() -> writer.read(bytes(1))).isInstanceOf(NonReadableChannelException.class);
            assertThatThrownBy(() -> writer.read(bytes(1), 0)).isInstanceOf(NonReadableChannelException.class);
            assertThatThrownBy(() -> writer.transferTo(0, 1, Channels.newChannel(new ByteArrayOutputStream())))
                    .isInstanceOf(NonReadableChannelException.class);
            assertThatThrownBy(() -> reader.read(bytes(1).asReadOnlyBuffer()))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatIllegalArgumentException().isThrownBy(() -> reader.position(-1));
            assertThatIllegalArgumentException().isThrownBy(() -> reader.read(bytes(1), -1));
            assertThatIllegalArgumentException().isThrownBy(() -> writer.write(bytes(1), -1));
            assertThatIllegalArgumentException().isThrownBy(() -> writer.truncate(-1));
            assertThatThrownBy(() -> reader.map(FileChannel.MapMode.READ_ONLY, 0, 0))
                    .isInstanceOf(UnsupportedOperationException.class);
        }
    }

    /** Lucene and others force directories, which Linux permits. */
    @Test
    void aDirectoryIsOpenedToBeForced() throws IOException {
        Path root = system.getPath("/");
        try (FileChannel channel = FileChannel.open(root, READ)) {
            channel.force(true);
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> channel.read(bytes(1)))
                    .withMessage("/: Is a directory");
        }
        assertThatExceptionOfType(FileSystemException.class).isThrownBy(() -> FileChannel.open(root, WRITE));
    }

    // ---- content ----------------------------------------------------------------------------------------------------

    @Test
    void positionsMoveOnlyWhereTheyShould() throws IOException {
        try (FileChannel channel = FileChannel.open(file, CREATE, READ, WRITE)) {
            assertThat(channel.write(new ByteBuffer[] {bytes(1, 2), bytes(), bytes(3)}))
                    .isEqualTo(3);
            assertThat(channel.write(bytes(9), 1)).isEqualTo(1);
            assertThat(channel.position()).isEqualTo(3);
            ByteBuffer[] targets = {ByteBuffer.allocate(2), ByteBuffer.allocateDirect(9)};
            assertThat(channel.position(0).read(targets)).isEqualTo(3);
            assertThat(targets[0].flip()).isEqualTo(bytes(1, 9));
            assertThat(targets[1].flip()).isEqualTo(bytes(3));
            assertThat(channel.read(targets[1].clear())).isEqualTo(-1);
            assertThat(channel.read(ByteBuffer.allocate(0))).isZero();
            assertThat(channel.position(1).truncate(2).size()).isEqualTo(2);
            assertThat(channel.position()).isEqualTo(1);
        }
        try (FileChannel channel = FileChannel.open(file, APPEND)) {
            assertThat(channel.position()).isEqualTo(2);
            channel.position(0).write(bytes(7));
            assertThat(channel.position()).isEqualTo(3);
        }
        assertThat(Files.readAllBytes(file)).containsExactly(1, 9, 7);
        try (FileChannel channel = FileChannel.open(file, WRITE)) {
            channel.write(bytes(5).asReadOnlyBuffer());
        }
        assertThat(Files.readAllBytes(file)).containsExactly(5, 9, 7);
    }

    @Test
    void holesAreZeroAndTakeNoRoom() throws IOException {
        long far = 1L << 40;
        try (FileChannel channel = FileChannel.open(file, CREATE_NEW, READ, WRITE, SPARSE)) {
            channel.write(bytes(1), 0);
            channel.write(bytes(2, 3), far - 1);
            assertThat(channel.size()).isEqualTo(far + 1);
            assertThat(usedBlocks()).isEqualTo(3);
            ByteBuffer target = ByteBuffer.allocate(3);
            assertThat(channel.read(target, far - 2)).isEqualTo(3);
            assertThat(target.flip()).isEqualTo(bytes(0, 2, 3));
            channel.force(false);
            Path copy = Files.copy(file, system.getPath("/copy"));
            assertThat(Files.size(copy)).isEqualTo(far + 1);
            assertThat(usedBlocks()).as("holes are not copied").isEqualTo(6);
            channel.truncate(1);
            assertThat(usedBlocks()).isEqualTo(4);
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> channel.write(bytes(1), Long.MAX_VALUE - 1))
                    .withMessageStartingWith("/file: File too large")
                    .withMessageContaining("281474976579584");
        }
    }

    /** What was cut off is never seen again, wherever the file ended. */
    @Test
    void whatIsCutOffIsZeroWhenTheFileGrowsAgain() throws IOException {
        byte[] ones = new byte[3 * Donors.BLOCK];
        Arrays.fill(ones, (byte) 1);
        for (int end : new int[] {0, 1, 4095, 4096, 4097, Donors.BLOCK - 1, Donors.BLOCK, Donors.BLOCK + 5000}) {
            Files.write(file, ones);
            try (FileChannel channel = FileChannel.open(file, WRITE)) {
                channel.truncate(end);
                channel.write(bytes(1), ones.length - 1);
            }
            byte[] expected = new byte[ones.length];
            Arrays.fill(expected, 0, end, (byte) 1);
            expected[ones.length - 1] = 1;
            assertThat(Files.readAllBytes(file)).as("end %s", end).isEqualTo(expected);
        }
    }

    @Test
    void whatWasAnotherFilesIsZero() throws IOException {
        byte[] ones = new byte[SIZE];
        Arrays.fill(ones, (byte) 1);
        Files.write(file, ones);
        Files.delete(file);
        try (FileChannel channel = FileChannel.open(file, CREATE_NEW, WRITE)) {
            for (int at = Donors.BLOCK - 1; at < SIZE; at += Donors.BLOCK) {
                channel.write(bytes(2), at);
            }
        }
        byte[] expected = new byte[SIZE];
        for (int at = Donors.BLOCK - 1; at < SIZE; at += Donors.BLOCK) {
            expected[at] = 2;
        }
        assertThat(Files.readAllBytes(file)).isEqualTo(expected);
    }

    /** A write that does not fit as a whole says how much did. */
    @Test
    void aWriteThatFillsTheFileSystemIsPartial() throws IOException {
        try (FileChannel channel = FileChannel.open(file, CREATE, READ, WRITE)) {
            assertThat(channel.write(ByteBuffer.allocate(SIZE + 1), 100)).isEqualTo(SIZE - 100);
            assertThat(channel.size()).isEqualTo(SIZE);
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> channel.write(bytes(1), SIZE))
                    .withMessageContaining("No space left");
            assertThat(channel.write(bytes(1), SIZE - 1)).isEqualTo(1);
        }
    }

    @Test
    void bytesAreTransferred(@TempDir Path disk) throws IOException {
        byte[] content = new byte[300_000];
        new SplittableRandom(1).nextBytes(content);
        Path outside = Files.write(disk.resolve("file"), content);
        try (FileChannel channel = FileChannel.open(file, CREATE, READ, WRITE);
                FileChannel other = FileChannel.open(outside, READ, WRITE)) {
            assertThat(channel.transferFrom(other, 0, 1_000_000)).isEqualTo(300_000);
            assertThat(channel.transferFrom(other, 300_001, 1))
                    .as("behind the end")
                    .isZero();
            assertThat(Files.readAllBytes(file)).isEqualTo(content);
            other.truncate(0);
            assertThat(channel.transferTo(100, 250_000, other.position(0))).isEqualTo(250_000);
            assertThat(Files.readAllBytes(outside)).isEqualTo(Arrays.copyOfRange(content, 100, 250_100));
            assertThat(channel.transferTo(300_000, 5, other)).isZero();
            assertThat(channel.position()).isZero();
            assertThatIllegalArgumentException().isThrownBy(() -> channel.transferTo(-1, 1, other));
            assertThatIllegalArgumentException().isThrownBy(() -> channel.transferFrom(other, 0, -1));
        }
    }

    @Test
    void whatIsForcedIsWithThePeers() throws IOException {
        RemoteFileSystem remote = (RemoteFileSystem) system;
        try (FileChannel channel = FileChannel.open(file, CREATE, WRITE)) {
            channel.write(ByteBuffer.allocate(10 * Donors.PAGE));
            channel.force(false);
            assertThat(remote.pool().memory().statistics().dirty()).isZero();
        }
        try (FileChannel channel = FileChannel.open(file, WRITE, DSYNC)) {
            channel.write(bytes(1), 5 * Donors.PAGE);
            assertThat(remote.pool().memory().statistics().dirty()).isZero();
        }
    }

    // ---- life -------------------------------------------------------------------------------------------------------

    @Test
    void aDeletedFileLivesUntilItIsClosed() throws IOException {
        Files.writeString(file, "content");
        FileChannel channel = FileChannel.open(file, READ, WRITE);
        Files.delete(file);
        Files.writeString(file, "another");
        ByteBuffer target = ByteBuffer.allocate(7);
        channel.read(target);
        assertThat(new String(target.array(), java.nio.charset.StandardCharsets.UTF_8))
                .isEqualTo("content");
        channel.write(ByteBuffer.allocate(Donors.BLOCK));
        assertThat(usedBlocks()).isEqualTo(3);
        channel.close();
        assertThat(usedBlocks()).isEqualTo(1);
        assertThat(Files.readString(file)).isEqualTo("another");
    }

    @Test
    void deleteOnCloseDeletesItsOwnFile() throws IOException {
        FileChannel.open(file, CREATE, WRITE, DELETE_ON_CLOSE).close();
        assertThat(Files.exists(file)).isFalse();
        FileChannel channel = FileChannel.open(file, CREATE, WRITE, DELETE_ON_CLOSE);
        Files.delete(file);
        Files.writeString(file, "another");
        channel.close();
        assertThat(Files.readString(file)).isEqualTo("another");
    }

    @Test
    void aClosedChannelRefusesAll() throws IOException {
        FileChannel channel = FileChannel.open(file, CREATE, READ, WRITE);
        FileLock lock = channel.lock();
        channel.close();
        channel.close();
        assertThat(lock.isValid()).isFalse();
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> channel.read(bytes(1)));
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> channel.write(bytes(1), 0));
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(channel::size);
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> channel.position(1));
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> channel.truncate(0));
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> channel.force(true));
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(channel::tryLock);
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(lock::release);
    }

    @Test
    void locksExcludeEachOther() throws IOException {
        try (FileChannel one = FileChannel.open(file, CREATE, READ, WRITE);
                FileChannel other = FileChannel.open(file, READ, WRITE)) {
            FileLock lock = one.lock(10, 10, false);
            assertThatThrownBy(() -> other.tryLock(19, 1, true)).isInstanceOf(OverlappingFileLockException.class);
            assertThatThrownBy(() -> one.lock()).isInstanceOf(OverlappingFileLockException.class);
            assertThat(other.tryLock(20, 1, true).isShared()).isTrue();
            assertThat(lock.isValid()).isTrue();
            lock.release();
            assertThat(lock.isValid()).isFalse();
            FileLock next = other.lock(0, 20, false);
            other.close();
            assertThat(next.isValid()).isFalse();
            assertThat(one.tryLock()).isNotNull();
        }
    }
}
