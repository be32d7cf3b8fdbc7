package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A node uses whatever its addresses need, and was told of none of them at the launch. */
@Timeout(180)
class TransportsFollowTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    /** The inbox for the answers is older than the first address of its fabric: its memory is the process's own. */
    @ParameterizedTest
    @EnumSource(Fabric.class)
    void echoFromANodeWithDefaults(Fabric fabric) {
        try (Node server = Node.launch(new NodeContext());
                Node client = Node.launch(new NodeContext())) {
            Inbox answers = client.openInbox("answers");
            server.openInbox("echo")
                    .onMessage(m -> assertThat(m.channel().offer(m.buffer(), m.offset(), m.length()))
                            .isEqualTo(SendResult.SENT));
            Channel echo = client.connect(fabric.listen(server) + "/echo", answers, TIMEOUT);
            List<String> got = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                byte[] text = ("message " + i + " ".repeat(i * 10)).getBytes(StandardCharsets.US_ASCII);
                while (echo.offer(new UnsafeBuffer(text), 0, text.length) == SendResult.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
            }
            while (got.size() < 100) {
                answers.await(Duration.ofMillis(10));
                answers.poll(
                        m -> got.add(m.buffer()
                                .getStringWithoutLengthAscii(m.offset(), m.length())
                                .trim()),
                        100);
            }
            assertThat(got.get(0)).isEqualTo("message 0");
            assertThat(got.get(99)).isEqualTo("message 99");
        }
    }

    /** Sleeping and being woken go on while the event loop comes to be. */
    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void fabricsOneAfterTheOther(NodeMode mode) {
        try (Node server = Node.launch(new NodeContext());
                Node client = Node.launch(new NodeContext().mode(mode))) {
            Inbox log = server.openInbox("log");
            for (Fabric fabric : Fabric.values()) {
                Channel channel = client.connect(fabric.listen(server) + "/log", TIMEOUT);
                UnsafeBuffer one = new UnsafeBuffer(new byte[] {(byte) fabric.ordinal()});
                for (int i = 0; i < 10; i++) {
                    while (channel.offer(one, 0, 1) == SendResult.BACK_PRESSURED) {
                        client.doWork();
                    }
                    while (log.poll(
                                    m -> assertThat(m.buffer().getByte(m.offset()))
                                            .isEqualTo((byte) fabric.ordinal()),
                                    1)
                            == 0) {
                        client.doWork();
                        log.await(Duration.ofMillis(1));
                    }
                }
            }
        }
    }

    @Test
    void regionThatIsOlderThanTheFirstSharedMemoryAddress() {
        try (Node server = Node.launch(new NodeContext());
                Node client = Node.launch(new NodeContext())) {
            SharedRegion table = server.share("table", 4096);
            RemoteRegion remote = client.attach(server.listen("shm:" + server.name()) + "/table", TIMEOUT);
            byte[] text = "over packets".getBytes(StandardCharsets.US_ASCII);
            remote.write(0, new UnsafeBuffer(text), 0, text.length, TIMEOUT);
            assertThat(table.buffer().getStringWithoutLengthAscii(0, text.length))
                    .isEqualTo("over packets");
        }
    }

    @Test
    void eventLoopOfANodeWithoutSockets() throws InterruptedException {
        try (Node node = Node.launch(new NodeContext())) {
            assertThat(node.eventLoop().submit(() -> 7).sync().getNow()).isEqualTo(7);
        }
    }
}
