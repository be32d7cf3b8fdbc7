package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.verbena.nic.port.MemoryExhaustedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/**
 * Shared memory that is full while nodes run: nobody waits for ever, everybody is told what helps, and with room all
 * goes on. The file system is a small one that the test mounts, for which it needs root.
 */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class FullSharedMemoryTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration LONG = Duration.ofSeconds(40);
    private static final int LARGE = 1 << 20;
    private static final String REMEDY = "--shm-size";

    @TempDir
    Path root;

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.verbena");
    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final UnsafeBuffer message = new UnsafeBuffer(new byte[LARGE]);
    private boolean mounted;

    @BeforeEach
    void mount() throws Exception {
        String said = run("mount", "-t", "tmpfs", "-o", "size=64m", "verbena-test", root.toString());
        mounted = said.isEmpty();
        assumeTrue(mounted, () -> "no file system of its own: " + said);
        log.start();
        logger.addAppender(log);
    }

    @AfterEach
    void unmount() throws Exception {
        logger.detachAppender(log);
        if (mounted) {
            assertThat(run("umount", "-l", root.toString())).isEmpty();
        }
    }

    /** What a command says, or how it fails. */
    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? said : "failed: " + said;
    }

    private void fill() throws IOException {
        ByteBuffer page = ByteBuffer.allocate(4096);
        try (FileChannel hog = FileChannel.open(hog(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            while (true) {
                hog.write(page.clear());
            }
        } catch (IOException full) {
            assertThat(full).hasMessageContaining("No space left");
        }
    }

    private void makeRoom() throws IOException {
        Files.delete(hog());
    }

    private Path hog() {
        return root.resolve("hog");
    }

    private NodeContext context() {
        return Fabric.SHM.context(NodeMode.ASSISTED).sharedMemoryRoot(root);
    }

    private static InboxOptions options() {
        return new InboxOptions().chunkLength(64 << 10).maxMessage(2 * LARGE);
    }

    private static void until(BooleanSupplier condition) {
        long deadline = System.nanoTime() + LONG.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("condition within " + LONG).isLessThan(deadline);
            Thread.yield();
        }
    }

    private void assertArrives(Inbox inbox, Channel channel, int length) {
        until(() -> channel.offer(message, 0, length) == SendResult.SENT);
        int[] came = {-1};
        until(() -> inbox.poll(m -> came[0] = m.length(), 1) == 1);
        assertThat(came[0]).isEqualTo(length);
    }

    private void assertLogNamesTheRemedy(String line) {
        List<ILoggingEvent> logged;
        synchronized (log) { // as the appender does while it adds
            logged = List.copyOf(log.list);
        }
        assertThat(logged)
                .filteredOn(event -> event.getFormattedMessage().contains(line))
                .isNotEmpty()
                .allSatisfy(event -> {
                    assertThat(event.getLevel()).isEqualTo(Level.WARN);
                    assertThat(event.getFormattedMessage()).contains(REMEDY);
                });
    }

    @Test
    void aFullReceiverIsWaitedForAWhile() throws Exception {
        try (Node server = Node.launch(context());
                Node client = Node.launch(new NodeContext())) {
            Inbox inbox = server.openInbox("in", options());
            String address = Fabric.TCP.listen(server) + "/in";
            Channel channel = client.connect(address, TIMEOUT);
            assertArrives(inbox, channel, 100);
            fill();
            until(() -> channel.offer(message, 0, LARGE) == SendResult.SENT);
            AtomicReference<SendResult> last = new AtomicReference<>();
            until(() -> {
                last.set(channel.offer(message, 0, LARGE));
                return last.get() == SendResult.CLOSED;
            });
            until(() -> channel.closeReason() == CloseReason.OUT_OF_MEMORY);
            assertThat(inbox.statistics().exhaustions()).isPositive();
            assertThat(server.memoryExhaustions()).isPositive();
            assertLogNamesTheRemedy("gets no memory, and what is sent there may have to wait");
            makeRoom();
            until(() -> !inbox.statistics().starved());
            assertArrives(inbox, client.connect(address, TIMEOUT), LARGE);
        }
    }

    @Test
    void whoWantsMemoryIsToldThatThereIsNone() throws Exception {
        try (Node server = Node.launch(context());
                Node client = Node.launch(context());
                Node late = Node.launch(context())) {
            Inbox inbox = server.openInbox("in", options());
            String address = Fabric.SHM.listen(server) + "/in";
            assertArrives(inbox, client.connect(address, TIMEOUT), 100);
            Channel channel = client.connect(address, TIMEOUT);
            fill();
            assertThatThrownBy(() -> until(() -> channel.offer(message, 0, 4000) == SendResult.SENT))
                    .isInstanceOf(MemoryExhaustedException.class)
                    .hasMessageContaining(REMEDY);
            assertThat(channel.isConnected()).isTrue();
            assertThat(client.memoryExhaustions()).isOne();
            assertLogNamesTheRemedy("gets no memory for");
            assertThatThrownBy(() -> late.connect(address, TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining(REMEDY);
            assertThatThrownBy(() -> server.share("region", LARGE))
                    .isInstanceOf(MemoryExhaustedException.class)
                    .hasMessageContaining(REMEDY);
            assertThatThrownBy(() -> server.openInbox("wide", new InboxOptions().chunkLength(LARGE)))
                    .isInstanceOf(MemoryExhaustedException.class)
                    .hasMessageContaining(REMEDY);
            makeRoom();
            assertArrives(inbox, channel, 4000);
            assertArrives(inbox, late.connect(address, TIMEOUT), 4000);
            server.share("region", LARGE).close();
            server.openInbox("wide", new InboxOptions().chunkLength(LARGE)).close();
        }
    }

    /** More would be faster, and is not to be had; what there is, is used again. */
    @Test
    void whoHasMemoryGoesOnWithIt() throws Exception {
        int messages = 20_000;
        try (Node server = Node.launch(context());
                Node client = Node.launch(context().stagingLength(64 << 10))) {
            AtomicInteger came = new AtomicInteger();
            AtomicInteger wrong = new AtomicInteger();
            server.openInbox("in", options()).onMessage(m -> {
                int number = m.buffer().getInt(m.offset());
                if (number != came.getAndIncrement() || m.length() != length(number)) {
                    wrong.incrementAndGet();
                }
            });
            Channel channel = client.connect(Fabric.SHM.listen(server) + "/in", TIMEOUT);
            for (int i = 0; i < messages; i++) {
                int number = i;
                if (number == 2) {
                    until(() -> came.get() == 2 && channel.outstanding() == 0);
                    fill();
                }
                message.putInt(0, number);
                until(() -> channel.offer(message, 0, length(number)) == SendResult.SENT);
            }
            until(() -> came.get() == messages);
            assertThat(wrong).hasValue(0);
        }
    }

    /** Of a message: the first one, and every hundredth, has a region of its own. */
    private static int length(int number) {
        return number % 100 == 0 ? 40_000 : 4000;
    }
}
