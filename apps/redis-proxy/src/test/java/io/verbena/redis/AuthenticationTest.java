package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(180)
class AuthenticationTest {
    private static final String PASSWORD = "secret";

    /** The same conversations with a real Redis and the proxy, both with a password. */
    @Test
    void repliesAreThoseOfRedis() throws Exception {
        String[] script = {
            "ping",
            "get k",
            "nosuch",
            "get",
            "client foo",
            "multi",
            "quit-not",
            "hello",
            "hello 3",
            "hello 3 auth default wrong",
            "auth wrong",
            "auth default wrong",
            "auth nosuch secret",
            "ping",
            "auth secret",
            "ping",
            "reset",
            "ping",
            "hello 2 auth default secret setname me",
            "client getname",
            "config set requirepass \"\"",
            "reset",
            "ping",
            "auth secret",
            "config set requirepass secret",
            "ping",
            "reset",
            "ping",
            "auth default secret",
            "ping",
        };
        List<String> differences = new ArrayList<>();
        try (RealRedis redis = RealRedis.start("--requirepass", PASSWORD);
                ProxyFixture proxy = new ProxyFixture(new ProxyContext().password(PASSWORD));
                RespClient real = new RespClient(redis.port());
                RespClient ours = proxy.client()) {
            for (String line : script) {
                String[] words = RespClient.split(line);
                String expected = real.command(words);
                String found = ours.command(words);
                boolean same = expected.startsWith("*14") ? found.startsWith("*14") : expected.equals(found);
                if (!same) {
                    differences.add(line + "\n   redis: " + expected + "   proxy: " + found);
                }
            }
        }
        assertThat(differences).isEmpty();
    }

    @Test
    void announcesAreBoundedBeforeThePasswordIsGiven() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().password(PASSWORD))) {
            try (RespClient client = proxy.client()) {
                client.send("*11\r\n");
                assertThat(client.read()).isEqualTo("-ERR Protocol error: unauthenticated multibulk length\r\n");
                assertThat(client.isClosedByServer()).isTrue();
            }
            try (RespClient client = proxy.client()) {
                client.send("*2\r\n$3\r\nGET\r\n$16385\r\n");
                assertThat(client.read()).isEqualTo("-ERR Protocol error: unauthenticated bulk length\r\n");
                assertThat(client.isClosedByServer()).isTrue();
            }
            try (RespClient client = proxy.client()) {
                assertThat(client.command("AUTH", PASSWORD)).isEqualTo("+OK\r\n");
                assertThat(client.command("SET", "k", "v".repeat(100_000))).isEqualTo("+OK\r\n");
            }
        }
    }
}
