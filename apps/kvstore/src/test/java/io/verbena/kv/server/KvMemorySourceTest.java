package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server whose memory is not the process'. */
@Timeout(60)
class KvMemorySourceTest {
    private final AtomicLong end = new AtomicLong();

    private ByteBuffer map(FileChannel channel, int length) {
        try {
            return channel.map(FileChannel.MapMode.READ_WRITE, end.getAndAdd(length), length);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void keysAndValuesLieInAMappedFile(@TempDir Path directory) throws IOException {
        Path file = directory.resolve("data");
        String large = "large".repeat(1 << 20);
        try (FileChannel channel = FileChannel.open(
                        file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
                KvServer server = KvServer.launch(new KvServerContext()
                        .name(KvServerTest.name())
                        .shards(2)
                        .memorySource(length -> map(channel, length)));
                TestClient client = new TestClient(server)) {
            for (int i = 0; i < 1000; i++) {
                assertThat(client.call(KvOp.SET, "key" + i, "value of " + i)).isEqualTo("OK");
            }
            assertThat(client.call(KvOp.SETRANGE, "large", "0", large)).isEqualTo((long) large.length());
            String content = Files.readString(file, StandardCharsets.ISO_8859_1);
            assertThat(content.length()).isEqualTo(end.get());
            assertThat(content.contains(large))
                    .as("a block of its own is there")
                    .isTrue();
            for (int i = 0; i < 1000; i++) {
                assertThat(client.call(KvOp.GET, "key" + i)).isEqualTo("value of " + i);
                assertThat(content.contains("value of " + i)).as("value %d", i).isTrue();
                assertThat(content.contains("key" + i)).as("key %d", i).isTrue();
            }
            // Frees the extent, which unmaps it: nothing else is harmed.
            assertThat(client.call(KvOp.DEL, "large")).isEqualTo(1L);
            assertThat(client.call(KvOp.GET, "key7")).isEqualTo("value of 7");
        }
    }
}
