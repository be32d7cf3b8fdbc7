package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.verbena.tier.PagedPeer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files over sockets, and what remains of them when a donor goes. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class FilesUnderFaultsTest {
    private static final int FILES = 8;
    private static final int LENGTH = 3 * Donors.BLOCK + 1234;
    private static final int ROOM = 8 << 20;

    private static byte[] content(int seed) {
        byte[] bytes = new byte[LENGTH];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    private static FileSystem open(Donors donors, int replicas) throws IOException {
        Map<String, Object> properties = donors.properties();
        properties.put("resident", 32 * Donors.PAGE);
        properties.put("replicas", replicas);
        return donors.open("faults", properties);
    }

    private static PagedPeer peer(FileSystem system, int number) {
        return ((RemoteFileSystem) system).pool().memory().statistics().peers().get(number);
    }

    private static Path write(FileSystem system, int number) throws IOException {
        Path path = Files.write(system.getPath("/f" + number), content(number));
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
        return path;
    }

    /** Blocks are striped over both, and a donor that goes between two writes takes nothing along. */
    @Test
    void withTwoReplicasNothingIsLost() throws IOException {
        try (Donors donors = Donors.tcp().add(ROOM).add(ROOM)) {
            FileSystem system = open(donors, 2);
            for (int i = 0; i < FILES; i++) {
                if (i == FILES / 2) {
                    assertThat(peer(system, 0).bytes())
                            .isPositive()
                            .isEqualTo(peer(system, 1).bytes());
                    donors.kill(0);
                }
                write(system, i);
                Files.write(system.getPath("/f0"), content(0)); // also what was at both
            }
            Donors.await(() -> !peer(system, 0).alive());
            for (int i = 0; i < FILES; i++) {
                assertThat(Files.readAllBytes(system.getPath("/f" + i)))
                        .as("file %s", i)
                        .isEqualTo(content(i));
            }
            assertThat(Files.getFileStore(system.getPath("/")).getUsableSpace())
                    .as("half of the donors is gone")
                    .isLessThan(ROOM / 2);
        }
    }

    /** With one replica a part is lost, and said so: what is read is what was written or an exception. */
    @Test
    void withOneReplicaWhatIsLostIsNamed() throws IOException {
        try (Donors donors = Donors.tcp().add(ROOM).add(ROOM)) {
            FileSystem system = open(donors, 1);
            for (int i = 0; i < FILES; i++) {
                write(system, i);
            }
            assertThat(peer(system, 0).bytes()).isCloseTo(peer(system, 1).bytes(), within());
            donors.kill(1);
            Donors.await(() -> !peer(system, 1).alive());
            int lost = 0;
            for (int i = 0; i < FILES; i++) {
                lost += lostPages(system.getPath("/f" + i), content(i), donors.address(1));
            }
            int pages = FILES * (LENGTH / Donors.PAGE + 1);
            assertThat(lost).as("lost of %s pages", pages).isBetween(pages / 4, pages * 3 / 4);
            for (int i = 0; i < FILES; i++) {
                Path path = system.getPath("/f" + i);
                Files.delete(path);
                Files.write(path, content(i + 100)); // in blocks that lost what they had
                assertThat(Files.readAllBytes(path)).isEqualTo(content(i + 100));
            }
        }
    }

    /** What was written back is lost too, and force says so in the file's terms. */
    @Test
    void aForceOfWhatIsLostFails() throws IOException {
        try (Donors donors = Donors.tcp().add(ROOM).add(ROOM)) {
            FileSystem system = open(donors, 1);
            Path path = write(system, 0);
            write(system, 1); // so that nothing of it is here
            donors.kill(0);
            Donors.await(() -> !peer(system, 0).alive());
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
                assertThatExceptionOfType(FileSystemException.class)
                        .isThrownBy(() -> channel.force(false))
                        .withMessageMatching("/f0: bytes \\d+ to \\d+ are lost with peer .*");
            }
            Files.write(path, content(0));
            write(system, 0);
        }
    }

    private static org.assertj.core.data.Offset<Long> within() {
        return org.assertj.core.data.Offset.offset((long) Donors.BLOCK);
    }

    private static int lostPages(Path path, byte[] expected, String donor) throws IOException {
        int lost = 0;
        try (FileChannel channel = FileChannel.open(path)) {
            for (int at = 0; at < LENGTH; at += Donors.PAGE) {
                int length = Math.min(Donors.PAGE, LENGTH - at);
                ByteBuffer target = ByteBuffer.allocate(length);
                try {
                    assertThat(channel.read(target, at)).isEqualTo(length);
                    assertThat(target.flip())
                            .isEqualTo(ByteBuffer.wrap(expected, at, length).slice());
                } catch (FileSystemException e) {
                    lost++;
                    assertThat(e)
                            .hasMessage(path + ": bytes " + at + " to " + (at + Donors.PAGE - 1)
                                    + " are lost with peer " + donor
                                    + ", which alone had them; write all of them to use them again");
                }
            }
        }
        return lost;
    }

    /** Blocks that had their place at a donor that is lost are passed over for those that have theirs at another. */
    @Test
    void whatFullDonorsHaveIsUsedAgain() throws IOException {
        try (Donors donors = Donors.tcp().add(ROOM).add(ROOM)) {
            FileSystem system = open(donors, 1);
            Path file = system.getPath("/file");
            Files.write(file, new byte[2 * ROOM]);
            donors.kill(0);
            Donors.await(() -> !peer(system, 0).alive());
            Files.delete(file);
            byte[] most = new byte[ROOM];
            new SplittableRandom(1).nextBytes(most);
            assertThat(Files.readAllBytes(Files.write(file, most))).isEqualTo(most);
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> Files.write(system.getPath("/more"), new byte[1]))
                    .withMessageStartingWith("/more: ")
                    .withMessageContaining("no room for");
        }
    }

    /** Without any donor a write fails, and does not hang. */
    @Test
    void withoutDonorsNothingIsWritten() throws IOException {
        try (Donors donors = Donors.tcp().add(ROOM)) {
            FileSystem system = open(donors, 1);
            donors.kill(0);
            Donors.await(() -> !peer(system, 0).alive());
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> Files.write(system.getPath("/file"), content(1)))
                    .withMessageContaining("/file: byte 0 and what follows: no room for block")
                    .withMessageContaining("is lost");
            assertThat(Files.size(system.getPath("/file"))).isZero();
        }
    }
}
