package io.verbena.kv.store;

import static io.verbena.kv.store.OverflowTest.FAR;
import static io.verbena.kv.store.OverflowTest.KEYS;
import static io.verbena.kv.store.OverflowTest.LIMIT;
import static io.verbena.kv.store.OverflowTest.context;
import static io.verbena.kv.store.OverflowTest.fill;
import static io.verbena.kv.store.OverflowTest.value;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Lists, sets, hashes and sorted sets that are moved out of a shard and in again. */
@Timeout(180)
class OverflowTypesTest {
    /** A key of each type and encoding, twice as many as there is room for, comes back as it went. */
    @Test
    void everyTypeGoesAndComesBack() {
        Map<String, String> reads = new LinkedHashMap<>();
        try (ShardFixture f = new ShardFixture(context(new SlowMemory(FAR, 1, 2)))) {
            for (int i = 0; i < 20; i++) {
                make(f, reads, "list", "LRANGE list 0 -1", 300, i, n -> "RPUSH list e" + n);
                make(f, reads, "integers", "SMEMBERS integers", 100, i, n -> "SADD integers " + n);
                make(f, reads, "set", "SMEMBERS set", 300, i, n -> "SADD set m" + n);
                make(f, reads, "small", "HGETALL small", 20, i, n -> "HSET small f" + n + " v" + n);
                make(f, reads, "hash", "HGETALL hash", 300, i, n -> "HSET hash f" + n + " v" + n);
                make(f, reads, "few", "ZRANGE few 0 -1 WITHSCORES", 20, i, n -> "ZADD few " + n + ".5 m" + n);
                make(f, reads, "many", "ZRANGE many 0 -1 WITHSCORES", 300, i, n -> "ZADD many " + n + ".5 m" + n);
            }
            assertThat(f.shard.usedMemory()).isLessThan(2 * LIMIT);
            for (int i = 0; i < 20; i++) {
                assertThat(f.run("OBJECT ENCODING list" + i)).isEqualTo("quicklist");
                assertThat(f.run("OBJECT ENCODING integers" + i)).isEqualTo("intset");
                assertThat(f.run("OBJECT ENCODING set" + i)).isEqualTo("hashtable");
                assertThat(f.run("OBJECT ENCODING small" + i)).isEqualTo("listpack");
                assertThat(f.run("OBJECT ENCODING hash" + i)).isEqualTo("hashtable");
                assertThat(f.run("OBJECT ENCODING few" + i)).isEqualTo("listpack");
                assertThat(f.run("OBJECT ENCODING many" + i)).isEqualTo("skiplist");
                assertThat(f.run("TYPE hash" + i)).isEqualTo("hash");
                assertThat((String) f.run("GET many" + i)).startsWith("WRONGTYPE");
                assertThat((String) f.run("HGET list" + i + " x")).startsWith("WRONGTYPE");
            }
            assertThat(f.shard.overflow().values()).isGreaterThan(100);
            assertThat(f.shard.overflow().movedIn())
                    .as("none of these needs a value")
                    .isEqualTo(
                            f.shard.overflow().movedOut() - f.shard.overflow().values());
            long movedIn = f.shard.overflow().movedIn();
            reads.forEach(
                    (read, content) -> assertThat(sorted(f, read)).as(read).isEqualTo(content));
            assertThat(f.shard.overflow().movedIn() - movedIn).isGreaterThan(100);
            f.deleteEachKey();
            assertThat(f.shard.overflow().values()).isZero();
        }
    }

    private static void make(
            ShardFixture f,
            Map<String, String> reads,
            String key,
            String read,
            int elements,
            int i,
            IntFunction<String> command) {
        for (int n = 0; n < elements; n++) {
            f.run(command.apply(n + i).replaceFirst(" " + key, " " + key + i));
        }
        String own = read.replaceFirst(key, key + i);
        reads.put(own, sorted(f, own));
    }

    /** Dictionaries have no order. */
    private static String sorted(ShardFixture f, String read) {
        List<?> elements = (List<?>) f.run(read);
        return read.startsWith("SMEMBERS") || read.startsWith("HGETALL")
                ? new TreeSet<>(elements).toString()
                : elements.toString();
    }

    /** Of what is too long, by its elements or its bytes, nothing is out; what replaces a value needs none. */
    @Test
    void whatIsTooLongStays() {
        ShardContext context =
                new ShardContext().seed(1).maxMemory(1 << 20).overflow(new SlowMemory(FAR, 1, 1), 0, FAR);
        try (ShardFixture f = new ShardFixture(context)) {
            for (int i = 0; i <= Overflow.MAX_ELEMENTS; i++) {
                f.run("SADD wide m" + i);
            }
            for (int i = 0; i < 10; i++) {
                f.call("RPUSH", "deep", i < 5 ? "x" : value(15_000, i));
                f.call("HSET", "heavy", "f" + i, value(30_000, i));
            }
            f.now += 10_000;
            fill(f, 2000);
            long movedIn = f.shard.overflow().movedIn();
            assertThat(f.run("SCARD wide")).isEqualTo(Overflow.MAX_ELEMENTS + 1L);
            assertThat(f.run("LLEN deep")).isEqualTo(10L);
            assertThat(f.run("HLEN heavy")).isEqualTo(10L);
            assertThat(f.shard.overflow().movedIn()).isEqualTo(movedIn);

            f.run("LTRIM deep 0 6");
            f.run("SPOP wide 10");
            f.now += 10_000;
            fill(f, 2000);
            movedIn = f.shard.overflow().movedIn();
            assertThat(f.run("SCARD wide")).isEqualTo(Overflow.MAX_ELEMENTS - 9L);
            assertThat(f.run("LLEN deep")).isEqualTo(7L);
            assertThat(f.shard.overflow().movedIn()).as("they became shorter").isEqualTo(movedIn + 2);
        }
    }

    /** A value that is to be replaced is not looked at, and may be lost. */
    @Test
    void whatIsReplacedIsNotNeeded() {
        SlowMemory far = new SlowMemory(FAR, 1, 1);
        try (ShardFixture f = new ShardFixture(context(far))) {
            for (int i = 0; i < 200; i++) {
                f.run("SADD target m" + i);
            }
            f.now += 10_000;
            fill(f, KEYS);
            far.lose();
            assertThat((String) f.run("SCARD target")).startsWith("OVERFLOW the value is lost");
            f.run("SADD source a b c");
            assertThat(f.run("SUNIONSTORE target source")).isEqualTo(3L);
            assertThat(f.run("SCARD target")).isEqualTo(3L);
        }
    }

    /** What is too long is met once, however much there is of it, and what is not goes in its place. */
    @Test
    void whatIsTooLongHoldsUpNothing() {
        ShardContext context =
                new ShardContext().seed(1).maxMemory(40 << 20).overflow(new SlowMemory(64 << 20, 1, 1), 0, 64 << 20);
        try (ShardFixture f = new ShardFixture(context)) {
            for (int i = 0; i < 300; i++) {
                f.call("RPUSH", "list" + i, value(22_000, i), value(22_000, i), value(22_000, i));
            }
            f.now += 10_000;
            for (int i = 0; i < 600; i++) {
                assertThat(f.call("SET", "key" + i, value(60_000, i))).isEqualTo("OK");
            }
            assertThat(f.shard.overflow().values()).isPositive();
        }
    }

    /** Where memory runs out while a value comes in, it is still out, and what was made of it is freed. */
    @Test
    void whatFindsNoMemoryIsStillOut() {
        AtomicReference<FailingAllocator> allocator = new AtomicReference<>();
        try (ShardFixture f = new ShardFixture(context(new SlowMemory(FAR, 1, 1)), (memory, budget) -> {
            allocator.set(new FailingAllocator(memory, budget));
            return allocator.get();
        })) {
            for (int i = 0; i < 300; i++) {
                f.run("RPUSH list e" + i);
                f.run("SADD set m" + i);
                f.run("HSET hash f" + i + " v" + i);
                f.run("ZADD many " + i + " m" + i);
            }
            f.now += 10_000;
            fill(f, KEYS);
            for (String read : List.of("LLEN list", "SCARD set", "HLEN hash", "ZCARD many")) {
                int failures = 0;
                Object answer = "OOM";
                for (int n = 1; String.valueOf(answer).startsWith("OOM"); n++) {
                    allocator.get().failAt(n, true);
                    answer = f.run(read);
                    failures += allocator.get().disarm();
                }
                assertThat(answer).as(read).isEqualTo(300L);
                assertThat(failures).as(read).isGreaterThan(1);
            }
            f.deleteEachKey();
            assertThat(f.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
        }
    }
}
