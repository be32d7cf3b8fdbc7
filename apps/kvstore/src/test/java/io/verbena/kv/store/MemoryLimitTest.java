package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory limit, eviction, and the limits on keys and values. */
@Timeout(180)
class MemoryLimitTest {
    private static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
    private static final int LIMIT = 2 << 20;
    /** What a command of these tests can ask for: a value, a segment of a table and one of the heap of expiries. */
    private static final int ONE_COMMAND = 3 * 32 * 1024;

    private static ShardFixture shard(EvictionPolicy policy, long seed) {
        return new ShardFixture(new ShardContext().seed(seed).maxMemory(LIMIT).evictionPolicy(policy));
    }

    @ParameterizedTest
    @EnumSource(EvictionPolicy.class)
    void usedMemoryExceedsTheLimitByOneCommandAtMost(EvictionPolicy policy) {
        Random random = new Random(5);
        try (ShardFixture kv = shard(policy, 5)) {
            long most = 0;
            for (int i = 0; i < 20_000; i++) {
                String key = "key:" + random.nextInt(5000);
                switch (random.nextInt(6)) {
                    case 0 -> kv.call("RPUSH", "list:" + key, "v".repeat(random.nextInt(500)));
                    case 1 ->
                        kv.call("HSET", "hash:" + key, "f" + random.nextInt(100), "v".repeat(random.nextInt(100)));
                    case 2 -> kv.call("ZADD", "zset:" + random.nextInt(10), "1", "m" + random.nextInt(10_000));
                    case 3 -> kv.call("SET", key, "v".repeat(random.nextInt(30_000)), "EX", "1000");
                    default -> kv.call("SET", key, "v".repeat(random.nextInt(1000)));
                }
                kv.now += 1;
                most = Math.max(most, kv.shard.usedMemory());
                if (i % 50 == 0) {
                    kv.shard.housekeep(kv.now, 200);
                }
            }
            assertThat(most).isGreaterThan(LIMIT / 10 * 9).isLessThanOrEqualTo(LIMIT + ONE_COMMAND);
            if (policy == EvictionPolicy.REFUSE) {
                assertThat(kv.shard.statistics().evicted()).isZero();
                assertThat(kv.shard.statistics().rejected()).isPositive();
            } else {
                assertThat(kv.shard.statistics().evicted()).isPositive();
            }
            kv.deleteEachKey();
            assertThat(kv.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
        }
    }

    @Test
    void noEvictionRefusesWritesAndServesTheRest() {
        try (ShardFixture kv = shard(EvictionPolicy.REFUSE, 1)) {
            int stored = 0;
            while ("OK".equals(kv.call("SET", "k" + stored, "v".repeat(1000)))) {
                stored++;
            }
            assertThat(stored).isBetween(LIMIT / 2000, LIMIT / 1000);
            assertThat(kv.shard.usedMemory()).isGreaterThan(LIMIT);
            for (String write : List.of(
                    "SET k0 v",
                    "SETNX n v",
                    "APPEND k0 v",
                    "INCR n",
                    "LPUSH l a",
                    "SADD s a",
                    "HSET h f v",
                    "ZADD z 1 a",
                    "SETRANGE k0 0 x",
                    "SETBIT b 1 1",
                    "MSET a b",
                    "COPY k0 k",
                    "GETSET k0 v",
                    "HINCRBY h f 1")) {
                assertThat(kv.run(write)).as(write).isEqualTo(OUT_OF_MEMORY);
            }
            assertThat(kv.run("GET k0")).isEqualTo("v".repeat(1000));
            assertThat(kv.run("STRLEN k1")).isEqualTo(1000L);
            assertThat(kv.run("DBSIZE")).isEqualTo((long) stored);
            assertThat(kv.run("EXPIRE k0 100")).isEqualTo(1L);
            assertThat(kv.run("RENAME k1 renamed")).isEqualTo("OK");
            assertThat(kv.run("DEL k0 renamed k2")).isEqualTo(3L);
            assertThat(kv.run("SET k0 v")).isEqualTo("OK");
        }
    }

    @Test
    void volatileLruRefusesWhenNoKeyExpires() {
        try (ShardFixture kv = shard(EvictionPolicy.VOLATILE_LRU, 1)) {
            kv.call("SET", "goes", "v".repeat(100), "EX", "1000");
            int i = 0;
            while ("OK".equals(kv.call("SET", "stays" + i, "v".repeat(1000)))) {
                i++;
            }
            assertThat(kv.run("EXISTS goes")).isEqualTo(0L);
            assertThat(kv.shard.statistics().evicted()).isOne();
            assertThat(kv.run("DBSIZE")).isEqualTo((long) i);
        }
    }

    /** A tenth of the keys is used all the time; LRU of 5 samples keeps nearly all of them, chance would keep half. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void leastRecentlyUsedKeysGo(long seed) {
        Random random = new Random(seed);
        try (ShardFixture kv = shard(EvictionPolicy.ALL_KEYS_LRU, seed)) {
            String value = "v".repeat(980);
            int hot = 150;
            for (int i = 0; i < hot; i++) {
                kv.call("SET", "hot" + i, value);
            }
            for (int i = 0; i < 4000; i++) {
                kv.call("SET", "cold" + i, value);
                kv.call("GET", "hot" + random.nextInt(hot));
                kv.now += 10;
            }
            assertThat(kv.shard.statistics().evicted()).isGreaterThan(1500);
            int kept = 0;
            for (int i = 0; i < hot; i++) {
                kept += kv.call("EXISTS", "hot" + i).equals(1L) ? 1 : 0;
            }
            assertThat(kept).isGreaterThan(hot * 8 / 10);
            // The last of the cold ones are young, the first long gone.
            int early = 0;
            int late = 0;
            for (int i = 0; i < 1000; i++) {
                early += kv.call("EXISTS", "cold" + i).equals(1L) ? 1 : 0;
                late += kv.call("EXISTS", "cold" + (3000 + i)).equals(1L) ? 1 : 0;
            }
            assertThat(early).isLessThan(200);
            assertThat(late).isGreaterThan(600);
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void volatileLruTakesIdleKeysThatExpireAndNoOthers(long seed) {
        Random random = new Random(seed);
        try (ShardFixture kv = shard(EvictionPolicy.VOLATILE_LRU, seed)) {
            String value = "v".repeat(980);
            for (int i = 0; i < 400; i++) {
                kv.call("SET", "fixed" + i, value);
            }
            int hot = 100;
            for (int i = 0; i < hot; i++) {
                kv.call("SET", "hot" + i, value, "EX", "100000");
            }
            for (int i = 0; i < 4000; i++) {
                assertThat(kv.call("SET", "cold" + i, value, "EX", "100000")).isEqualTo("OK");
                kv.call("GET", "hot" + random.nextInt(hot));
                kv.now += 10;
            }
            assertThat(kv.shard.statistics().evicted()).isGreaterThan(1500);
            int kept = 0;
            for (int i = 0; i < hot; i++) {
                kept += kv.call("EXISTS", "hot" + i).equals(1L) ? 1 : 0;
            }
            assertThat(kept).isGreaterThan(hot * 8 / 10);
            for (int i = 0; i < 400; i++) {
                assertThat(kv.call("EXISTS", "fixed" + i)).isEqualTo(1L);
            }
        }
    }

    @Test
    void largestKeyAndValueAreStoredAndOneByteMoreIsRefused() {
        String key = "k".repeat(ShardContext.MAX_KEY_LENGTH);
        char[] characters = new char[64 << 20];
        for (int i = 0; i < characters.length; i++) {
            characters[i] = (char) ('a' + i % 23);
        }
        String value = new String(characters);
        try (ShardFixture kv = new ShardFixture(new ShardContext().seed(1).maxValueLength(64 << 20))) {
            assertThat(kv.call("SET", key, value)).isEqualTo("OK");
            assertThat(value.equals(kv.call("GET", key))).isTrue();
            assertThat(kv.call("STRLEN", key)).isEqualTo((long) value.length());
            assertThat(kv.call("APPEND", key, "x"))
                    .isEqualTo("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
            assertThat(kv.call("SETRANGE", key, "67108864", "x"))
                    .isEqualTo("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
            assertThat(kv.call("SETBIT", key, "536870912", "1"))
                    .isEqualTo("ERR bit offset is not an integer or out of range");
            assertThat(kv.call("STRLEN", key)).isEqualTo((long) value.length());
            assertThat(kv.call("SET", key + "k", "v")).isEqualTo("ERR key of 65537 bytes > maximum 65536");
            assertThat(kv.call("GET", key + "k")).isEqualTo("ERR key of 65537 bytes > maximum 65536");
            assertThat(kv.call("MSET", "a", "b", key + "k", "v")).isEqualTo("ERR key of 65537 bytes > maximum 65536");
            assertThat(kv.run("EXISTS a")).isEqualTo(0L);
            assertThat(kv.call("DEL", key)).isEqualTo(1L);
            assertThat(kv.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
        }
    }

    @Test
    void aShorterLimitOnValuesNamesItself() {
        try (ShardFixture kv = new ShardFixture(new ShardContext().seed(1).maxValueLength(100_000))) {
            assertThat(kv.call("SET", "k", "v".repeat(100_000))).isEqualTo("OK");
            assertThat(kv.call("SET", "k", "v".repeat(100_001)))
                    .isEqualTo("ERR value of 100001 bytes > maximum 100000");
            assertThat(kv.call("RPUSH", "l", "v".repeat(100_001)))
                    .isEqualTo("ERR value of 100001 bytes > maximum 100000");
            assertThat(kv.call("STRLEN", "k")).isEqualTo(100_000L);
        }
        try (ShardFixture kv = new ShardFixture(new ShardContext().seed(1).maxValueLength(10))) {
            assertThat(kv.call("SET", "k", "v".repeat(11))).isEqualTo("ERR value of 11 bytes > maximum 10");
        }
    }
}
