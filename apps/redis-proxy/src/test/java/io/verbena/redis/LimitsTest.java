package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.util.internal.PlatformDependent;
import io.verbena.SendResult;
import io.verbena.redis.backend.Backend;
import io.verbena.redis.backend.Store;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What happens at the bounds: large values, clients that do not read, too many clients, silent clients. */
@Timeout(180)
class LimitsTest {
    private static final String MIB = "m".repeat(1 << 20);

    @Test
    void valuesOfAllWays() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient client = proxy.client()) {
            for (int length : new int[] {
                0,
                1,
                16 << 10,
                (64 << 10) + 1,
                120 << 10,
                (120 << 10) + 1,
                131_000,
                131_072,
                1 << 20,
                5_000_000,
                64 << 20
            }) {
                String value = "v".repeat(length);
                assertThat(client.command("SET", "k", value)).isEqualTo("+OK\r\n");
                assertThat(client.command("STRLEN", "k")).isEqualTo(":" + length + "\r\n");
                assertThat(client.command("GET", "k").equals("$" + length + "\r\n" + value + "\r\n"))
                        .isTrue();
            }
        }
    }

    /** Redis' limit. The value is never whole in this process but in the store. */
    @Test
    void valuesUpTo512MiBAndNotAByteMore() throws Exception {
        int length = 512 << 20;
        assumeTrue(PlatformDependent.maxDirectMemory() > 3L * length, "1.5 GiB of direct memory are not there");
        byte[] block = new byte[1 << 20];
        for (int i = 0; i < block.length; i++) {
            block[i] = (byte) ((i * 31) >> 3);
        }
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient client = proxy.client();
                RespClient other = proxy.client()) {
            client.send("*3\r\n$3\r\nSET\r\n$5\r\nlarge\r\n$" + length + "\r\n");
            for (int i = 0; i < length / block.length; i++) {
                client.send(block, 0, block.length);
                if (i % 64 == 0) {
                    assertThat(other.command("PING")).isEqualTo("+PONG\r\n");
                }
            }
            client.send("\r\n");
            assertThat(client.read()).isEqualTo("+OK\r\n");
            assertThat(client.command("STRLEN", "large")).isEqualTo(":" + length + "\r\n");
            String first = new String(block, 0, 4096, StandardCharsets.ISO_8859_1);
            assertThat(client.command("GETRANGE", "large", "0", "4095").endsWith(first + "\r\n"))
                    .isTrue();
            client.send(RespClient.encode("GET", "large"));
            InputStream in = client.socket().getInputStream();
            assertThat(new String(in.readNBytes(("$" + length + "\r\n").length()), StandardCharsets.US_ASCII))
                    .isEqualTo("$" + length + "\r\n");
            for (int i = 0; i < length / block.length; i++) {
                assertThat(Arrays.equals(in.readNBytes(block.length), block)).isTrue();
            }
            assertThat(in.readNBytes(2)).containsExactly('\r', '\n');
            assertThat(client.command("DEL", "large")).isEqualTo(":1\r\n");
            client.send("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$" + (length + 1) + "\r\n");
            assertThat(client.read()).isEqualTo("-ERR Protocol error: invalid bulk length\r\n");
            assertThat(client.isClosedByServer()).isTrue();
        }
    }

    @Test
    void keysUpTo64KiB() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient client = proxy.client()) {
            assertThat(client.command("SET", "k".repeat(64 << 10), "v")).isEqualTo("+OK\r\n");
            assertThat(client.command("SET", "k".repeat((64 << 10) + 1), "v"))
                    .isEqualTo("-ERR key of 65537 bytes > maximum 65536\r\n");
        }
    }

    @Test
    void readingStopsWhileTheClientDoesNotTakeItsReplies() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().maxMemoryClients("16mb"));
                RespClient slow = proxy.client();
                RespClient other = proxy.client()) {
            String value = "v".repeat(100_000);
            other.command("SET", "k", value);
            int gets = 500;
            slow.send(RespClient.encode("GET", "k").repeat(gets));
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> proxy.server().total(WorkerStatistics.Counter.PAUSES) > 0);
            assertThat(other.command("PING")).isEqualTo("+PONG\r\n");
            long unsent = proxy.server().connections().stream()
                    .mapToLong(ClientConnection::unsent)
                    .sum();
            assertThat(unsent).isLessThan(16L << 20);
            for (int i = 0; i < gets; i++) {
                assertThat(slow.read()).hasSize(value.length() + 11);
            }
            assertThat(slow.command("PING")).isEqualTo("+PONG\r\n");
        }
    }

    /** As clients do whose pipelines are written whole before a reply is read. */
    @Test
    void aPipelineIsExecutedWholeBeforeItsRepliesAreRead() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient client = proxy.client()) {
            int count = 30;
            client.send((RespClient.encode("SET", "k", MIB) + RespClient.encode("GET", "k")).repeat(count));
            for (int i = 0; i < count; i++) {
                assertThat(client.read()).isEqualTo("+OK\r\n");
                assertThat(client.read()).hasSize(MIB.length() + 12);
            }
            client.send(RespClient.encode("SET", "small", "x".repeat(1000))
                    + RespClient.encode("GET", "small").repeat(30_000));
            assertThat(client.read()).isEqualTo("+OK\r\n");
            for (int i = 0; i < 30_000; i++) {
                assertThat(client.read()).hasSize(1000 + 9);
            }
        }
    }

    /**
     * The store keeps large values for those who are yet to read them, as many as it does: nobody can have them all.
     */
    @Test
    void clientsThatLeaveLargeValuesUnreadTakeNobodysRoom() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture();
                RespClient slow = proxy.client();
                RespClient many = proxy.client();
                RespClient other = proxy.client()) {
            String value = "v".repeat(200_000);
            other.command("SET", "k", value);
            byte[] gets = RespClient.encode("GET", "k").repeat(1000).getBytes(StandardCharsets.US_ASCII);
            Thread sender = new Thread(() -> {
                try {
                    for (int i = 0; i < 70; i++) {
                        slow.send(gets, 0, gets.length);
                    }
                } catch (IOException e) {
                    // It is closed with the test.
                }
            });
            sender.start();
            await().atMost(Duration.ofSeconds(30))
                    .until(() -> proxy.server().total(WorkerStatistics.Counter.PAUSES) > 0);
            String[] mget = new String[20_000];
            Arrays.fill(mget, "k");
            mget[0] = "MGET";
            many.send(RespClient.encode(mget).repeat(10));
            for (int i = 0; i < 100; i++) {
                assertThat(other.command("GET", "k")).hasSize(value.length() + 11);
            }
            for (int i = 0; i < 2000; i++) {
                assertThat(slow.read()).hasSize(value.length() + 11);
            }
            slow.close();
            sender.join();
        }
    }

    @Test
    void aClientThatLetsTooMuchPileUpIsClosed() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().outputLimit(new OutputLimit(1 << 20, 0, 0)));
                RespClient slow = proxy.client();
                RespClient other = proxy.client()) {
            other.command("SET", "k", "m".repeat(100_000));
            slow.send(RespClient.encode("GET", "k").repeat(100));
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> proxy.server().total(ClientCloseReason.OUTPUT_LIMIT) == 1);
            assertThat(other.command("PING")).isEqualTo("+PONG\r\n");
            assertThat(other.command("INFO", "errors")).contains("closed_output_limit:1\r\n");
        }
    }

    /**
     * Arguments that are longer than a message are collected beside the data: what frees memory works while it is
     * short.
     */
    @Test
    void manyKeysAreDeletedInOneCommandWhileMemoryIsShort() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().maxMemory("32mb"));
                RespClient client = proxy.client()) {
            String value = "v".repeat(1000);
            int keys = 0;
            while (client.command("SET", "a:key:of:some:length:" + keys, value).equals("+OK\r\n")) {
                keys++;
            }
            String[] command = new String[keys + 1];
            command[0] = "DEL";
            for (int i = 0; i < keys; i++) {
                command[i + 1] = "a:key:of:some:length:" + i;
            }
            assertThat(client.command("APPEND", command[1], MIB)).startsWith("-OOM");
            assertThat(client.command(command)).isEqualTo(":" + keys + "\r\n");
            assertThat(client.command("APPEND", command[1], MIB)).isEqualTo(":" + MIB.length() + "\r\n");
        }
    }

    @Test
    void oneClientTooManyIsToldSo() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().maxClients(2));
                RespClient first = proxy.client();
                RespClient second = proxy.client()) {
            assertThat(first.command("PING")).isEqualTo("+PONG\r\n");
            assertThat(second.command("PING")).isEqualTo("+PONG\r\n");
            try (RespClient third = proxy.client()) {
                assertThat(third.read()).isEqualTo("-ERR max number of clients reached\r\n");
                assertThat(third.isClosedByServer()).isTrue();
            }
            assertThat(proxy.server().total(ClientCloseReason.MAX_CLIENTS)).isEqualTo(1);
            assertThat(second.command("QUIT")).isEqualTo("+OK\r\n");
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> proxy.server().settings().clients() == 1);
            try (RespClient again = proxy.client()) {
                assertThat(again.command("PING")).isEqualTo("+PONG\r\n");
            }
        }
    }

    @Test
    void silentClientsAreClosedIfAskedFor() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().timeoutSeconds(1));
                RespClient client = proxy.client()) {
            assertThat(client.isClosedByServer()).isTrue();
            await().atMost(Duration.ofSeconds(10)).until(() -> proxy.server().total(ClientCloseReason.IDLE) == 1);
        }
    }

    @Test
    void clientsAreKilledByOthers() throws Exception {
        try (ProxyFixture proxy = new ProxyFixture(new ProxyContext().workers(2));
                RespClient killer = proxy.client();
                RespClient victim = proxy.client();
                RespClient third = proxy.client()) {
            String id = victim.command("CLIENT", "ID").substring(1).strip();
            third.command("PING");
            assertThat(killer.command("CLIENT", "LIST", "ID", id)).contains("id=" + id + " addr=127.0.0.1:");
            assertThat(killer.command("CLIENT", "KILL", "ID", id)).isEqualTo(":1\r\n");
            assertThat(killer.command("CLIENT", "KILL", "ID", id)).isEqualTo(":0\r\n");
            assertThat(victim.isClosedByServer()).isTrue();
            assertThat(third.command("PING")).isEqualTo("+PONG\r\n");
            assertThat(killer.command("CLIENT", "KILL", "TYPE", "normal")).isEqualTo(":1\r\n");
            assertThat(third.isClosedByServer()).isTrue();
        }
    }

    /** A request that goes in pieces, of which some wait for room when the proxy ends. */
    @Test
    void aRequestThatWasBegunIsFinishedWhenTheProxyEnds() throws Exception {
        AtomicBoolean full = new AtomicBoolean(true);
        AtomicInteger refused = new AtomicInteger();
        ProxyFixture proxy = new ProxyFixture(new ProxyContext(), store -> withoutRoomForPieces(store, full, refused));
        try (RespClient client = proxy.client()) {
            client.send(RespClient.encode("APPEND", "k", MIB));
            await().atMost(Duration.ofSeconds(10)).until(() -> refused.get() > 0);
            Thread closer = new Thread(proxy::close);
            closer.start();
            await().atMost(Duration.ofSeconds(10))
                    .until(() -> proxy.server().connections().stream().allMatch(ClientConnection::endsAfterReplies));
            full.set(false);
            assertThat(client.read()).isEqualTo(":" + MIB.length() + "\r\n");
            closer.join();
        }
    }

    /** While a request waits for room for its pieces, the next commands of its client wait too. */
    @Test
    void aRequestThatWaitsForRoomIsNotOvertaken() throws Exception {
        AtomicBoolean full = new AtomicBoolean(true);
        AtomicInteger refused = new AtomicInteger();
        try (ProxyFixture proxy =
                        new ProxyFixture(new ProxyContext(), store -> withoutRoomForPieces(store, full, refused));
                RespClient client = proxy.client();
                RespClient other = proxy.client()) {
            client.send(RespClient.encode("APPEND", "k", MIB)
                    + RespClient.encode("STRLEN", "k").repeat(3));
            await().atMost(Duration.ofSeconds(10)).until(() -> refused.get() > 0);
            assertThat(other.command("STRLEN", "k")).isEqualTo(":0\r\n");
            full.set(false);
            for (int i = 0; i < 4; i++) {
                assertThat(client.read()).isEqualTo(":" + MIB.length() + "\r\n");
            }
        }
    }

    /** A store that for some time has no room for what is long. */
    private static Store withoutRoomForPieces(Store store, AtomicBoolean full, AtomicInteger refused) {
        return (Store) around(Store.class, (method, arguments) -> {
            Object result = method.invoke(store, arguments);
            return !(result instanceof Backend backend)
                    ? result
                    : around(Backend.class, (called, given) -> {
                        if (full.get() && lengthOf(called.getName(), given) > 1000) {
                            refused.incrementAndGet();
                            return SendResult.BACK_PRESSURED;
                        }
                        return called.invoke(backend, given);
                    });
        });
    }

    /** Bytes that a call asks for room for, to send them; 0 for other calls. */
    private static int lengthOf(String method, Object[] arguments) {
        return switch (method) {
            case "claim" -> (int) arguments[1];
            case "send" -> (int) arguments[5];
            default -> 0;
        };
    }

    /** Executes a call. */
    @FunctionalInterface
    private interface Call {
        Object execute(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private static Object around(Class<?> type, Call call) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> call.execute(method, arguments));
    }

    @Test
    void repliesOwedAreSentWhenTheProxyEnds() throws Exception {
        ProxyFixture proxy = new ProxyFixture();
        try (RespClient client = proxy.client()) {
            assertThat(client.command("SET", "k", MIB)).isEqualTo("+OK\r\n");
            proxy.close();
            assertThat(client.isClosedByServer()).isTrue();
        }
    }
}
