package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Where the directory of a user's shared memory is not his own, another one is named, by the option that the text says.
 */
@Timeout(180)
class SharedMemoryRootTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    @TempDir
    Path taken;

    @TempDir
    Path free;

    @Test
    void anotherRootWhereTheDirectoryIsTaken() throws IOException {
        Files.createDirectory(taken.resolve("verbena-" + System.getProperty("user.name")));
        Files.setPosixFilePermissions(
                taken.resolve("verbena-" + System.getProperty("user.name")),
                PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() ->
                        Node.launch(new NodeContext().sharedMemoryRoot(taken).listen("shm:root-test-taken")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("others may enter it")
                .hasMessageContaining("NodeContext.sharedMemoryRoot");
        try (Node server = Node.launch(new NodeContext().sharedMemoryRoot(free).listen("shm:root-test"));
                Node client = Node.launch(new NodeContext().sharedMemoryRoot(free))) {
            Inbox inbox = server.openInbox("in");
            client.connect("shm:root-test/in", TIMEOUT).send("here", TIMEOUT);
            assertThat(inbox.await(TIMEOUT)).isTrue();
            inbox.poll(m -> assertThat(m.text()).isEqualTo("here"), 1);
        }
    }
}
