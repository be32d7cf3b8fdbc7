package io.verbena.fabric.shm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.verbena.fabric.security.LocalUser;
import io.verbena.nic.port.MemoryExhaustedException;
import io.verbena.nic.port.Segment;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
class SharedMemoryProviderTest {
    @TempDir
    Path root;

    private static List<String> names(Path directory) throws Exception {
        try (var files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void laysItsFilesOutAndRemovesThem() throws Exception {
        Path directory;
        Segment kept;
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 0xABC, Long.MAX_VALUE)) {
            directory = memory.directory();
            assertThat(directory.getFileName()).hasToString("0000000000000abc");
            assertThat(directory.getParent().getFileName().toString()).startsWith("verbena-");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)))
                    .isEqualTo("rwx------");
            AtomicBuffer control = memory.allocateControl(4096);
            assertThat(memory.control()).isSameAs(control);
            Segment first = memory.allocate(10_000);
            kept = memory.allocate(64);
            assertThat(first.id()).isNotEqualTo(kept.id());
            assertThat(first.buffer().capacity()).isEqualTo(10_000);
            assertThat(first.buffer().addressOffset() % 64).isZero();
            for (int i = 0; i < 10_000; i++) {
                assertThat(first.buffer().getByte(i)).isZero();
            }
            assertThat(names(directory))
                    .containsExactly("control", "lock", "segment-" + first.id(), "segment-" + kept.id());
            assertThat(memory.segment(first.id())).isSameAs(first.buffer());
            assertThat(memory.allocatedBytes()).isEqualTo(4096 + 10_000 + 64);
            memory.release(first);
            memory.release(first);
            assertThat(memory.segment(first.id())).isNull();
            assertThat(memory.allocatedBytes()).isEqualTo(4096 + 64);
            assertThat(names(directory)).containsExactly("control", "lock", "segment-" + kept.id());
            first.buffer().putLong(0, 1); // what is unlinked is still mapped
        }
        assertThat(directory).doesNotExist();
        kept.buffer().putLong(0, 1);
        assertThat(kept.buffer().getLong(0)).isEqualTo(1);
    }

    @Test
    void saysHowMuchThereIsWhenMemoryIsFull() {
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 1, 100_000)) {
            memory.allocateControl(4096);
            memory.allocate(90_000);
            assertThatThrownBy(() -> memory.allocate(10_000))
                    .isInstanceOf(MemoryExhaustedException.class)
                    .hasMessageContaining("segment of 10000 bytes: 94096 of 100000 bytes are in use")
                    .hasMessageContaining("smaller chunkLength")
                    .hasMessageNotContaining("\n");
            memory.allocate(5_000);
            assertThat(memory.allocatedBytes()).isEqualTo(99_096);
        }
    }

    @Test
    void aFileThatTheFileSystemHasNoRoomForLeavesNothingBehind() throws Exception {
        // A disk that is smaller than 2 GiB cannot hold this; a larger one is not filled by a test.
        long usable = Files.getFileStore(root).getUsableSpace();
        org.junit.jupiter.api.Assumptions.assumeTrue(usable < Integer.MAX_VALUE, "the disk has " + usable + " bytes");
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 1, Long.MAX_VALUE)) {
            assertThatThrownBy(() -> memory.allocate(Integer.MAX_VALUE))
                    .isInstanceOf(MemoryExhaustedException.class)
                    .hasMessageContaining("bytes are left")
                    .hasMessageContaining("--shm-size");
            assertThat(names(memory.directory())).containsExactly("lock");
            assertThat(memory.allocatedBytes()).isZero();
        }
    }

    @Test
    void saysThatItsDirectoryWasRemoved() throws Exception {
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 1, Long.MAX_VALUE)) {
            Segment mapped = memory.allocate(4096);
            IoUtil.delete(memory.directory().toFile(), false);
            assertThatThrownBy(() -> memory.allocate(4096))
                    .isInstanceOf(MemoryExhaustedException.class)
                    .hasMessageContaining("somebody has removed that directory")
                    .hasMessageNotContaining("--shm-size");
            mapped.buffer().putLong(0, 1); // what is mapped stays
            assertThat(memory.allocatedBytes()).isEqualTo(4096);
        }
    }

    @Test
    void aLivingProvidersIdentityIsNotTaken() {
        try (SharedMemoryProvider memory = new SharedMemoryProvider(root, 7, Long.MAX_VALUE)) {
            assertThatThrownBy(() -> new SharedMemoryProvider(root, 7, Long.MAX_VALUE))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("belongs to a living process");
            assertThat(SharedMemoryProvider.removeDead(root)).isZero();
            assertThat(memory.directory()).exists();
        }
        new SharedMemoryProvider(root, 7, Long.MAX_VALUE).close();
    }

    @Test
    void theJanitorRemovesTheDeadAndLeavesTheRest() throws Exception {
        try (SharedMemoryProvider living = new SharedMemoryProvider(root, 1, Long.MAX_VALUE)) {
            Path parent = living.directory().getParent();
            Path dead = Files.createDirectory(parent.resolve("00000000000000dd"));
            Files.createFile(dead.resolve("lock"));
            Files.write(dead.resolve("segment-1"), new byte[100]);
            Path halfMade = Files.createDirectory(parent.resolve("00000000000000ee"));
            Path foreign = Files.createDirectory(parent.resolve("someone-elses"));
            assertThat(SharedMemoryProvider.removeDead(root)).isEqualTo(2);
            assertThat(dead).doesNotExist();
            assertThat(halfMade).doesNotExist();
            assertThat(foreign).exists();
            assertThat(living.directory()).exists();
        }
    }

    /** Who asks whether a peer is gone waits for no janitor, and a directory that is not there needs none. */
    @Test
    void aRemovedDirectoryIsGoneEvenWhileTheJanitorIsAtWork() throws Exception {
        try (SharedMemoryProvider living = new SharedMemoryProvider(root, 1, Long.MAX_VALUE)) {
            Path parent = SharedDirectory.userDirectory(root);
            Path removed = Files.createDirectory(parent.resolve("00000000000000dd"));
            Object identity = SharedDirectory.identityOf(removed);
            Files.delete(removed);
            Object own = SharedDirectory.identityOf(living.directory());
            Thread janitor = new Thread(() -> SharedMemoryProvider.removeDead(root));
            try (FileChannel users = FileChannel.open(parent.resolve(".lock"), StandardOpenOption.WRITE);
                    FileLock held = users.lock()) {
                assertThat(held.isValid()).isTrue();
                janitor.start(); // finds the user's lock taken, and keeps the process's own while it waits
                await().atMost(30, TimeUnit.SECONDS).until(() -> janitor.getState() == Thread.State.TIMED_WAITING);
                assertThat(SharedDirectory.isGone(removed, identity)).isTrue();
                assertThat(SharedDirectory.isGone(living.directory(), own)).isFalse();
            }
            janitor.join();
        }
    }

    @Test
    void theJanitorRemovesTheSocketsOfTheDeadAndNobodyElses() throws Exception {
        Path left = bound(root.resolve("left.sock"));
        Path taken = bound(root.resolve("taken.sock"));
        Path notes;
        byte[] noted;
        try (SharedMemoryProvider killed = new SharedMemoryProvider(root, 1, Long.MAX_VALUE)) {
            killed.noteSocket(left);
            killed.noteSocket(taken);
            notes = killed.directory().resolveSibling("00000000000000dd").resolve("sockets");
            noted = Files.readAllBytes(killed.directory().resolve("sockets"));
            Files.delete(killed.directory().resolve("sockets")); // its own close finds nothing, as after a kill
        }
        Files.createDirectory(notes.getParent());
        Files.write(notes, noted);
        Files.delete(taken);
        bound(taken);
        assertThat(SharedMemoryProvider.removeDead(root)).isEqualTo(1);
        assertThat(left).doesNotExist();
        assertThat(taken).as("another process has it").exists();
    }

    /** A socket that is bound and left there. */
    private static Path bound(Path path) throws IOException {
        try (ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            channel.bind(UnixDomainSocketAddress.of(path));
        }
        return path;
    }

    @Test
    void refusesADirectoryThatOthersMayEnter() throws Exception {
        Path user = SharedDirectory.userDirectory(root);
        Files.setPosixFilePermissions(user, PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThatThrownBy(() -> new SharedMemoryProvider(root, 1, Long.MAX_VALUE))
                .hasMessageContaining("others may enter it");
        Files.delete(user);
        Path target = Files.createDirectory(root.resolve("elsewhere"));
        Files.createSymbolicLink(user, target);
        assertThatThrownBy(() -> new SharedMemoryProvider(root, 1, Long.MAX_VALUE))
                .hasMessageContaining("it is not a directory");
        assertThatThrownBy(() -> new SharedMemoryProvider(root.resolve("none"), 1, Long.MAX_VALUE))
                .hasMessageContaining("there is no directory")
                .hasMessageContaining("name another directory")
                .hasMessageContaining("NodeContext.sharedMemoryRoot");
    }

    /** Whoever makes a user's directory first gets neither its memory nor its processes' names. */
    @Test
    void refusesTheDirectoryOfAnotherUser() throws Exception {
        SharedDirectory.userDirectory(root);
        int own = LocalUser.own();
        assertThatThrownBy(() -> SharedDirectory.userDirectory(root, own + 1)) // as the one that it is the name of
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("it belongs to user " + own + ", this process is user " + (own + 1))
                .hasMessageContaining("name another directory")
                .hasMessageContaining("NodeContext.sharedMemoryRoot");
    }

    @Test
    void refusesMisuse() {
        SharedMemoryProvider memory = new SharedMemoryProvider(root, 1, Long.MAX_VALUE);
        assertThatThrownBy(memory::control).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> memory.allocate(0)).hasMessageContaining("0 bytes < minimum 1");
        memory.allocateControl(64);
        assertThatThrownBy(() -> memory.allocateControl(64)).isInstanceOf(IllegalStateException.class);
        memory.close();
        memory.close();
        assertThatThrownBy(() -> memory.allocate(64)).hasMessageContaining("closed");
    }
}
