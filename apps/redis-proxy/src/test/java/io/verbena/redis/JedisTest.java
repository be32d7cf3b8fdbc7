package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.AbstractTransaction;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.exceptions.JedisDataException;

/** Jedis as its users use it, with both versions of the protocol. */
@Timeout(180)
class JedisTest {
    private static ProxyFixture proxy;

    @BeforeAll
    static void start() {
        proxy = new ProxyFixture(new ProxyContext().workers(2));
    }

    @AfterAll
    static void stop() {
        proxy.close();
    }

    private static DefaultJedisClientConfig config(RedisProtocol protocol) {
        return DefaultJedisClientConfig.builder()
                .protocol(protocol)
                .clientName("jedis-test")
                .socketTimeoutMillis(20_000)
                .build();
    }

    private static Jedis jedis(RedisProtocol protocol) {
        Jedis jedis = new Jedis(new HostAndPort("127.0.0.1", proxy.port()), config(protocol));
        jedis.flushAll();
        return jedis;
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void stringsCountersAndExpiry(RedisProtocol protocol) {
        try (Jedis jedis = jedis(protocol)) {
            assertThat(jedis.ping()).isEqualTo("PONG");
            assertThat(jedis.clientGetname()).isEqualTo("jedis-test");
            assertThat(jedis.set("k", "v")).isEqualTo("OK");
            assertThat(jedis.get("k")).isEqualTo("v");
            assertThat(jedis.get("none")).isNull();
            assertThat(jedis.incrBy("n", 5)).isEqualTo(5);
            assertThat(jedis.incrByFloat("f", 1.5)).isEqualTo(1.5);
            assertThat(jedis.mset("a", "1", "b", "2")).isEqualTo("OK");
            assertThat(jedis.mget("a", "none", "b")).containsExactly("1", null, "2");
            assertThat(jedis.expire("a", 100)).isEqualTo(1);
            assertThat(jedis.ttl("a")).isBetween(90L, 100L);
            assertThat(jedis.keys("*")).containsExactlyInAnyOrder("k", "n", "f", "a", "b");
            assertThat(jedis.dbSize()).isEqualTo(5);
            assertThat(jedis.select(3)).isEqualTo("OK");
            assertThat(jedis.get("k")).isNull();
            assertThat(jedis.info("server")).contains("redis_version:7.0.15");
            assertThat(jedis.configGet("maxmemory")).containsEntry("maxmemory", "0");
            assertThat(jedis.time()).hasSize(2);
        }
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void errorsAreErrorsAndTheConnectionGoesOn(RedisProtocol protocol) {
        try (Jedis jedis = jedis(protocol)) {
            jedis.set("k", "abc");
            assertThatThrownBy(() -> jedis.incr("k"))
                    .isInstanceOf(JedisDataException.class)
                    .hasMessage("ERR value is not an integer or out of range");
            assertThatThrownBy(() -> jedis.eval("return 1"))
                    .isInstanceOf(JedisDataException.class)
                    .hasMessageStartingWith("ERR unknown command 'EVAL'");
            assertThat(jedis.get("k")).isEqualTo("abc");
        }
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void aPipelineAnswersInOrder(RedisProtocol protocol) {
        try (Jedis jedis = jedis(protocol);
                Pipeline pipeline = jedis.pipelined()) {
            List<Response<String>> replies = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                pipeline.set("p" + i, "v" + i);
                replies.add(pipeline.get("p" + i));
            }
            pipeline.sync();
            for (int i = 0; i < replies.size(); i++) {
                assertThat(replies.get(i).get()).isEqualTo("v" + i);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void transactions(RedisProtocol protocol) {
        try (Jedis jedis = jedis(protocol)) {
            AbstractTransaction transaction = new Transaction(jedis);
            Response<String> set = transaction.set("k", "1");
            Response<Long> incremented = transaction.incr("k");
            assertThat(transaction.exec()).containsExactly("OK", 2L);
            assertThat(set.get()).isEqualTo("OK");
            assertThat(incremented.get()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void largeValues(RedisProtocol protocol) {
        try (Jedis jedis = jedis(protocol)) {
            for (int length : new int[] {1 << 20, 3_000_001, 20 << 20}) {
                byte[] value = new byte[length];
                Arrays.fill(value, (byte) length);
                value[length / 2] = '\r';
                value[length / 2 + 1] = '\n';
                byte[] key = {'k', 0, (byte) 0xff};
                assertThat(jedis.set(key, value)).isEqualTo("OK");
                assertThat(Arrays.equals(jedis.get(key), value)).isTrue();
            }
        }
    }

    /** The pool that most services still use, though Jedis has newer ones. */
    @SuppressWarnings("deprecation")
    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void aPoolOfThreads(RedisProtocol protocol) throws Exception {
        int threads = 8;
        int increments = 500;
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try (redis.clients.jedis.JedisPool pool =
                new redis.clients.jedis.JedisPool(new HostAndPort("127.0.0.1", proxy.port()), config(protocol))) {
            pool.setMaxTotal(threads);
            try (Jedis jedis = pool.getResource()) {
                jedis.del("counter");
            }
            List<Future<?>> runs = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                runs.add(executor.submit(() -> {
                    for (int i = 0; i < increments; i++) {
                        try (Jedis jedis = pool.getResource()) {
                            jedis.incr("counter");
                        }
                    }
                }));
            }
            for (Future<?> run : runs) {
                run.get(50, TimeUnit.SECONDS);
            }
            try (Jedis jedis = pool.getResource()) {
                assertThat(jedis.get("counter")).isEqualTo(Integer.toString(threads * increments));
            }
        } finally {
            executor.shutdownNow();
        }
    }

    @ParameterizedTest
    @EnumSource(RedisProtocol.class)
    void theClientThatTellsItsName(RedisProtocol protocol) {
        try (RedisClient client = RedisClient.builder()
                .hostAndPort("127.0.0.1", proxy.port())
                .clientConfig(config(protocol))
                .build()) {
            assertThat(client.set("pooled", "v")).isEqualTo("OK");
            assertThat(client.get("pooled")).isEqualTo("v");
            try (Jedis jedis = new Jedis(new HostAndPort("127.0.0.1", proxy.port()), config(protocol))) {
                assertThat(jedis.clientList()).contains("lib-name=jedis");
            }
        }
    }
}
