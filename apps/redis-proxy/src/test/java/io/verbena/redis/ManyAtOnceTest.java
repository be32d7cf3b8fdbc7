package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Far more requests at once than a turn executes: each client gets its own replies, and what was acknowledged is there.
 */
@Timeout(180)
class ManyAtOnceTest {
    private static final int CLIENTS = 50;

    private static List<RespClient> clients(ProxyFixture proxy, int count) throws IOException {
        List<RespClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(proxy.client());
        }
        return clients;
    }

    private static void close(List<RespClient> clients) throws IOException {
        for (RespClient client : clients) {
            client.close();
        }
    }

    @ParameterizedTest
    @CsvSource({"1,1", "4,1", "1,4", "2,3"})
    void everyClientGetsItsOwnValue(int workers, int shards) throws Exception {
        int depth = 200;
        try (ProxyFixture proxy =
                new ProxyFixture(new ProxyContext().workers(workers).shards(shards))) {
            List<RespClient> clients = clients(proxy, CLIENTS);
            for (int i = 0; i < CLIENTS; i++) {
                assertThat(clients.get(i).command("SET", "key" + i, "value" + i))
                        .isEqualTo("+OK\r\n");
            }
            for (int i = 0; i < CLIENTS; i++) {
                clients.get(i).send(RespClient.encode("GET", "key" + i).repeat(depth));
            }
            for (int i = 0; i < CLIENTS; i++) {
                String expected = "$" + ("value" + i).length() + "\r\nvalue" + i + "\r\n";
                for (int j = 0; j < depth; j++) {
                    assertThat(clients.get(i).read()).isEqualTo(expected);
                }
            }
            close(clients);
        }
    }

    /** More bytes in one request, and in those of several clients, than may be on their way. */
    @ParameterizedTest
    @CsvSource({"1,5", "20,1"})
    void requestsLargerThanWhatMayBeInFlight(int count, int mebibytes) throws Exception {
        String value = "x".repeat(mebibytes << 20);
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext())) {
            List<RespClient> clients = clients(proxy, count);
            for (int i = 0; i < count; i++) {
                clients.get(i).send(RespClient.encode("APPEND", "key" + i, value));
            }
            for (RespClient client : clients) {
                assertThat(client.read()).isEqualTo(":" + value.length() + "\r\n");
            }
            close(clients);
        }
    }

    /** Replies that come in pieces hold more rows than there are: the pieces still come, and other clients go on. */
    @Test
    void repliesInPiecesBeyondWhatMayBeInFlight() throws Exception {
        int depth = 400;
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient other = proxy.client()) {
            for (int i = 0; i < 16; i++) {
                other.command("RPUSH", "list", "e".repeat(10_000));
            }
            List<RespClient> clients = clients(proxy, 8);
            for (RespClient client : clients) {
                client.send(RespClient.encode("LRANGE", "list", "0", "-1").repeat(depth));
            }
            assertThat(other.command("SET", "k", "v")).isEqualTo("+OK\r\n");
            for (RespClient client : clients) {
                for (int i = 0; i < depth; i++) {
                    assertThat(client.read()).hasSize(5 + 16 * (8 + 10_000 + 2));
                }
            }
            close(clients);
        }
    }

    /** What clients leave behind that die before they have their replies, or in the middle of them, is let go. */
    @Test
    void nothingStaysOfClientsThatDie() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient survivor = proxy.client()) {
            for (int round = 0; round < 20; round++) {
                assertThat(survivor.command("SET", "large", "x".repeat(1 << 20)))
                        .isEqualTo("+OK\r\n");
                for (RespClient client : clients(proxy, 8)) {
                    client.send(RespClient.encode("GET", "large").repeat(5)
                            + RespClient.encode("MGET", "large", "large")
                            + "*3\r\n$3\r\nSET\r\n$1\r\nz\r\n$300000\r\n"
                            + "z".repeat(150_000));
                    client.socket().setSoLinger(true, 0);
                    client.close();
                }
                survivor.command("DEL", "large");
            }
            await().atMost(Duration.ofSeconds(20))
                    .untilAsserted(() -> assertThat(usedMemory(survivor)).isLessThan(1 << 20));
        }
    }

    private static long usedMemory(RespClient client) throws IOException {
        String info = client.command("INFO", "memory");
        int at = info.indexOf("used_memory:") + "used_memory:".length();
        return Long.parseLong(info.substring(at, info.indexOf('\r', at)));
    }

    @ParameterizedTest
    @CsvSource({"1,1", "4,1", "1,4"})
    void everyCounterCountsItsOwnClient(int workers, int shards) throws Exception {
        int depth = 1000;
        try (ProxyFixture proxy =
                new ProxyFixture(new ProxyContext().workers(workers).shards(shards))) {
            List<RespClient> clients = clients(proxy, CLIENTS);
            for (int i = 0; i < CLIENTS; i++) {
                clients.get(i).send(RespClient.encode("INCR", "counter" + i).repeat(depth));
            }
            for (int i = 0; i < CLIENTS; i++) {
                for (int j = 1; j <= depth; j++) {
                    assertThat(clients.get(i).read()).isEqualTo(":" + j + "\r\n");
                }
            }
            close(clients);
        }
    }

    /** Values of each kind of way: in a message, in pieces; many under way fill whatever lies between. */
    @ParameterizedTest
    @CsvSource({"100,300", "4096,64", "16384,32", "65536,16", "150000,16", "1048576,8"})
    void whatWasAcknowledgedIsThere(int length, int depth) throws Exception {
        try (ProxyFixture proxy = new ProxyFixture()) {
            List<RespClient> clients = clients(proxy, 10);
            for (int i = 0; i < clients.size(); i++) {
                RespClient client = clients.get(i);
                String letter = String.valueOf((char) ('a' + i));
                Thread sender = new Thread(
                        () -> {
                            try {
                                for (int j = 0; j < depth; j++) {
                                    client.send(RespClient.encode("SET", letter + j, letter.repeat(length) + j));
                                }
                            } catch (IOException e) {
                                throw new java.io.UncheckedIOException(e);
                            }
                        },
                        "sender-" + i);
                sender.setDaemon(true);
                sender.start();
            }
            for (RespClient client : clients) {
                for (int j = 0; j < depth; j++) {
                    assertThat(client.read()).isEqualTo("+OK\r\n");
                }
            }
            for (int i = 0; i < clients.size(); i++) {
                String letter = String.valueOf((char) ('a' + i));
                for (int j = 0; j < depth; j++) {
                    String value = letter.repeat(length) + j;
                    // No assertion that would print a value of a megabyte.
                    assertThat(clients.get(i)
                                    .command("GET", letter + j)
                                    .equals("$" + value.length() + "\r\n" + value + "\r\n"))
                            .as("value %d of client %d", j, i)
                            .isTrue();
                }
            }
            assertThat(clients.get(0).command("DBSIZE")).isEqualTo(":" + 10 * depth + "\r\n");
            close(clients);
        }
    }
}
