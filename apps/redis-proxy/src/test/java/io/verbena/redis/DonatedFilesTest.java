package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.fabric.security.SharedSecret;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileStore;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files in the memory that {@code verbena donate} lends, in processes of their own. */
@Timeout(180)
class DonatedFilesTest {
    private static final URI CLUSTER = URI.create("verbena://cluster/");
    private static final int MIB = 1 << 20;
    private static final int LENGTH = 6 * MIB; // of a file: more than a donor lends
    private static final byte[] SECRET = "0123456789abcdef01234567".getBytes(StandardCharsets.US_ASCII);

    @TempDir
    Path directory;

    private static DonorProcess donor(String... more) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("--memory", "4mb", "--listen", "tcp://127.0.0.1:0"));
        arguments.addAll(List.of(more));
        return DonorProcess.start(arguments.toArray(String[]::new));
    }

    /** With text alone, as a configuration file has it. */
    private static Map<String, Object> properties(DonorProcess... donors) {
        StringBuilder addresses = new StringBuilder();
        for (DonorProcess each : donors) {
            addresses.append(addresses.isEmpty() ? "" : ",").append(each.address());
        }
        Map<String, Object> properties = new HashMap<>();
        properties.put("donors", addresses.toString());
        properties.put("resident", Integer.toString(MIB / 4));
        properties.put("timeout", "PT30S");
        return properties;
    }

    private static byte[] content(int length) {
        byte[] bytes = new byte[length];
        new SplittableRandom(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void aFileLiesOnTwoDonorsUntilTheFileSystemIsClosed() throws Exception {
        try (DonorProcess one = donor();
                DonorProcess other = donor()) {
            for (int i = 0; i < 2; i++) {
                try (FileSystem files = FileSystems.newFileSystem(CLUSTER, properties(one, other))) {
                    Path path = Path.of(URI.create("verbena://cluster/parts/0"));
                    assertThat(path.getParent()).doesNotExist();
                    Files.createDirectory(path.getParent());
                    try (OutputStream output = Files.newOutputStream(path)) {
                        output.write(content(LENGTH));
                    }
                    try (InputStream input = Files.newInputStream(path)) {
                        assertThat(input.readAllBytes()).isEqualTo(content(LENGTH));
                    }
                    FileStore store = Files.getFileStore(files.getPath("/"));
                    assertThat(store.getTotalSpace()).isEqualTo(8L * MIB);
                    assertThat(store.getUsableSpace()).isEqualTo(2L * MIB);
                }
            }
        }
    }

    @Test
    void withTwoReplicasADonorThatIsKilledTakesNothingAlong() throws Exception {
        try (DonorProcess one = donor();
                DonorProcess other = donor();
                Node node = Node.launch(new NodeContext().mode(NodeMode.THREAD).peerTimeout(Duration.ofSeconds(1)))) {
            Map<String, Object> properties = properties(one, other);
            properties.put("replicas", "2");
            properties.put("node", node);
            try (FileSystem files = FileSystems.newFileSystem(CLUSTER, properties)) {
                Path path = Files.write(files.getPath("/file"), content(2 * MIB));
                one.kill();
                assertThat(Files.readAllBytes(path)).isEqualTo(content(2 * MIB));
                Path more = Files.write(files.getPath("/more"), content(MIB));
                assertThat(Files.readAllBytes(more)).isEqualTo(content(MIB));
            }
        }
    }

    @Test
    void whatADonorLacksIsNamed() throws Exception {
        try (DonorProcess donor = donor()) {
            Map<String, Object> properties = properties(donor);
            properties.put("size", Integer.toString(LENGTH));
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> FileSystems.newFileSystem(CLUSTER, properties))
                    .withMessage("cluster: size " + LENGTH + " > " + 4 * MIB + ", what there is with 1 replica: "
                            + donor.address() + " has " + 4 * MIB);
            FileSystems.newFileSystem(CLUSTER, properties(donor)).close();
        }
    }

    /** The file system's own node knows no secret, the one that it is given does. */
    @Test
    void aSecretIsTheNodesAffair() throws Exception {
        Path secret = Files.createFile(
                directory.resolve("secret"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(secret, SECRET);
        try (DonorProcess donor = donor("--secret-file", secret.toString());
                Node node = Node.launch(new NodeContext().secret(new SharedSecret(SECRET)))) {
            Map<String, Object> properties = properties(donor);
            properties.put("timeout", "PT2S");
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> FileSystems.newFileSystem(CLUSTER, properties));
            properties.put("timeout", "PT30S");
            properties.put("node", node);
            try (FileSystem files = FileSystems.newFileSystem(CLUSTER, properties)) {
                Path path = Files.write(files.getPath("/file"), content(MIB));
                assertThat(Files.readAllBytes(path)).isEqualTo(content(MIB));
            }
        }
    }
}
