package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a client queues between MULTI and EXEC is bounded, for each and for all together, and let go in time. */
@Timeout(180)
class TransactionLimitsTest {
    private static final int LIMIT = 1 << 20;
    private static final String ABORTED = "-EXECABORT Transaction discarded because of previous errors.\r\n";
    private static final String VALUE = "v".repeat(1000);

    private static ProxyFixture proxy() {
        return new ProxyFixture(new ProxyContext().maxQueuedBytes(LIMIT));
    }

    private static long queued(ProxyFixture proxy) {
        return proxy.server().settings().queueMemory().used();
    }

    /** Queues until the first error; returns that. */
    private static String fill(RespClient client, String... command) throws Exception {
        assertThat(client.command("MULTI")).isEqualTo("+OK\r\n");
        for (int i = 0; i < LIMIT; i++) {
            String reply = client.command(command);
            if (!reply.equals("+QUEUED\r\n")) {
                return reply;
            }
        }
        return "";
    }

    @Test
    void aTransactionThatIsTooLongIsLetGoAtOnce() throws Exception {
        try (ProxyFixture proxy = proxy();
                RespClient client = proxy.client()) {
            assertThat(fill(client, "SET", "k", VALUE))
                    .matches("-ERR transaction of 10[0-9]{5} bytes exceeds the limit of 1048576\r\n");
            assertThat(queued(proxy)).isZero();
            // As Redis, and nothing is kept.
            for (int i = 0; i < 5000; i++) {
                assertThat(client.command("SET", "k", VALUE)).isEqualTo("+QUEUED\r\n");
            }
            assertThat(queued(proxy)).isZero();
            assertThat(client.command("EXEC")).isEqualTo(ABORTED);
            assertThat(client.command("EXISTS", "k")).isEqualTo(":0\r\n");
            client.command("MULTI");
            client.command("SET", "k", VALUE);
            assertThat(client.command("EXEC")).isEqualTo("*1\r\n+OK\r\n");
            assertThat(queued(proxy)).isZero();
        }
    }

    @Test
    void commandsThatTheProxyAnswersCountAsWell() throws Exception {
        try (ProxyFixture proxy = proxy();
                RespClient client = proxy.client()) {
            assertThat(fill(client, "ECHO", VALUE)).startsWith("-ERR transaction of ");
            assertThat(client.command("EXEC")).isEqualTo(ABORTED);
        }
    }

    @Test
    void repliesOfTheProxyItselfAreBounded() throws Exception {
        try (ProxyFixture proxy = proxy();
                RespClient client = proxy.client()) {
            for (String first : new String[] {"PING", "GET"}) {
                client.command("MULTI");
                client.send(first.equals("GET") ? "GET none\r\n" : "PING\r\n");
                client.send("COMMAND\r\n".repeat(200) + "PING\r\n");
                for (int i = 0; i < 202; i++) {
                    assertThat(client.read()).isEqualTo("+QUEUED\r\n");
                }
                String reply = client.command("EXEC");
                assertThat(reply.length()).isLessThan(3 * LIMIT);
                assertThat(reply)
                        .startsWith("*202\r\n")
                        .endsWith("-ERR not executed: the replies of the transaction exceed 1048576 bytes\r\n");
                assertThat(client.command("PING")).isEqualTo("+PONG\r\n");
            }
        }
    }

    @Test
    void theBoundIsThatOfAllConnections() throws Exception {
        try (ProxyFixture proxy = proxy();
                RespClient first = proxy.client();
                RespClient second = proxy.client()) {
            first.command("MULTI");
            for (int i = 0; i < 600; i++) {
                first.command("SET", "k" + i, VALUE);
            }
            assertThat(queued(proxy)).isGreaterThan(600_000);
            assertThat(fill(second, "SET", "k", VALUE))
                    .isEqualTo("-ERR the transactions of all clients exceed the limit of 1048576 bytes\r\n");
            assertThat(second.command("EXEC")).isEqualTo(ABORTED);
            assertThat(first.command("EXEC")).startsWith("*600\r\n+OK\r\n");
            assertThat(queued(proxy)).isZero();
        }
    }

    @Test
    void whatIsDiscardedOrLeftIsLetGo() throws Exception {
        try (ProxyFixture proxy = proxy();
                RespClient client = proxy.client()) {
            for (String end : new String[] {"DISCARD", "RESET"}) {
                client.command("MULTI");
                client.command("SET", "k", VALUE);
                assertThat(queued(proxy)).isGreaterThan(1000);
                client.command(end);
                assertThat(queued(proxy)).isZero();
            }
            try (RespClient leaves = proxy.client()) {
                leaves.command("MULTI");
                leaves.command("SET", "k", VALUE);
                assertThat(queued(proxy)).isGreaterThan(1000);
            }
            org.awaitility.Awaitility.await().until(() -> queued(proxy) == 0);
        }
    }

    @Test
    void settingsOfMemoryAreShownAndChanged() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(
                        new ProxyContext().maxMemoryClients("40mb").queryBufferLimit("20mb"));
                RespClient client = proxy.client()) {
            assertThat(client.command("CONFIG", "GET", "maxmemory-clients")).contains("41943040");
            assertThat(client.command("CONFIG", "GET", "client-query-buffer-limit"))
                    .contains("20971520");
            assertThat(client.command("CONFIG", "SET", "maxmemory-clients", "10%"))
                    .isEqualTo("+OK\r\n");
            assertThat(client.command("CONFIG", "GET", "maxmemory-clients")).contains("10%");
            Settings settings = proxy.server().settings();
            assertThat(settings.maxMemoryClients()).isEqualTo(settings.memory().direct() / 100 * 10);
            assertThat(client.command("CONFIG", "SET", "maxmemory-clients", "x"))
                    .contains("argument must be a memory or percent value");
            assertThat(client.command("CONFIG", "SET", "client-query-buffer-limit", "2mb"))
                    .isEqualTo("+OK\r\n");
            assertThat(settings.queryBufferLimit()).isEqualTo(2 << 20);
            assertThat(client.command("CONFIG", "SET", "client-query-buffer-limit", "1kb"))
                    .startsWith("-ERR CONFIG SET failed");
            assertThat(client.command("INFO", "memory"))
                    .contains("data_memory_budget:" + settings.memory().data())
                    .contains("used_memory_direct:")
                    .contains("used_memory_committed:")
                    .contains("maxmemory_clients:");
            assertThat(client.command("INFO", "clients"))
                    .contains("client_query_buffer_limit:2097152")
                    .contains("transaction_queue_bytes:0");
        }
    }
}
