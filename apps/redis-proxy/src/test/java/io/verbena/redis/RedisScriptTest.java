package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same commands to a real Redis and to the proxy; the replies have to be the same bytes. */
@Timeout(180)
class RedisScriptTest {
    private static RealRedis redis;
    private static ProxyFixture proxy;

    @BeforeAll
    static void start() throws Exception {
        redis = RealRedis.start();
        proxy = new ProxyFixture();
    }

    @AfterAll
    static void stop() {
        if (proxy != null) {
            proxy.close();
        }
        if (redis != null) {
            redis.close();
        }
    }

    @Test
    void repliesAreThoseOfRedisInResp2() throws IOException {
        compare(false);
    }

    @Test
    void repliesAreThoseOfRedisInResp3() throws IOException {
        compare(true);
    }

    private static void compare(boolean resp3) throws IOException {
        List<String> differences = new ArrayList<>();
        int compared = 0;
        try (RespClient real = new RespClient(redis.port());
                RespClient ours = new RespClient(proxy.port())) {
            for (RespClient client : List.of(real, ours)) {
                if (resp3) {
                    assertThat(client.command("HELLO", "3")).startsWith("%7\r\n");
                }
                assertThat(client.command("FLUSHALL")).isEqualTo("+OK\r\n");
                client.command("CONFIG", "SET", "timeout", "0");
            }
            for (String line : script()) {
                if (resp3 && (line.startsWith("reset") || line.contains("hello 2"))) {
                    continue;
                }
                String mode = line.startsWith("~") ? line.substring(0, line.indexOf(' ')) : "~exact";
                String command = line.startsWith("~") ? line.substring(line.indexOf(' ') + 1) : line;
                String sent = mode.equals("~raw") ? command + "\r\n" : RespClient.encode(RespClient.split(command));
                real.send(sent);
                ours.send(sent);
                if (!isAnswered(command)) {
                    continue;
                }
                String expected = real.read();
                String found = ours.read();
                compared++;
                if (!normalize(mode, expected).equals(normalize(mode, found))) {
                    differences.add(line + "\n   redis: " + show(expected) + "\n   proxy: " + show(found));
                }
                if (command.startsWith("quit")) {
                    assertThat(real.isClosedByServer()).isTrue();
                    assertThat(ours.isClosedByServer()).isTrue();
                    break;
                }
            }
        }
        assertThat(compared).isGreaterThan(400);
        assertThat(differences)
                .as("%d of %d replies", differences.size(), compared)
                .isEmpty();
    }

    private static boolean isAnswered(String command) {
        return !command.equals("client reply skip")
                && !command.equals("client reply off")
                && !command.equals("ping after skip")
                && !command.equals("ping unheard");
    }

    private static String normalize(String mode, String reply) {
        switch (mode) {
            case "~type":
                return reply.substring(0, 1);
            case "~shape":
                return reply.replaceAll("(?<=[\\r\\n$:+,])[^\\r\\n]*(?=\\r)", "x")
                                .substring(0, 1)
                        + reply.lines()
                                .filter(line -> line.startsWith("*") || line.startsWith("%"))
                                .toList();
            case "~sorted":
                String[] lines = reply.split("\r\n", -1);
                Arrays.sort(lines);
                return String.join("\r\n", lines);
            default:
                return reply;
        }
    }

    private static String show(String reply) {
        return reply.length() > 400
                ? show(reply.substring(0, 400)) + "..."
                : reply.replace("\r", "\\r").replace("\n", "\\n");
    }

    private static List<String> script() throws IOException {
        try (InputStream stream = RedisScriptTest.class.getResourceAsStream("script.txt")) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.isBlank() && !line.startsWith("#"))
                    .toList();
        }
    }
}
