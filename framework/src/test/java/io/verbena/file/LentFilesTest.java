package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.Right;
import io.verbena.tier.PagedPeer;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Files in memory that donors lend, for as long as the file system is open. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LentFilesTest {
    private static final int ROOM = 4 << 20;
    private static final int LENGTH = ROOM + ROOM / 2 + 1234; // of a file: more than a donor lends

    private static byte[] content(int length, int seed) {
        byte[] bytes = new byte[length];
        new SplittableRandom(seed).nextBytes(bytes);
        return bytes;
    }

    /** With little of it here, so that the bytes are at the donors. */
    private static Map<String, Object> properties(Donors donors, int replicas) {
        Map<String, Object> properties = donors.properties();
        properties.put("resident", 32 * Donors.PAGE);
        properties.put("replicas", replicas);
        return properties;
    }

    private static PagedPeer peer(FileSystem system, int number) {
        return ((RemoteFileSystem) system).pool().memory().statistics().peers().get(number);
    }

    private static Path write(Path path, byte[] content) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            ByteBuffer source = ByteBuffer.wrap(content);
            while (source.hasRemaining()) {
                channel.write(source);
            }
            channel.force(true);
        }
        return path;
    }

    private static long totalSpace(FileSystem system) throws IOException {
        return Files.getFileStore(system.getPath("/")).getTotalSpace();
    }

    // ---- lending ----------------------------------------------------------------------------------------------------

    /** A file is striped over all donors, and so may be longer than what one of them lends. */
    @Test
    void aFileIsLongerThanWhatADonorLends() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM).lend(ROOM)) {
            FileSystem system = donors.open("lent", properties(donors, 1));
            assertThat(totalSpace(system)).isEqualTo(2 * ROOM);
            Path path = write(system.getPath("/file"), content(LENGTH, 1));
            assertThat(Files.readAllBytes(path)).isEqualTo(content(LENGTH, 1));
            assertThat(Math.abs(peer(system, 0).bytes() - peer(system, 1).bytes()))
                    .isLessThanOrEqualTo(Donors.BLOCK);
            assertThat(peer(system, 0).bytes() + peer(system, 1).bytes()).isBetween((long) LENGTH, 2L * ROOM);
        }
    }

    @Test
    void donorsAreUsedBesidePeers() throws IOException {
        try (Donors donors = Donors.tcp().add(ROOM).lend(ROOM)) {
            FileSystem system = donors.open("both", properties(donors, 1));
            assertThat(totalSpace(system)).isEqualTo(2 * ROOM);
            Path path = write(system.getPath("/file"), content(LENGTH, 2));
            assertThat(Files.readAllBytes(path)).isEqualTo(content(LENGTH, 2));
            assertThat(peer(system, 0).bytes()).isPositive();
            assertThat(peer(system, 1).bytes()).isPositive();
        }
    }

    /** As an application does it: with text alone, and a node of the file system's own. */
    @Test
    void theLeasesEndWithTheFileSystem() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM).lend(ROOM)) {
            URI uri = URI.create("verbena://leases");
            Map<String, String> properties = Map.of(
                    "donors",
                    donors.lender(0) + ", " + donors.lender(1),
                    "replicas",
                    "2",
                    "size",
                    Integer.toString(ROOM / 2),
                    "timeout",
                    "PT30S");
            for (int loan = 1; loan <= 2; loan++) {
                try (FileSystem system = FileSystems.newFileSystem(uri, properties)) {
                    assertThat(totalSpace(system)).isEqualTo(ROOM / 2);
                    Path path = system.getPath("/file");
                    assertThat(path).doesNotExist();
                    Files.writeString(path, "content");
                    assertThat(path).hasContent("content");
                    assertThat(donors.donation(0).statistics().borrower()).isNotEmpty();
                }
                donors.awaitReturned();
                assertThat(donors.donation(0).statistics().loans()).isEqualTo(loan);
                assertThat(donors.donation(1).statistics().loans()).isEqualTo(loan);
            }
        }
    }

    // ---- failures ---------------------------------------------------------------------------------------------------

    /** Opens in vain, and then in earnest: what failed has left nothing, be it a lease or the name. */
    private static void expectFailure(Donors donors, Map<String, Object> properties, String message) {
        assertThatExceptionOfType(FileSystemException.class)
                .isThrownBy(() -> donors.open("failing", properties))
                .withMessageContaining(message)
                .satisfies(failure -> assertThat(failure.getFile()).isEqualTo("failing"));
        donors.awaitReturned();
    }

    @Test
    void whatDonorsLackIsNamed() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM).lend(ROOM / 2)) {
            String each = donors.lender(0) + " has " + ROOM + ", " + donors.lender(1) + " has " + ROOM / 2;
            Map<String, Object> properties = properties(donors, 1);
            properties.put("size", 2 * ROOM);
            expectFailure(donors, properties, "failing: size 8388608 > 6291456, what there is with 1 replica: " + each);
            properties.put("size", ROOM);
            properties.put("replicas", 2);
            expectFailure(
                    donors, properties, "failing: size 4194304 > 2097152, what there is with 2 replicas: " + each);
            properties.put("size", ROOM / 2);
            assertThat(totalSpace(donors.open("failing", properties))).isEqualTo(ROOM / 2);
        }
    }

    @Test
    void aPeerWithoutRoomForABlockIsNamed() throws IOException {
        try (Donors donors = Donors.tcp().add(Donors.BLOCK / 2)) {
            expectFailure(
                    donors,
                    properties(donors, 1),
                    "failing: what the peers share as 'files' has no room for 1 replicas of a block of 131072 bytes");
        }
    }

    /** The right that is missing is named, and what the donor had lent by then is given back. */
    @Test
    void aPeerThatRefusesARightIsNamed() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM);
                Node reader = Node.launch(new NodeContext().mode(NodeMode.THREAD))) {
            reader.share("files", ROOM, Right.READ);
            Map<String, Object> properties = properties(donors, 1);
            properties.put("peers", reader.listen("tcp://127.0.0.1:0"));
            expectFailure(donors, properties, "does not permit REMOTE_WRITE to ");
            expectFailure(donors, properties, "only REMOTE_READ");
            assertThat(donors.donation(0).statistics().loans()).isEqualTo(2);
            properties.put("peers", List.of());
            donors.open("failing", properties);
        }
    }

    @Test
    void aDonorThatHasLentItsMemoryIsNamed() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM).lend(ROOM)) {
            Map<String, Object> first = properties(donors, 1);
            first.put("donors", List.of(donors.lender(1)));
            FileSystem system = donors.open("first", first);
            Map<String, Object> second = properties(donors, 1);
            second.put("timeout", Duration.ofSeconds(2));
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> donors.open("second", second))
                    .withMessage("second: donor " + donors.lender(1) + " lends nothing within 2000 ms: node '"
                            + ((Node) first.get("node")).name() + "' has its memory");
            Donors.await(() -> donors.donation(0).statistics().borrower().isEmpty());
            system.close();
            donors.open("second", properties(donors, 1));
        }
    }

    @Test
    void whoLendsNothingIsNamed() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM).add(ROOM)) {
            Map<String, Object> properties = properties(donors, 1);
            properties.put("peers", List.of());
            properties.put("donors", List.of(donors.lender(0), donors.address(0)));
            expectFailure(donors, properties, "donation");
            properties.put("donors", List.of(donors.lender(0)));
            donors.open("failing", properties);
        }
    }

    @Test
    void propertiesThatDoNotFitAreNamed() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM)) {
            Map<String, Object> properties = properties(donors, 2);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> donors.open("wrong", properties))
                    .withMessage("number of peers 1 outside 2..64");
            properties.put("replicas", 1);
            properties.put("memory", "parts");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> donors.open("wrong", properties))
                    .withMessage("property 'memory' is parts, and not shared by any peer");
            assertThat(donors.donation(0).statistics().loans()).isZero();
        }
    }

    // ---- a donor's death --------------------------------------------------------------------------------------------

    @Test
    void withTwoReplicasADonorTakesNothingAlong() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM).lend(ROOM).lend(ROOM)) {
            FileSystem system = donors.open("two", properties(donors, 2));
            Path before = write(system.getPath("/before"), content(ROOM / 2, 3));
            assertThat(peer(system, 0).bytes()).isPositive();
            donors.kill(0);
            Path after = write(system.getPath("/after"), content(ROOM / 2, 4));
            Donors.await(() -> !peer(system, 0).alive());
            assertThat(Files.readAllBytes(before)).isEqualTo(content(ROOM / 2, 3));
            assertThat(Files.readAllBytes(after)).isEqualTo(content(ROOM / 2, 4));
        }
    }

    @Test
    void withOneReplicaWhatADonorTakesAlongIsNamed() throws IOException {
        try (Donors donors = Donors.tcp().lend(ROOM).lend(ROOM)) {
            FileSystem system = donors.open("one", properties(donors, 1));
            Path path = write(system.getPath("/file"), content(LENGTH, 5));
            donors.donation(1).close();
            Donors.await(() -> !peer(system, 1).alive());
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> Files.readAllBytes(path))
                    .withMessageMatching("/file: bytes \\d+ to \\d+ are lost with peer " + donors.lender(1)
                            + ", which alone had them; write all of them to use them again");
            Files.delete(path);
            assertThat(Files.readAllBytes(write(path, content(ROOM / 2, 6))))
                    .as("what the other one lends is still there")
                    .isEqualTo(content(ROOM / 2, 6));
        }
    }
}
