package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.MuxOptions;
import io.verbena.NodeMode;
import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.store.EvictionPolicy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The store through nodes: several shards, several clients, every fabric, both ways of running the shards. */
@Timeout(180)
class KvServerTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    @TempDir
    Path directory;

    static String name() {
        return "kv-test-" + ProcessHandle.current().pid() + "-" + NAMES.incrementAndGet();
    }

    private KvServer launch(Transport transport, int shards) {
        return KvServer.launch(transport.context(name(), shards, directory));
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void answersCommands(Transport transport) {
        try (KvServer server = launch(transport, 3);
                TestClient client = new TestClient(transport, NodeMode.INVOKER, server)) {
            answersCommands(client);
            assertThat(server.malformedRequests()).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"THREAD", "ASSISTED"})
    void answersClientsWhoseNodesHaveThreads(NodeMode mode) {
        try (KvServer server = launch(Transport.TCP, 2);
                TestClient client = new TestClient(Transport.TCP, mode, server)) {
            answersCommands(client);
        }
    }

    @Test
    void answersBesideTheCaller() {
        try (KvServer server = KvServer.launch(
                        new KvServerContext().name(name()).shards(3).mode(KvServerContext.Mode.ASSISTED));
                TestClient client = new TestClient(server)) {
            answersCommands(client);
        }
    }

    private static void answersCommands(TestClient client) {
        for (int i = 0; i < 100; i++) {
            assertThat(client.call(KvOp.SET, "key" + i, "value" + i)).isEqualTo("OK");
        }
        for (int i = 0; i < 100; i++) {
            assertThat(client.call(KvOp.GET, "key" + i)).isEqualTo("value" + i);
        }
        assertThat(client.call(KvOp.GET, "none")).isNull();
        assertThat(client.call(KvOp.EXISTS, "key7")).isEqualTo(1L);
        assertThat(client.call(KvOp.DEL, "key7")).isEqualTo(1L);
        assertThat(client.call(KvOp.EXISTS, "key7")).isEqualTo(0L);
        assertThat(client.call(KvOp.INCR, "counter")).isEqualTo(1L);
        assertThat(client.call(KvOp.INCRBY, "counter", "41")).isEqualTo(42L);
        assertThat(client.call(KvOp.DECR, "counter")).isEqualTo(41L);
        assertThat(client.call(KvOp.APPEND, "key1", "+")).isEqualTo(7L);
        assertThat(client.call(KvOp.GET, "key1")).isEqualTo("value1+");
        assertThat(client.call(KvOp.MSET, "{t}a", "1", "{t}b", "2")).isEqualTo("OK");
        assertThat(client.call(KvOp.MGET, "{t}a", "{t}none", "{t}b")).isEqualTo(Arrays.asList("1", null, "2"));
        assertThat(client.call(KvOp.INCR, "key1")).isEqualTo("-ERR value is not an integer or out of range");
        assertThat(client.call(KvOp.GET, "a", "b")).isEqualTo("-ERR wrong number of arguments for 'get' command");
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void manyClientsPipeline(Transport transport) throws Exception {
        try (KvServer server = launch(transport, 3)) {
            countTogether(3, 10_000, () -> new TestClient(transport, NodeMode.INVOKER, server));
        }
    }

    /** By channels that share queue pairs at both ends, as those of a node with many clients would. */
    @ParameterizedTest
    @EnumSource(Transport.class)
    void answersClientsWhoseChannelsShare(Transport transport) throws Exception {
        try (KvServer server = launch(transport, 3)) {
            Callable<TestClient> sharing = () -> new TestClient(
                    transport.client(NodeMode.INVOKER).shareConnections(new MuxOptions().after(0)),
                    NodeMode.INVOKER,
                    transport.addresses(server));
            try (TestClient client = sharing.call()) {
                answersCommands(client);
            }
            countTogether(3, 2000, sharing);
        }
    }

    @Test
    void manyClientsRunTheShardsThemselves() throws Exception {
        try (KvServer server =
                KvServer.launch(new KvServerContext().name(name()).shards(3).mode(KvServerContext.Mode.ASSISTED))) {
            countTogether(3, 10_000, () -> new TestClient(server));
        }
    }

    /** Clients in threads of their own increment the same counters, in batches; replies are in order for each shard. */
    private static void countTogether(int clients, int requests, Callable<TestClient> connect) throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(clients);
        try {
            List<Future<Long>> results = new ArrayList<>();
            for (int i = 0; i < clients; i++) {
                results.add(threads.submit(() -> {
                    try (TestClient client = connect.call()) {
                        for (int n = 0; n < requests; n++) {
                            String key = "counter" + n % 10;
                            assertThat(client.submit(client.shardOf(key), KvOp.INCR, key))
                                    .isTrue();
                            if (n % 100 == 99) {
                                client.client.flush();
                            }
                        }
                        client.drain();
                        return client.answered();
                    }
                }));
            }
            for (Future<Long> result : results) {
                assertThat(result.get(60, TimeUnit.SECONDS)).isEqualTo(requests);
            }
        } finally {
            threads.shutdownNow();
        }
        try (TestClient client = connect.call()) {
            for (int i = 0; i < 10; i++) {
                assertThat(client.call(KvOp.GET, "counter" + i)).isEqualTo(Integer.toString(clients * requests / 10));
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Transport.class)
    void largestValuesTravel(Transport transport) {
        char[] characters = new char[64 << 20];
        for (int i = 0; i < characters.length; i++) {
            characters[i] = (char) ('a' + i % 23);
        }
        String value = new String(characters);
        try (KvServer server = launch(transport, 1);
                TestClient client = new TestClient(transport, NodeMode.INVOKER, server)) {
            assertThat(client.call(KvOp.SET, "large", value)).isEqualTo("OK");
            assertThat(value.equals(client.call(KvOp.GET, "large"))).isTrue();
            assertThat(client.call(KvOp.APPEND, "large", "x")).isEqualTo((64L << 20) + 1);
            assertThat(client.call(KvOp.MGET, "large", "large")).isEqualTo(List.of(value + "x", value + "x"));
            assertThat(client.call(KvOp.STRLEN, "large")).isEqualTo((64L << 20) + 1);
        }
    }

    @Test
    void whatAClientCannotTakeIsNotRemoved() {
        String element = "x".repeat(100_000);
        int count = 20;
        try (KvServer server = launch(Transport.LOCAL, 1);
                TestClient client = new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
            for (int i = 0; i < count; i++) {
                client.call(KvOp.RPUSH, "list", element);
                client.call(KvOp.SADD, "set", element + i);
                client.call(KvOp.ZADD, "zset", "1", element + i);
            }
            server.configure(settings -> settings.maxReplyLength(1 << 20));
            assertThat(client.call(KvOp.LPOP, "list", "20")).asString().startsWith("-ERR reply of ");
            assertThat(client.call(KvOp.SPOP, "set", "20")).asString().startsWith("-ERR reply of ");
            assertThat(client.call(KvOp.ZPOPMIN, "zset", "20")).asString().startsWith("-ERR reply of ");
            assertThat(client.call(KvOp.LLEN, "list")).isEqualTo((long) count);
            assertThat(client.call(KvOp.SCARD, "set")).isEqualTo((long) count);
            assertThat(client.call(KvOp.ZCARD, "zset")).isEqualTo((long) count);
            assertThat(client.call(KvOp.LPOP, "list")).asString().hasSize(100_000);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void limitsHoldForAllShardsTogether(int shards) {
        long limit = 8 << 20;
        try (KvServer server = KvServer.launch(Transport.LOCAL
                        .context(name(), shards, directory)
                        .maxMemory(limit)
                        .evictionPolicy(EvictionPolicy.ALL_KEYS_LRU));
                TestClient client = new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
            String value = "v".repeat(1000);
            for (int i = 0; i < 20_000; i++) {
                String key = "key" + i;
                assertThat(client.submit(client.shardOf(key), KvOp.SET, key, value))
                        .isTrue();
            }
            client.drain();
            long[] used = new long[1];
            long[] evicted = new long[1];
            server.forEachShard(shard -> {
                used[0] += shard.usedMemory();
                evicted[0] += shard.statistics().evicted();
            });
            assertThat(used[0]).isBetween(limit / 2, limit + shards * 64L * 1024);
            assertThat(evicted[0]).isBetween(10_000L, 16_000L);
            server.configure(settings -> settings.evictionPolicy(EvictionPolicy.REFUSE));
            Object reply = "OK";
            for (int i = 0; i < 10_000 && "OK".equals(reply); i++) {
                reply = client.call(KvOp.SET, "more" + i, value);
            }
            assertThat(reply).isEqualTo("-OOM command not allowed when used memory > 'maxmemory'.");
        }
    }

    @Test
    void aServerBesideItsCallersCannotListen() {
        assertThatThrownBy(() -> KvServer.launch(new KvServerContext()
                        .name(name())
                        .mode(KvServerContext.Mode.ASSISTED)
                        .listen("tcp://127.0.0.1:0")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("mode ASSISTED serves this process alone and cannot listen at "
                        + "[tcp://127.0.0.1:0]; use THREADS");
    }

    @Test
    void aFailedLaunchLeavesNothingBehind() throws Exception {
        String name = name();
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            assertThatThrownBy(() -> KvServer.launch(new KvServerContext()
                            .name(name)
                            .shards(2)
                            .listen("tcp://127.0.0.1:" + taken.getLocalPort())))
                    .hasMessageContaining(Integer.toString(taken.getLocalPort()));
        }
        // Its nodes' names are free again.
        try (KvServer server = KvServer.launch(new KvServerContext().name(name).shards(2));
                TestClient client = new TestClient(Transport.LOCAL, NodeMode.INVOKER, server)) {
            assertThat(client.call(KvOp.SET, "k", "v")).isEqualTo("OK");
        }
    }

    @Test
    void settingsOutOfRangeNameTheRange() {
        assertThatThrownBy(() -> new KvServerContext().shards(0)).hasMessage("shards 0 outside 1..256");
        assertThatThrownBy(() -> new KvServerContext().maxMemory(-1)).hasMessage("maxMemory -1 < minimum 0");
        assertThatThrownBy(() -> new KvServerContext().maxBacklog(0)).hasMessage("maxBacklog 0 outside 1..939524096");
    }
}
