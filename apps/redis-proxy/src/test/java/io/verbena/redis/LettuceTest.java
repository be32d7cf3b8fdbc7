package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.KeyValue;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Lettuce as its users use it, with both versions of the protocol. */
@Timeout(180)
class LettuceTest {
    private static final String PASSWORD = "secret";
    private static ProxyFixture proxy;

    @BeforeAll
    static void start() {
        proxy = new ProxyFixture(new ProxyContext().workers(2).password(PASSWORD));
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    /** A client and one connection. */
    private static final class ClientSession implements AutoCloseable {
        private final RedisClient client;
        private final StatefulRedisConnection<String, String> connection;

        ClientSession(ProtocolVersion protocol, int database) {
            client = RedisClient.create(RedisURI.Builder.redis("127.0.0.1", proxy.port())
                    .withPassword(PASSWORD.toCharArray())
                    .withDatabase(database)
                    .withClientName("lettuce-test")
                    .withTimeout(Duration.ofSeconds(20))
                    .build());
            client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
            connection = client.connect();
            connection.sync().flushdb();
        }

        RedisCommands<String, String> sync() {
            return connection.sync();
        }

        @Override
        public void close() {
            connection.close();
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void stringsCountersAndExpiry(ProtocolVersion protocol) {
        try (ClientSession session = new ClientSession(protocol, 5)) {
            RedisCommands<String, String> redis = session.sync();
            assertThat(redis.ping()).isEqualTo("PONG");
            assertThat(redis.clientGetname()).isEqualTo("lettuce-test");
            assertThat(redis.set("k", "v", SetArgs.Builder.ex(100))).isEqualTo("OK");
            assertThat(redis.get("k")).isEqualTo("v");
            assertThat(redis.ttl("k")).isBetween(90L, 100L);
            assertThat(redis.incrby("n", 7)).isEqualTo(7);
            assertThat(redis.mget("k", "none")).containsExactly(KeyValue.just("k", "v"), KeyValue.empty("none"));
            assertThat(redis.type("k")).isEqualTo("string");
            assertThat(redis.objectEncoding("n")).isEqualTo("int");
            assertThat(redis.configGet("maxmemory")).containsEntry("maxmemory", "0");
            assertThat(redis.command()).isNotEmpty();
            assertThat(redis.clientList()).contains("lib-name=Lettuce");
            assertThat(redis.exists("k", "none", "n")).isEqualTo(2);
            assertThatThrownBy(() -> redis.incr("k"))
                    .isInstanceOf(RedisCommandExecutionException.class)
                    .hasMessage("ERR value is not an integer or out of range");
            assertThat(redis.get("k")).isEqualTo("v");
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void manyCommandsInFlight(ProtocolVersion protocol) {
        try (ClientSession session = new ClientSession(protocol, 0)) {
            RedisAsyncCommands<String, String> redis = session.connection.async();
            List<RedisFuture<String>> replies = new ArrayList<>();
            for (int i = 0; i < 10_000; i++) {
                redis.set("k" + i, "v" + i);
                replies.add(redis.get("k" + i));
            }
            assertThat(LettuceFutures.awaitAll(Duration.ofSeconds(40), replies.toArray(new RedisFuture<?>[0])))
                    .isTrue();
            for (int i = 0; i < replies.size(); i++) {
                assertThat(replies.get(i).toCompletableFuture().join()).isEqualTo("v" + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void scan(ProtocolVersion protocol) {
        try (ClientSession session = new ClientSession(protocol, 1)) {
            Set<String> expected = new HashSet<>();
            for (int i = 0; i < 300; i++) {
                session.sync().set("scan" + i, "x");
                expected.add("scan" + i);
            }
            Set<String> found = new HashSet<>();
            ScanCursor cursor = ScanCursor.INITIAL;
            do {
                KeyScanCursor<String> keys = session.sync()
                        .scan(cursor, ScanArgs.Builder.matches("scan*").limit(50));
                found.addAll(keys.getKeys());
                cursor = keys;
            } while (!cursor.isFinished());
            assertThat(found).isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void transactions(ProtocolVersion protocol) {
        try (ClientSession session = new ClientSession(protocol, 2)) {
            RedisCommands<String, String> redis = session.sync();
            assertThat(redis.multi()).isEqualTo("OK");
            redis.set("k", "1");
            redis.incr("k");
            redis.get("k");
            assertThat(redis.exec()).containsExactly("OK", 2L, "2");
        }
    }

    @ParameterizedTest
    @EnumSource(ProtocolVersion.class)
    void oneConnectionForManyThreadsAndLargeValues(ProtocolVersion protocol) throws Exception {
        RedisClient client = RedisClient.create(RedisURI.Builder.redis("127.0.0.1", proxy.port())
                .withPassword(PASSWORD.toCharArray())
                .withTimeout(Duration.ofSeconds(30))
                .build());
        client.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
        ExecutorService executor = Executors.newFixedThreadPool(4);
        try (StatefulRedisConnection<byte[], byte[]> connection = client.connect(ByteArrayCodec.INSTANCE)) {
            List<Future<Boolean>> runs = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                runs.add(executor.submit(() -> {
                    boolean same = true;
                    for (int i = 0; i < 20; i++) {
                        byte[] key = {(byte) number, (byte) i};
                        byte[] value = new byte[i % 5 == 0 ? 2_000_000 + i : 100 * i];
                        Arrays.fill(value, (byte) (number + i));
                        connection.sync().set(key, value);
                        same &= Arrays.equals(connection.sync().get(key), value);
                    }
                    return same;
                }));
            }
            for (Future<Boolean> run : runs) {
                assertThat(run.get(50, TimeUnit.SECONDS)).isTrue();
            }
        } finally {
            executor.shutdownNow();
            client.shutdown(0, 2, TimeUnit.SECONDS);
        }
    }
}
