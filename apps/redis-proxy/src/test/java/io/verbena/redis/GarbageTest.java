package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clients that speak badly, slowly or not to the end. */
@Timeout(180)
class GarbageTest {
    private ProxyFixture proxy;
    private RespClient bystander;

    @BeforeEach
    void start() throws Exception {
        proxy = new ProxyFixture();
        bystander = proxy.client();
    }

    @AfterEach
    void stop() throws Exception {
        assertThat(bystander.command("PING")).as("nobody else is touched").isEqualTo("+PONG\r\n");
        assertThat(proxy.server().total(ClientCloseReason.INTERNAL_ERROR)).isZero();
        bystander.close();
        proxy.close();
    }

    private void closesWith(String sent, String error) throws IOException {
        long before = proxy.server().total(ClientCloseReason.PROTOCOL_ERROR);
        try (RespClient client = proxy.client()) {
            client.send(sent);
            assertThat(client.read()).isEqualTo("-ERR Protocol error: " + error + "\r\n");
            assertThat(client.isClosedByServer()).isTrue();
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() -> proxy.server().total(ClientCloseReason.PROTOCOL_ERROR) == before + 1);
    }

    @Test
    void whatIsNoRespIsAnsweredCountedAndClosed() throws IOException {
        closesWith("*1\r\n$600000000\r\n", "invalid bulk length");
        closesWith("*99999999999\r\n", "invalid multibulk length");
        closesWith("*1\r\n:5\r\n", "expected '$', got ':'");
        closesWith("set \"a\r\n", "unbalanced quotes in request");
        closesWith("x".repeat(100_000), "too big inline request");
    }

    @Test
    void repliesOwedComeBeforeTheError() throws IOException {
        try (RespClient client = proxy.client()) {
            client.send(RespClient.encode("SET", "k", "v") + "PING\r\n*1\r\n!" + "garbage\r\n".repeat(10_000));
            assertThat(client.read()).isEqualTo("+OK\r\n");
            assertThat(client.read()).isEqualTo("+PONG\r\n");
            assertThat(client.read()).isEqualTo("-ERR Protocol error: expected '$', got '!'\r\n");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void aSlowWriterIsUnderstood() throws IOException {
        try (RespClient client = proxy.client()) {
            byte[] bytes = (RespClient.encode("SET", "slow", "a\r\nb") + "get \"slow\"\r\n")
                    .getBytes(StandardCharsets.ISO_8859_1);
            for (int i = 0; i < bytes.length; i++) {
                client.send(bytes, i, 1);
            }
            assertThat(client.read()).isEqualTo("+OK\r\n");
            assertThat(client.read()).isEqualTo("$4\r\na\r\nb\r\n");
        }
    }

    @Test
    void halfACommandAndThenNothing() throws IOException {
        String command = RespClient.encode("SET", "half", "value");
        for (int length = 1; length < command.length(); length++) {
            try (RespClient client = proxy.client()) {
                client.send(command.substring(0, length));
            }
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() -> proxy.server().settings().clients() == 1);
        assertThat(bystander.command("EXISTS", "half")).isEqualTo(":0\r\n");
    }

    @Test
    void aClientThatHalfClosesGetsItsReplies() throws IOException {
        try (RespClient client = proxy.client()) {
            client.send(RespClient.encode("SET", "k", "v") + RespClient.encode("GET", "k"));
            assertThat(client.read()).isEqualTo("+OK\r\n");
            assertThat(client.read()).isEqualTo("$1\r\nv\r\n");
            client.socket().shutdownOutput();
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void randomBytesTouchNobodyElse() throws IOException {
        bystander.command("SET", "witness", "here");
        for (int seed = 0; seed < 200; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            byte[] bytes = new byte[1 + random.nextInt(5000)];
            String alphabet = "*$+-:0123456789\r\n\r\n \"'\\xsetgetabc";
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = seed % 3 == 0
                        ? (byte) random.nextInt(256)
                        : (byte) alphabet.charAt(random.nextInt(alphabet.length()));
            }
            try (RespClient client = proxy.client()) {
                client.send(bytes, 0, bytes.length);
            } catch (IOException e) {
                // The server may have closed before all was sent.
                assertThat(e).isInstanceOf(java.net.SocketException.class);
            }
        }
        await().atMost(Duration.ofSeconds(10))
                .until(() -> proxy.server().settings().clients() == 1);
        assertThat(proxy.server().total(ClientCloseReason.PROTOCOL_ERROR)).isPositive();
        assertThat(bystander.command("GET", "witness")).isEqualTo("$4\r\nhere\r\n");
    }

    @Test
    void anUnknownCommandIsNoReasonToClose() throws IOException {
        for (String name : new String[] {"SUBSCRIBE", "BLPOP", "EVAL", "XADD", "PUBLISH", "DEBUG", "CLUSTER"}) {
            assertThat(bystander.command(name, "a", "0")).startsWith("-ERR unknown command '" + name + "'");
        }
    }
}
