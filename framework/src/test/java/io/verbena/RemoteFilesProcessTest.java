package io.verbena;

import static java.nio.file.StandardOpenOption.CREATE;
import static java.nio.file.StandardOpenOption.READ;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.file.RemoteFileSystemProvider;
import java.nio.ByteBuffer;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files at a process that stands still: whoever waits for it can be freed. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class RemoteFilesProcessTest {
    private static final int PAGE = 4096;
    private static final int PAGES = 200;

    /** What a thread that reads all that is not here has met, and whether it was interrupted then. */
    private record End(Exception exception, boolean interrupted) {}

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoWaitsIsFreedByAnInterruptAndByClosing(boolean isInterrupt) throws Exception {
        try (PeerProcess peer = PeerProcess.serving(Fabric.TCP);
                Node node = Node.launch(
                        PeerProcess.context(Fabric.TCP).peerTimeout(Duration.ofSeconds(90)))) { // it is not lost
            Map<String, Object> properties = new HashMap<>();
            properties.put("peers", peer.address.substring(0, peer.address.length() - 1));
            properties.put("memory", "table");
            properties.put("resident", 16 * PAGE);
            properties.put("timeout", Duration.ofSeconds(60)); // longer than the test may take
            properties.put("node", node);
            try (FileSystem system = new RemoteFileSystemProvider()
                    .newFileSystem(java.net.URI.create("verbena://process"), properties)) {
                Path path = system.getPath("/file");
                FileChannel channel = FileChannel.open(path, CREATE, READ, WRITE);
                byte[] ones = new byte[PAGES * PAGE];
                Arrays.fill(ones, (byte) 1);
                assertThat(channel.write(ByteBuffer.wrap(ones))).isEqualTo(ones.length);
                channel.force(false);
                AtomicReference<End> end = new AtomicReference<>();
                Thread reader = new Thread(() -> end.set(readAll(channel)), "reader");
                peer.suspend();
                try {
                    reader.start();
                    awaitWaiting(reader);
                    if (isInterrupt) {
                        reader.interrupt();
                    } else {
                        channel.close();
                    }
                    reader.join(30_000);
                    assertThat(reader.isAlive()).isFalse();
                } finally {
                    peer.resume();
                }
                assertThat(end.get().exception())
                        .isExactlyInstanceOf(
                                isInterrupt ? ClosedByInterruptException.class : AsynchronousCloseException.class);
                assertThat(end.get().interrupted()).isEqualTo(isInterrupt);
                assertThat(channel.isOpen()).isFalse();
            }
        }
    }

    private static End readAll(FileChannel channel) {
        ByteBuffer page = ByteBuffer.allocate(PAGE);
        try {
            for (int i = 0; ; i = (i + 1) % PAGES) {
                channel.read(page.clear(), (long) i * PAGE);
            }
        } catch (Exception e) {
            return new End(e, Thread.currentThread().isInterrupted());
        }
    }

    /** Until it is within the wait for a page. */
    private static void awaitWaiting(Thread thread) {
        org.awaitility.Awaitility.await()
                .atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(5))
                .until(() -> Arrays.stream(thread.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().endsWith("SessionWaiting")));
    }
}
