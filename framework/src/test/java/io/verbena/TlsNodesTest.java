package io.verbena;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.fabric.security.TlsOptions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages, calls and regions over mutual TLS, with their content. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TlsNodesTest {
    private static final int[] LENGTHS = {
        1,
        7,
        64,
        191,
        192,
        193,
        1000,
        4096,
        8191,
        8192,
        8193,
        16_383,
        16_384,
        16_385,
        65_535,
        65_536,
        100_000,
        1 << 20,
        (4 << 20) + 1,
        16 << 20
    };

    @TempDir
    Path directory;

    private NodePair pair(NodeMode mode) throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        return new NodePair(
                Fabric.TCP,
                Fabric.TCP.context(mode).tls(certificates.member("server")),
                Fabric.TCP.context(mode).tls(certificates.member("client")));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void messagesOfAllLengthsArriveWhole(NodeMode mode) throws Exception {
        try (NodePair pair = pair(mode)) {
            Inbox inbox = pair.server.openInbox("all");
            Channel channel = pair.client.connect(pair.address + "all", NodePair.TIMEOUT);
            for (int length : LENGTHS) {
                byte[] sent = bytes(length);
                AtomicInteger received = new AtomicInteger();
                MessageHandler check = m -> {
                    byte[] got = new byte[m.length()];
                    m.buffer().getBytes(m.offset(), got);
                    assertThat(java.util.Arrays.equals(got, sent))
                            .as("%d bytes", length)
                            .isTrue();
                    received.incrementAndGet();
                };
                for (int i = 0; i < 3; i++) {
                    pair.await(() -> {
                        inbox.poll(check, 4);
                        return channel.offer(new UnsafeBuffer(sent), 0, length) == SendResult.SENT;
                    });
                }
                pair.await(() -> inbox.poll(check, 4) >= 0 && received.get() == 3);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void callsAreAnswered(NodeMode mode) throws Exception {
        try (NodePair pair = pair(mode)) {
            pair.server.openResponder("echo").onRequest(request -> {
                while (request.reply(request.buffer(), request.offset(), request.length())
                        == SendResult.BACK_PRESSURED) {
                    Thread.onSpinWait();
                }
            });
            Requester requester = pair.client.openRequester();
            Channel channel = requester.connect(pair.address + "echo", NodePair.TIMEOUT);
            for (int length : new int[] {1, 100, 5_000, 70_000}) {
                byte[] sent = bytes(length);
                AtomicInteger answered = new AtomicInteger();
                for (int i = 0; i < 50; i++) {
                    pair.await(() -> requester.poll(16) >= 0
                            && requester.call(
                                            channel,
                                            new UnsafeBuffer(sent),
                                            0,
                                            length,
                                            Duration.ofSeconds(30),
                                            0,
                                            response -> {
                                                assertThat(response.outcome()).isEqualTo(Outcome.DONE);
                                                byte[] got = new byte[response.length()];
                                                response.buffer().getBytes(response.offset(), got);
                                                assertThat(java.util.Arrays.equals(got, sent))
                                                        .isTrue();
                                                answered.incrementAndGet();
                                            })
                                    == SendResult.SENT);
                }
                pair.await(() -> requester.poll(16) >= 0 && answered.get() == 50);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(NodeMode.class)
    void regionsAreWrittenAndRead(NodeMode mode) throws Exception {
        try (NodePair pair = pair(mode)) {
            SharedRegion shared = pair.server.share("table", 4 << 20);
            RemoteRegion remote = pair.client.attach(pair.address + "table", NodePair.TIMEOUT);
            for (int length : new int[] {1, 7, 193, 8192, 100_000, (4 << 20) - 3}) {
                byte[] sent = bytes(length);
                remote.write(3, new UnsafeBuffer(sent), 0, length, NodePair.TIMEOUT);
                byte[] there = new byte[length];
                shared.buffer().getBytes(3, there);
                assertThat(java.util.Arrays.equals(there, sent)).isTrue();
                UnsafeBuffer back = new UnsafeBuffer(new byte[length]);
                remote.read(3, back, 0, length, NodePair.TIMEOUT);
                assertThat(java.util.Arrays.equals(back.byteArray(), sent)).isTrue();
            }
            assertThat(remote.fetchAndAdd((4 << 20) - 8, 5, NodePair.TIMEOUT)).isNotEqualTo(5);
        }
    }

    @Test
    void aNodeInClearIsRefusedEitherWay() throws Exception {
        TestCertificates certificates = new TestCertificates(directory);
        try (Node secured = Node.launch(new NodeContext().tls(certificates.member("secured")));
                Node clear = Node.launch(new NodeContext())) {
            secured.openInbox("in");
            clear.openInbox("in");
            String atSecured = secured.listen("tcp://127.0.0.1:0") + "/in";
            String atClear = clear.listen("tcp://127.0.0.1:0") + "/in";
            assertThatThrownBy(() -> clear.connect(atSecured, NodePair.TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageFindingMatch("closed before its hello|set tls on both sides");
            assertThatThrownBy(() -> secured.connect(atClear, NodePair.TIMEOUT))
                    .isInstanceOf(ConnectionException.class)
                    .hasMessageContaining("TLS: the peer does not speak it");
            while (secured.rejectedConnections() == 0) { // who was refused may know it first
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void filesAreReadWhenTheyAreSet() {
        Path none = directory.resolve("none.pem");
        assertThatThrownBy(() -> new NodeContext().tls(new TlsOptions(none, none, none)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("there is no file " + none);
    }
}
