package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KeyOperationsTest {
    private final ShardFixture kv = new ShardFixture();

    @AfterEach
    void close() {
        kv.close();
    }

    @Test
    void renamesAndCopies() {
        assertThat(kv.run("RENAME a b")).isEqualTo("ERR no such key");
        kv.run("SET a 1 PX 5000");
        kv.run("SET b text");
        assertThat(kv.run("RENAMENX a b")).isEqualTo(0L);
        assertThat(kv.run("RENAME a b")).isEqualTo("OK");
        assertThat(kv.run("PTTL b")).isEqualTo(5000L);
        assertThat(kv.run("RENAME b b")).isEqualTo("OK");
        assertThat(kv.run("COPY b c")).isEqualTo(1L);
        assertThat(kv.run("PTTL c")).isEqualTo(5000L);
        assertThat(kv.run("COPY b c")).isEqualTo(0L);
        assertThat(kv.run("COPY b c REPLACE")).isEqualTo(1L);
        assertThat(kv.run("COPY b b")).isEqualTo("ERR source and destination objects are the same");
        assertThat(kv.run("COPY b b DB 3")).isEqualTo(1L);
        kv.database = 3;
        assertThat(kv.run("GET b")).isEqualTo("1");
        assertThat(kv.run("DBSIZE")).isEqualTo(1L);
        assertThat(kv.run("TYPE b")).isEqualTo("string");
        assertThat(kv.run("TYPE none")).isEqualTo("none");
    }

    @Test
    void expiresByOptions() {
        kv.run("SET k v");
        assertThat(kv.run("EXPIRE k 100 XX")).isEqualTo(0L);
        assertThat(kv.run("EXPIRE k 100 GT")).isEqualTo(0L);
        assertThat(kv.run("EXPIRE k 100 LT")).isEqualTo(1L);
        assertThat(kv.run("EXPIRE k 200 NX")).isEqualTo(0L);
        assertThat(kv.run("EXPIRE k 200 GT")).isEqualTo(1L);
        assertThat(kv.run("TTL k")).isEqualTo(200L);
        assertThat(kv.run("EXPIRE k 1 NX GT"))
                .isEqualTo("ERR NX and XX, GT or LT options at the same time are not compatible");
        assertThat(kv.run("EXPIRE k 1 GT LT")).isEqualTo("ERR GT and LT options at the same time are not compatible");
        assertThat(kv.run("EXPIRE k 1 ZZ")).isEqualTo("ERR Unsupported option ZZ");
        assertThat(kv.run("EXPIRE k 9223372036854775807")).isEqualTo("ERR invalid expire time in 'expire' command");
        assertThat(kv.run("PERSIST k")).isEqualTo(1L);
        assertThat(kv.run("PERSIST k")).isEqualTo(0L);
        assertThat(kv.run("EXPIRE k -1")).isEqualTo(1L);
        assertThat(kv.run("EXISTS k")).isEqualTo(0L);
        assertThat(kv.run("TTL k")).isEqualTo(-2L);
    }

    @Test
    void expiresActively() {
        Random random = new Random(5);
        for (int i = 0; i < 20_000; i++) {
            kv.call("SET", "k" + i, "v", "PX", Integer.toString(1 + random.nextInt(100_000)));
        }
        for (int i = 0; i < 20_000; i += 3) {
            kv.call("PERSIST", "k" + i);
        }
        int before = kv.shard.expiringKeys(0);
        for (int step = 0; step < 10; step++) {
            kv.now += 10_000;
            while (kv.shard.housekeep(kv.now, 100) == 100) {
                // Work is left.
            }
            assertThat(kv.shard.expiringKeys(0)).isLessThan(before);
            before = kv.shard.expiringKeys(0);
        }
        assertThat(kv.shard.expiringKeys(0)).isZero();
        assertThat(kv.shard.keys(0)).isEqualTo(6667);
        kv.run("FLUSHALL");
        assertThat(kv.shard.usedMemory()).isZero();
    }

    @Test
    void scansByPatternAndType() {
        for (int i = 0; i < 100; i++) {
            kv.call("SET", "key:" + i, "v");
        }
        assertThat((List<?>) kv.run("KEYS key:1?")).hasSize(10);
        assertThat((List<?>) kv.run("KEYS key:[12]")).hasSize(2);
        assertThat((List<?>) kv.run("KEYS *")).hasSize(100);
        assertThat(scan("MATCH", "key:*5", "COUNT", "7")).hasSize(10);
        assertThat(scan("TYPE", "string")).hasSize(100);
        assertThat(scan("TYPE", "list")).isEmpty();
        assertThat(kv.run("SCAN x")).isEqualTo("ERR invalid cursor");
        assertThat(kv.run("SCAN 0 COUNT 0")).isEqualTo("ERR syntax error");
        assertThat(kv.run("SCAN 0 COUNT")).isEqualTo("ERR syntax error");
        assertThat((String) kv.run("RANDOMKEY")).startsWith("key:");
    }

    @Test
    void scanSeesEveryKeyThatStays() {
        Random random = new Random(9);
        for (int round = 0; round < 20; round++) {
            kv.run("FLUSHALL");
            int stable = 500;
            for (int i = 0; i < stable; i++) {
                kv.call("SET", "s" + i, "v");
            }
            int churn = random.nextInt(3000);
            for (int i = 0; i < churn; i++) {
                kv.call("SET", "c" + i, "v");
            }
            Set<Object> seen = new HashSet<>();
            String cursor = "0";
            do {
                List<?> page = (List<?>) kv.call("SCAN", cursor, "COUNT", "20");
                cursor = (String) page.get(0);
                seen.addAll((List<?>) page.get(1));
                // The table grows and shrinks while the scan is under way.
                for (int i = 0; i < 200; i++) {
                    if (round % 2 == 0) {
                        kv.call("SET", "c" + churn++, "v");
                    } else if (churn > 0) {
                        kv.call("DEL", "c" + --churn);
                    }
                }
            } while (!"0".equals(cursor) && churn < 20_000);
            if (churn < 20_000) {
                for (int i = 0; i < stable; i++) {
                    assertThat(seen).contains("s" + i);
                }
            }
        }
    }

    private Set<Object> scan(String... options) {
        Set<Object> seen = new HashSet<>();
        String cursor = "0";
        do {
            String[] arguments = new String[options.length + 1];
            arguments[0] = cursor;
            System.arraycopy(options, 0, arguments, 1, options.length);
            List<?> page = (List<?>) kv.call("SCAN", arguments);
            cursor = (String) page.get(0);
            seen.addAll((List<?>) page.get(1));
        } while (!"0".equals(cursor));
        return seen;
    }

    @Test
    void flushesOneOrAll() {
        for (int i = 0; i < 1000; i++) {
            kv.database = i & 1;
            kv.call("SET", "k" + i, "value" + i, "EX", "10");
        }
        kv.run("FLUSHDB");
        assertThat(kv.run("DBSIZE")).isEqualTo(0L);
        kv.database = 0;
        assertThat(kv.run("DBSIZE")).isEqualTo(500L);
        while (kv.shard.housekeep(kv.now, 50) > 0) {
            // The keys of the flushed database are freed piece by piece.
        }
        kv.run("FLUSHDB ASYNC");
        while (kv.shard.housekeep(kv.now, 50) > 0) {
            // As above.
        }
        assertThat(kv.shard.usedMemory()).isZero();
        assertThat(kv.run("FLUSHALL NOW")).isEqualTo("ERR syntax error");
    }
}
