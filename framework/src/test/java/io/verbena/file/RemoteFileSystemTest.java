package io.verbena.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.verbena.Node;
import io.verbena.NodeContext;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.ClosedFileSystemException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystem;
import java.nio.file.FileSystemAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a file system is opened, found and closed. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RemoteFileSystemTest {
    /** As an application does it: by the scheme, with text alone, over a socket and with a node of its own. */
    @Test
    void theJvmFindsTheProvider() throws IOException {
        try (Node donor = Node.launch(new NodeContext())) {
            donor.share("parts", 1 << 20);
            String address = donor.listen("tcp://127.0.0.1:0");
            URI uri = URI.create("verbena://cluster");
            Map<String, String> properties = Map.of(
                    "peers", address, "memory", "parts", "resident", "131072", "size", "524288", "timeout", "PT30S");
            try (FileSystem system = FileSystems.newFileSystem(uri, properties)) {
                Path path = Path.of(URI.create("verbena://cluster/a%20b/c"));
                Files.createDirectories(path.getParent());
                Files.writeString(path, "content");
                assertThat(Files.readString(system.getPath("/a b", "c"))).isEqualTo("content");
                assertThat(path.toUri()).isEqualTo(URI.create("verbena://cluster/a%20b/c"));
                assertThat(Path.of(path.toUri())).isEqualTo(path);
                assertThat(FileSystems.getFileSystem(uri)).isSameAs(system);
                assertThat(Files.getFileStore(path).getTotalSpace()).isEqualTo(524_288);
                assertThatExceptionOfType(FileSystemAlreadyExistsException.class)
                        .isThrownBy(() -> FileSystems.newFileSystem(uri, properties));
            }
            assertThatExceptionOfType(FileSystemNotFoundException.class)
                    .isThrownBy(() -> FileSystems.getFileSystem(uri));
            try (FileSystem again = FileSystems.newFileSystem(uri, properties)) {
                assertThat(Files.exists(again.getPath("/a b")))
                        .as("it was the end of all files")
                        .isFalse();
            }
        }
    }

    @Test
    void wrongPropertiesAreNamed() throws IOException {
        try (Donors donors = Donors.local().add(1 << 20)) {
            expectWrong(donors, "colour", "red", "property 'colour' is not known; there are [donors, memory, node, ");
            expectWrong(donors, "peers", null, "neither property 'peers' nor 'donors' has an address");
            expectWrong(donors, "peers", " ", "property 'peers' is  , and not addresses");
            expectWrong(donors, "donors", 7, "property 'donors' is 7, and not addresses");
            expectWrong(donors, "memory", 7, "property 'memory' is 7, and not the name of a region");
            expectWrong(donors, "resident", "much", "property 'resident' is much, and not a whole number");
            expectWrong(donors, "timeout", "15", "property 'timeout' is 15, and not a duration as PT15S");
            expectWrong(donors, "node", "me", "property 'node' is me, and not a Node");
            expectWrong(donors, "replicas", 3, "replicas 3 outside 1..2");
            expectWrong(donors, "replicas", 2, "number of peers 1 outside 2..64");
            expectWrong(donors, "size", 5000, "size 5000 is not a multiple of 131072");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> donors.provider().getPath(URI.create("verbena:x")))
                    .withMessage("verbena:x has no path");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> donors.open("a/b", donors.properties()))
                    .withMessageContaining("has a path");
            Map<String, Object> absent = donors.properties();
            absent.put("memory", "nothing");
            assertThatExceptionOfType(FileSystemException.class)
                    .isThrownBy(() -> donors.open("a", absent))
                    .withMessageContaining("nothing");
            donors.open("a", donors.properties());
        }
    }

    private static void expectWrong(Donors donors, String key, Object value, String message) {
        Map<String, Object> properties = new HashMap<>(donors.properties());
        properties.put(key, value);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> donors.open("a", properties))
                .withMessageStartingWith(message);
    }

    @Test
    @SuppressWarnings("StreamResourceLeak") // who closes it is what is tested
    void theEndOfAFileSystemIsTheEndOfAll() throws IOException {
        try (Donors donors = Donors.local().add(1 << 20)) {
            FileSystem system = donors.small();
            Path file = Files.writeString(system.getPath("/file"), "content");
            FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            DirectoryStream<Path> stream = Files.newDirectoryStream(system.getPath("/"));
            Iterator<Path> entries = stream.iterator();
            system.close();
            system.close();
            assertThat(system.isOpen()).isFalse();
            assertThat(channel.isOpen()).isFalse();
            assertThat(entries.hasNext()).isFalse();
            assertThatExceptionOfType(ClosedChannelException.class)
                    .isThrownBy(() -> channel.read(ByteBuffer.allocate(1)));
            assertThatExceptionOfType(ClosedFileSystemException.class).isThrownBy(() -> Files.readString(file));
            assertThatExceptionOfType(ClosedFileSystemException.class).isThrownBy(() -> Files.delete(file));
            assertThatExceptionOfType(ClosedFileSystemException.class).isThrownBy(() -> Files.getFileStore(file));
        }
    }

    @Test
    void pathsAreOfTheirFileSystem() throws IOException {
        try (Donors donors = Donors.local().add(1 << 20).add(1 << 20)) {
            FileSystem system = donors.small();
            Path path = system.getPath("/a");
            assertThatExceptionOfType(InvalidPathException.class).isThrownBy(() -> system.getPath("a\0b"));
            assertThat(path.startsWith(Path.of("/a"))).isFalse();
            assertThat(path).isNotEqualTo(Path.of("/a"));
            assertThat(system.getPath("", "a", "", "b")).hasToString("a/b");
            assertThat(system.getRootDirectories()).containsExactly(system.getPath("/"));
            assertThat(system.getSeparator()).isEqualTo("/");
            assertThat(system.isReadOnly()).isFalse();
            assertThat(system).hasToString("verbena://small");
            assertThat(system.getPath("b").toAbsolutePath()).hasToString("/b");
        }
    }
}
