package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The budget of direct memory: never exceeded, felt as an OOM error, and free again when data goes. */
@Timeout(180)
class MemoryBudgetTest {
    private static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
    private static final int BUDGET = 16 << 20;

    private static ShardFixture shard(EvictionPolicy policy) {
        return new ShardFixture(new ShardContext().seed(1).memoryBudget(BUDGET).evictionPolicy(policy));
    }

    private static int fill(ShardFixture kv, int valueLength) {
        String value = "v".repeat(valueLength);
        int stored = 0;
        while ("OK".equals(kv.call("SET", "k" + stored, value))) {
            stored++;
        }
        return stored;
    }

    @ParameterizedTest
    @ValueSource(ints = {10, 1000, 30_000, 1_000_000, 3_000_000})
    void aFullShardRefusesWritesServesReadsAndRecovers(int valueLength) {
        try (ShardFixture kv = shard(EvictionPolicy.REFUSE)) {
            int stored = fill(kv, valueLength);
            assertThat((long) stored * valueLength).isGreaterThan(valueLength < 100 ? BUDGET / 10 : BUDGET / 2);
            assertThat(kv.shard.committedMemory()).isLessThanOrEqualTo(BUDGET);
            for (int i = 0; i < 1000; i++) {
                kv.shard.housekeep(kv.now, 100);
                assertThat(kv.run("STRLEN k" + i % stored)).isEqualTo((long) valueLength);
                assertThat(kv.call("SET", "another", "v".repeat(valueLength))).isEqualTo(OUT_OF_MEMORY);
            }
            assertThat(kv.run("DBSIZE")).isEqualTo((long) stored);
            assertThat(kv.shard.statistics().rejected()).isGreaterThan(1000);
            // Every second one only, so that what is free lies scattered.
            for (int i = 0; i < stored; i += 2) {
                assertThat(kv.run("DEL k" + i)).isEqualTo(1L);
            }
            for (int i = 0; i < stored; i += 2) {
                assertThat(kv.call("SET", "k" + i, "v".repeat(valueLength))).isEqualTo("OK");
            }
            assertThat(kv.shard.committedMemory()).isLessThanOrEqualTo(BUDGET);
        }
    }

    @Test
    void valuesOfAnotherSizeUseWhatIsFreed() {
        try (ShardFixture kv = shard(EvictionPolicy.REFUSE)) {
            for (int length : new int[] {100, 3_000_000, 8_000, 300_000, 20, 1_000_000}) {
                assertThat((long) fill(kv, length) * Math.max(length, 160)).isGreaterThan(BUDGET / 2);
                assertThat(kv.shard.committedMemory()).isLessThanOrEqualTo(BUDGET);
                kv.deleteEachKey();
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = EvictionPolicy.class,
            names = {"ALL_KEYS_LRU", "VOLATILE_LRU"})
    void evictionStaysWithinTheBudget(EvictionPolicy policy) {
        Random random = new Random(1);
        try (ShardFixture kv = shard(policy)) {
            int refused = 0;
            for (int i = 0; i < 20_000; i++) {
                int length = random.nextInt(10) == 0 ? random.nextInt(400_000) : random.nextInt(4000);
                refused += "OK".equals(kv.call("SET", "k" + i, "v".repeat(length), "EX", "1000")) ? 0 : 1;
                kv.now++;
                assertThat(kv.shard.committedMemory()).isLessThanOrEqualTo(BUDGET);
                if (i % 50 == 0) {
                    kv.shard.housekeep(kv.now, 200);
                }
            }
            assertThat(refused).isZero();
            assertThat(kv.shard.statistics().evicted()).isGreaterThan(1000);
            // Not much more is evicted than needs be.
            assertThat(kv.shard.usedMemory()).isGreaterThan(BUDGET / 2);
        }
    }

    @Test
    void aValueBeyondTheBudgetEvictsNobody() {
        try (ShardFixture kv = shard(EvictionPolicy.ALL_KEYS_LRU)) {
            kv.run("SET k v");
            assertThat(kv.call("SET", "large", "v".repeat(BUDGET + 1))).isEqualTo(OUT_OF_MEMORY);
            assertThat(kv.run("GET k")).isEqualTo("v");
        }
    }

    @Test
    void aFlushedShardGivesItsMemoryBack() {
        try (ShardFixture kv = shard(EvictionPolicy.REFUSE)) {
            fill(kv, 1_000_000);
            kv.run("FLUSHALL");
            assertThat(kv.call("SET", "k", "v".repeat(10_000_000))).isEqualTo("OK");
            assertThat(kv.shard.committedMemory()).isLessThanOrEqualTo(BUDGET);
            kv.run("FLUSHALL");
            for (int i = 0; i < 20; i++) {
                kv.shard.housekeep(kv.now, 100);
            }
            assertThat(kv.shard.committedMemory()).isLessThanOrEqualTo(MemoryChunk.LENGTH);
        }
    }

    private static void compare(ShardFixture kv, Set<String> keys, Set<String> members) {
        for (int i = 0; i < 40_000; i++) {
            String name = "n" + i;
            assertThat(kv.run("EXISTS " + name)).isEqualTo(keys.contains(name) ? 1L : 0L);
            assertThat(kv.run("ZSCORE zset " + name)).isEqualTo(members.contains(name) ? "1" : null);
        }
    }

    /** Tables of more than one segment grow and shrink while one in a few allocations fails. */
    @ParameterizedTest
    @ValueSource(ints = {3, 10, 50})
    void largeTablesGrowWhileAllocationsFail(int oneIn) {
        Random random = new Random(oneIn);
        AtomicReference<FailingAllocator> allocator = new AtomicReference<>();
        ShardContext context = new ShardContext().seed(oneIn);
        try (ShardFixture kv = new ShardFixture(context, (memory, budget) -> {
            allocator.set(new FailingAllocator(memory, budget));
            return allocator.get();
        })) {
            Map<String, Long> keys = new HashMap<>();
            Set<String> members = new HashSet<>();
            int failures = 0;
            for (int i = 0; i < 120_000; i++) {
                boolean grows = i < 60_000;
                String name = "n" + random.nextInt(40_000);
                allocator.get().failAt(1 + random.nextInt(oneIn), random.nextBoolean());
                Object reply;
                switch (random.nextInt(grows ? 4 : 8)) {
                    case 0, 1 -> {
                        reply = kv.call("SET", name, "v", "PX", "100000");
                        if ("OK".equals(reply)) {
                            keys.put(name, kv.now + 100_000);
                        }
                    }
                    case 2, 3 -> {
                        reply = kv.call("ZADD", "zset", "1", name);
                        if (reply.equals(1L)) {
                            members.add(name);
                        }
                    }
                    case 4, 5, 6 -> {
                        reply = kv.call("DEL", name);
                        assertThat(reply).isEqualTo(keys.remove(name) == null ? 0L : 1L);
                    }
                    default -> {
                        reply = kv.call("ZREM", "zset", name);
                        assertThat(reply).isEqualTo(members.remove(name) ? 1L : 0L);
                    }
                }
                if (i % 100 == 0) {
                    kv.shard.housekeep(kv.now, 100);
                }
                failures += allocator.get().disarm();
                if (i % 20_000 == 0) {
                    assertThat(kv.run("DBSIZE")).isEqualTo((long) keys.size() + (members.isEmpty() ? 0 : 1));
                }
            }
            assertThat(failures).isGreaterThan(100);
            compare(kv, keys.keySet(), members);
            kv.now += 200_000;
            kv.run("DEL zset");
            for (int i = 0; i < 1000; i++) {
                kv.shard.housekeep(kv.now, 1000);
            }
            assertThat(kv.run("DBSIZE")).isEqualTo(0L);
            assertThat(kv.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
        }
    }
}
