package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.ReadIndexDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a shard publishes is what it holds, after each command. */
@Timeout(180)
class ReadIndexTest {
    private static final int SLOT = 128;
    private static final int SETS_BITS = 1;
    private static final int SLOTS = ReadIndexDescriptor.WAYS << SETS_BITS;

    private final UnsafeBuffer region =
            new UnsafeBuffer(new byte[(int) ReadIndexDescriptor.regionLength(SETS_BITS, SLOT)]);

    private ShardContext context(long seed) {
        return new ShardContext().seed(seed).readIndex(region, SLOT);
    }

    /** A key, with its database before it, and its value. */
    private Map<String, String> published() {
        Map<String, String> entries = new HashMap<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            int at = (int) ReadIndexDescriptor.slotOffset(slot, SLOT);
            long version = ReadIndexDescriptor.version(region, at);
            assertThat(version & 1)
                    .as("slot %s is complete between requests", slot)
                    .isZero();
            if (version != ReadIndexDescriptor.FREE) {
                assertThat(ReadIndexDescriptor.isWhole(region, at, SLOT)).isTrue();
                int database = region.getShort(at + 16) & 0xffff;
                int keyLength = region.getShort(at + 18) & 0xffff;
                String key = text(at + ReadIndexDescriptor.KEY_OFFSET, keyLength);
                String value = text(
                        at + ReadIndexDescriptor.KEY_OFFSET + keyLength, ReadIndexDescriptor.valueLength(region, at));
                assertThat(entries.put(database + " " + key, value))
                        .as("%s is published once", key)
                        .isNull();
            }
        }
        return entries;
    }

    private String text(int at, int length) {
        byte[] bytes = new byte[length];
        region.getBytes(at, bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    /** Compares with the store by commands that change nothing in the index, unless memory is over its limit. */
    private int compare(ShardFixture kv, Object what) {
        kv.call("DBSIZE");
        long evicted = kv.shard.statistics().evicted();
        Map<String, String> entries = published();
        assertThat(entries).hasSize(kv.shard.publishedKeys());
        int before = kv.database;
        entries.forEach((name, value) -> {
            kv.database = Integer.parseInt(name.substring(0, name.indexOf(' ')));
            String key = name.substring(name.indexOf(' ') + 1);
            Object type = kv.call("TYPE", key);
            Object stored = kv.call("GETRANGE", key, "0", "-1");
            Object expiry = kv.call("PTTL", key);
            if (kv.shard.statistics().evicted() > evicted) {
                return; // it may have been this one
            }
            assertThat(type).as("%s after %s", name, what).isEqualTo("string");
            assertThat(stored).as("%s after %s", name, what).isEqualTo(value);
            assertThat(expiry).as("%s after %s", name, what).isEqualTo(-1L);
        });
        kv.database = before;
        return entries.size();
    }

    @ParameterizedTest
    @CsvSource({"1, 20, 0", "2, 150, 0", "3, 20, 150000", "4, 150, 150000"})
    void agreesWithTheStoreAfterEachCommand(long seed, int spread, long maxMemory) {
        RandomCommands commands = new RandomCommands(seed, spread);
        Random random = new Random(seed);
        ShardContext context =
                context(seed).databases(3).maxMemory(maxMemory).evictionPolicy(EvictionPolicy.ALL_KEYS_LRU);
        long found = 0;
        try (ShardFixture kv = new ShardFixture(context)) {
            for (int i = 0; i < 8000; i++) {
                List<String> words = random.nextInt(3) == 0 ? string(random) : commands.next();
                kv.database = random.nextInt(10) == 0 ? random.nextInt(3) : 0;
                kv.call(words.get(0), words.subList(1, words.size()).toArray(new String[0]));
                kv.now += random.nextInt(20);
                if (random.nextInt(20) == 0) {
                    kv.shard.housekeep(kv.now, random.nextInt(50));
                }
                if (maxMemory > 0 && random.nextInt(4) == 0) {
                    kv.call("RPUSH", "ballast" + random.nextInt(50), "b".repeat(random.nextInt(10_000)));
                }
                found += compare(kv, words);
            }
            assertThat(found).isGreaterThan(8000);
            assertThat(kv.shard.statistics().expired()).isPositive();
            assertThat(kv.shard.statistics().evicted() > 0).isEqualTo(maxMemory > 0);
            kv.run("FLUSHALL");
            assertThat(published()).isEmpty();
        }
    }

    /** Strings alone, on more keys than there are slots. */
    private static List<String> string(Random random) {
        String key = "s" + random.nextInt(2 * SLOTS);
        return switch (random.nextInt(16)) {
            case 0 -> List.of("DEL", key);
            case 1 -> List.of("INCRBY", "n" + random.nextInt(3), Integer.toString(random.nextInt(1000) - 500));
            case 2 -> List.of("APPEND", key, "+");
            case 3 -> List.of("RENAME", key, "s" + random.nextInt(2 * SLOTS));
            case 4 -> List.of("PEXPIRE", key, Integer.toString(random.nextInt(200)));
            case 5 -> List.of("PERSIST", key);
            case 6 -> List.of("MSET", key, "m", "s" + random.nextInt(2 * SLOTS), "n");
            case 7 -> List.of("SETBIT", key, Integer.toString(random.nextInt(300)), "1");
            case 8 -> List.of("COPY", key, "s" + random.nextInt(2 * SLOTS), "DB", "1", "REPLACE");
            case 9 -> List.of("SETRANGE", key, Integer.toString(random.nextInt(90)), "range");
            case 10, 11, 12 -> List.of("GET", key);
            case 13 -> List.of(random.nextInt(20) == 0 ? "FLUSHDB" : "DBSIZE");
            default -> List.of("SET", key, "v".repeat(random.nextInt(SLOT)));
        };
    }

    @Test
    void whatIsReadGetsASlotThoughItsSetIsFull() {
        try (ShardFixture kv = new ShardFixture(context(1))) {
            for (int i = 0; i < 100; i++) {
                kv.call("SET", "key" + i, "value");
            }
            assertThat(published()).hasSize(SLOTS);
            for (int i = 0; i < 100; i++) {
                kv.call("GET", "key" + i);
                assertThat(published()).containsEntry("0 key" + i, "value").hasSize(SLOTS);
            }
            kv.call("MGET", "key0", "key1");
            kv.call("STRLEN", "key2");
            assertThat(published()).doesNotContainKeys("0 key0", "0 key1", "0 key2");
        }
    }

    @Test
    void publishesNeitherWhatIsTooLongNorWhatExpiresNorOtherTypes() {
        int longest = SLOT - ReadIndexDescriptor.KEY_OFFSET - 1;
        try (ShardFixture kv = new ShardFixture(context(1))) {
            kv.call("SET", "k", "v".repeat(longest));
            assertThat(published()).containsKey("0 k");
            kv.call("APPEND", "k", "v");
            assertThat(published()).isEmpty();
            kv.call("SETRANGE", "k", "0", "w");
            kv.call("GET", "k");
            assertThat(published()).isEmpty();
            kv.call("SET", "k", "v", "EX", "10");
            kv.call("GET", "k");
            assertThat(published()).isEmpty();
            kv.call("PERSIST", "k");
            assertThat(published()).containsEntry("0 k", "v");
            kv.call("EXPIRE", "k", "10");
            assertThat(published()).isEmpty();
            kv.call("SET", "k", "-12");
            assertThat(published()).containsEntry("0 k", "-12");
            kv.call("SADD", "s", "m");
            kv.call("SUNIONSTORE", "k", "s");
            assertThat(published()).isEmpty();
            kv.call("SET", "", "empty key");
            assertThat(published()).containsExactly(Map.entry("0 ", "empty key"));
        }
    }

    /** No reader may see a slot of an ended shard change, for its memory may be gone. */
    @Test
    void aClosedShardWritesNothing() {
        ShardFixture kv = new ShardFixture(context(1));
        kv.call("SET", "k", "v");
        Map<String, String> before = published();
        kv.close();
        assertThat(published()).isEqualTo(before).hasSize(1);
    }
}
