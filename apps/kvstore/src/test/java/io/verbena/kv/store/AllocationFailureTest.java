package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each command of a random mix is executed with its first allocation failing, then its second, and so on until it
 * happens. A command that failed must have changed nothing; one that happened must have done what it does on a shard
 * that never fails. In the end no block is lost.
 */
@Timeout(180)
class AllocationFailureTest {
    private static final String OUT_OF_MEMORY = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
    private static final Set<String> UNORDERED = Set.of(
            "SMEMBERS",
            "SINTER",
            "SUNION",
            "SDIFF",
            "HGETALL",
            "HKEYS",
            "HVALS",
            "KEYS",
            "SCAN",
            "SSCAN",
            "HSCAN",
            "ZSCAN",
            "SPOP",
            "SRANDMEMBER",
            "HRANDFIELD",
            "ZRANDMEMBER");
    /** A number may have become a block before the command failed, and a small structure a large one. */
    private static final Set<String> ABOUT_ENCODINGS = Set.of("OBJECT", "MEMORY", "HRANDFIELD");

    private final AtomicReference<FailingAllocator> allocator = new AtomicReference<>();
    private int failed;
    private int survived;

    private ShardFixture failing(ShardContext context) {
        return new ShardFixture(context, (memory, budget) -> {
            allocator.set(new FailingAllocator(memory, budget));
            return allocator.get();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "1, 20, 6000, false",
        "2, 20, 6000, true",
        "3, 150, 4000, false",
        "4, 150, 4000, true",
        "5, 3000, 3000, false",
        "6, 3000, 3000, true"
    })
    void aCommandHappensOrChangesNothing(long seed, int spread, int commands, boolean failForGood) {
        try (ShardFixture kv = failing(new ShardContext().seed(seed))) {
            walk(kv, seed, spread, commands, failForGood);
            assertThat(failed).isGreaterThan(commands / 4);
        }
    }

    /** Values come in and go out for many commands. */
    @ParameterizedTest
    @CsvSource({"11, 20, 800, false", "12, 20, 800, true", "13, 300, 300, false"})
    void aCommandHappensOrChangesNothingWhereAllIsOut(long seed, int spread, int commands, boolean failForGood) {
        ShardContext context = new ShardContext()
                .seed(seed)
                .maxMemory(2 * ShardFixture.EXPIRIES + 8000)
                .overflow(new SlowMemory(8 << 20, seed, 1), 0, 8 << 20);
        try (ShardFixture kv = failing(context)) {
            walk(kv, seed, spread, commands, failForGood);
            assertThat(kv.shard.overflow().movedIn()).isGreaterThan(commands / 10);
            assertThat(kv.shard.overflow().values()).isZero();
        }
    }

    private void walk(ShardFixture kv, long seed, int spread, int commands, boolean failForGood) {
        RandomCommands mix = new RandomCommands(seed, spread);
        try (ShardFixture reference = new ShardFixture(new ShardContext().seed(seed))) {
            for (int i = 0; i < commands; i++) {
                List<String> words = mix.next();
                kv.now += i % 3;
                reference.now = kv.now;
                execute(kv, reference, words, failForGood, "seed " + seed + ", command " + i + ": " + words);
                if (i % 10 == 0) {
                    housekeep(kv, failForGood);
                    reference.shard.housekeep(kv.now, 100);
                }
            }
            assertThat(failed + survived).isGreaterThan(commands / 8);
            assertThat(survived).isGreaterThan(failForGood ? -1 : 0);
            assertThat(dump(kv)).isEqualTo(dump(reference));
            kv.deleteEachKey();
            assertThat(kv.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
        }
    }

    private void execute(
            ShardFixture kv, ShardFixture reference, List<String> words, boolean failForGood, String what) {
        String name = words.get(0);
        String[] arguments = words.subList(1, words.size()).toArray(new String[0]);
        TreeMap<String, String> before = null; // most commands happen at once
        String actual = OUT_OF_MEMORY;
        for (int n = 1; actual.equals(OUT_OF_MEMORY); n++) {
            allocator.get().failAt(n, failForGood);
            actual = Resp.render(kv.execute(name, arguments), false);
            int failures = allocator.get().disarm();
            if (actual.equals(OUT_OF_MEMORY)) {
                failed++;
                assertThat(failures).as(what).isPositive();
                before = before == null ? dump(reference) : before;
                assertThat(dump(kv)).as("%s, allocation %s", what, n).isEqualTo(before);
            } else if (failures > 0) {
                survived++;
            }
        }
        String expected = Resp.render(reference.execute(name, arguments), false);
        if (!ABOUT_ENCODINGS.contains(name)) {
            assertThat(ordered(name, actual)).as(what).isEqualTo(ordered(name, expected));
        }
        assertThat(dump(kv)).as(what).isEqualTo(dump(reference));
    }

    /** Never fails, whatever it does without. */
    private void housekeep(ShardFixture kv, boolean failForGood) {
        for (int n = 1; n < 4; n++) {
            allocator.get().failAt(n, failForGood);
            kv.shard.housekeep(kv.now, 20);
            allocator.get().disarm();
        }
    }

    private static List<String> ordered(String name, String reply) {
        List<String> lines = new ArrayList<>(Arrays.asList(reply.split("\r\n", -1)));
        if (UNORDERED.contains(name)) {
            Collections.sort(lines);
        }
        return lines;
    }

    /** All databases that commands name, by database and key: type, value and expiry. */
    private static TreeMap<String, String> dump(ShardFixture kv) {
        TreeMap<String, String> all = new TreeMap<>();
        for (kv.database = 0; kv.database < 2; kv.database++) {
            for (Object found : (List<?>) kv.call("KEYS", "*")) {
                String key = (String) found;
                Object type = kv.call("TYPE", key);
                Object value = switch (String.valueOf(type)) {
                    case "string" -> kv.call("GET", key);
                    case "list" -> kv.call("LRANGE", key, "0", "-1");
                    case "set" -> ordered("SMEMBERS", String.join("\r\n", strings(kv.call("SMEMBERS", key))));
                    case "hash" -> pairs(strings(kv.call("HGETALL", key)));
                    default -> kv.call("ZRANGE", key, "0", "-1", "WITHSCORES");
                };
                all.put(kv.database + "/" + key, type + " " + value + " " + kv.call("PTTL", key));
            }
            all.put(kv.database + "/size", String.valueOf(kv.call("DBSIZE")));
        }
        kv.database = 0;
        return all;
    }

    private static List<String> strings(Object list) {
        return ((List<?>) list).stream().map(String::valueOf).toList();
    }

    private static TreeMap<String, String> pairs(List<String> flat) {
        TreeMap<String, String> pairs = new TreeMap<>();
        for (int i = 0; i < flat.size(); i += 2) {
            pairs.put(flat.get(i), flat.get(i + 1));
        }
        return pairs;
    }
}
