package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReadIndexDescriptor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.agrona.ExpandableDirectByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Values that are moved out of a shard and in again: every answer is that of a shard with room enough. */
@Timeout(180)
class OverflowTest {
    static final int KEYS = 300;
    static final int FAR = 8 << 20;
    static final int LIMIT = 100_000;
    private static final int BUDGET = 4 << 20;

    static ShardContext context(OverflowMemory far) {
        return new ShardContext().seed(1).maxMemory(LIMIT).overflow(far, 0, FAR);
    }

    static String value(int length, int seed) {
        StringBuilder text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('a' + (i * 7 + seed) % 26));
        }
        return text.toString();
    }

    /** Random commands against a map, several times as much as fits. */
    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 5"})
    void answersAsAMap(long seed, int delays) {
        SlowMemory far = new SlowMemory(FAR, seed, delays);
        SplittableRandom random = new SplittableRandom(seed);
        Map<String, String> model = new HashMap<>();
        try (ShardFixture f = new ShardFixture(context(far))) {
            for (int i = 0; i < 30_000; i++) {
                step(f, model, random, i);
                if (i % 5000 == 0) {
                    expectAll(f, model);
                }
            }
            expectAll(f, model);
            OverflowStatistics statistics = f.shard.overflow();
            assertThat(statistics.values()).isPositive();
            assertThat(statistics.movedIn()).isGreaterThan(1000);
            assertThat(statistics.failures()).isZero();
            assertThat(f.shard.statistics().evicted()).isZero();
            assertThat(f.shard.usedMemory()).isLessThan(2 * LIMIT);
            assertThat(far.refused > 0).isEqualTo(delays > 1);
            f.deleteEachKey();
            assertThat(f.shard.overflow().values()).isZero();
            assertThat(f.shard.overflow().bytes()).isZero();
        }
    }

    private static void step(ShardFixture f, Map<String, String> model, SplittableRandom random, int i) {
        String key = "key" + random.nextInt(KEYS);
        String other = "key" + random.nextInt(KEYS);
        String known = model.get(key);
        String fresh = value(random.nextInt(5) == 0 ? random.nextInt(9000) : random.nextInt(2000), i);
        switch (random.nextInt(18)) {
            case 0, 1, 2 -> {
                assertThat(f.call("SET", key, fresh)).isEqualTo("OK");
                model.put(key, fresh);
            }
            case 3, 4, 5 -> assertThat(f.call("GET", key)).isEqualTo(known);
            case 6 -> {
                assertThat(f.call("DEL", key)).isEqualTo(known == null ? 0L : 1L);
                model.remove(key);
            }
            case 7 -> {
                String longer = (known == null ? "" : known) + "tail";
                assertThat(f.call("APPEND", key, "tail")).isEqualTo((long) longer.length());
                model.put(key, longer);
            }
            case 8 -> assertThat(f.call("STRLEN", key)).isEqualTo(known == null ? 0L : (long) known.length());
            case 9 -> {
                String range = known == null || known.length() < 3 ? null : known.substring(1, known.length() - 1);
                if (range != null) {
                    assertThat(f.call("GETRANGE", key, "1", "-2")).isEqualTo(range);
                }
            }
            case 10 -> {
                List<Object> both = new ArrayList<>();
                both.add(known);
                both.add(model.get(other));
                assertThat(f.call("MGET", key, other)).isEqualTo(both);
            }
            case 11 -> {
                assertThat(f.call("MSET", key, fresh, other, "short")).isEqualTo("OK");
                model.put(key, fresh);
                model.put(other, "short");
            }
            case 12 -> {
                if (known != null) {
                    assertThat(f.call("RENAME", key, other)).isEqualTo("OK");
                    model.remove(key);
                    model.put(other, known);
                }
            }
            case 13 -> {
                if (!key.equals(other)) {
                    assertThat(f.call("COPY", key, other, "REPLACE")).isEqualTo(known == null ? 0L : 1L);
                    if (known != null) {
                        model.put(other, known);
                    }
                }
            }
            case 14 -> {
                assertThat(f.call("GETSET", key, fresh)).isEqualTo(known);
                model.put(key, fresh);
            }
            case 15 -> {
                assertThat(f.call("GETDEL", key)).isEqualTo(known);
                model.remove(key);
            }
            case 16 -> {
                assertThat(f.call("SET", key, fresh, "XX", "GET")).isEqualTo(known);
                model.computeIfPresent(key, (name, before) -> fresh);
            }
            default -> assertThat(f.call("EXISTS", key)).isEqualTo(known == null ? 0L : 1L);
        }
    }

    private static void expectAll(ShardFixture f, Map<String, String> model) {
        assertThat(f.call("DBSIZE")).isEqualTo((long) model.size());
        assertThat(new TreeSet<>((List<?>) f.call("KEYS", "*"))).isEqualTo(new TreeSet<>(model.keySet()));
        model.forEach((key, value) -> assertThat(f.call("GET", key)).isEqualTo(value));
    }

    static void fill(ShardFixture f, int keys) {
        for (int i = 0; i < keys; i++) {
            assertThat(f.call("SET", "key" + i, value(1000, i))).isEqualTo("OK");
        }
        assertThat(f.shard.overflow().values()).isPositive();
    }

    @Test
    void whatIsOutExpiresIsCountedAndIsOfItsType() {
        try (ShardFixture f = new ShardFixture(context(new SlowMemory(FAR, 1, 2)))) {
            fill(f, KEYS);
            for (int i = 0; i < KEYS; i++) {
                assertThat(f.call("TYPE", "key" + i)).isEqualTo("string");
                assertThat(f.call("OBJECT", "ENCODING", "key" + i)).isEqualTo("raw");
                assertThat((String) f.call("LPUSH", "key" + i, "x")).startsWith("WRONGTYPE");
                assertThat(f.call("PEXPIRE", "key" + i, "1000")).isEqualTo(1L);
            }
            long out = f.shard.overflow().values();
            assertThat(f.shard.overflow().movedIn())
                    .as("none of these needs the string")
                    .isZero();
            f.now += 2000;
            f.shard.housekeep(f.now, 10_000);
            assertThat(out).isPositive();
            assertThat(f.call("DBSIZE")).isEqualTo(0L);
            assertThat(f.shard.overflow().values()).isZero();
        }
    }

    @Test
    void flushesForgetWhatIsOut() {
        try (ShardFixture f = new ShardFixture(context(new SlowMemory(FAR, 1, 1)))) {
            fill(f, KEYS);
            f.call("FLUSHDB");
            while (f.shard.housekeep(f.now, 10_000) > 0) {
                // Bounded: each round frees something.
            }
            assertThat(f.shard.overflow().values()).isZero();
            fill(f, KEYS);
            f.call("FLUSHALL");
            assertThat(f.shard.overflow().values()).isZero();
            fill(f, KEYS);
            for (int i = 0; i < KEYS; i++) {
                assertThat(f.call("GET", "key" + i)).isEqualTo(value(1000, i));
            }
        }
    }

    @Test
    void whatIsLostIsNamedAndCanBeReplaced() {
        SlowMemory far = new SlowMemory(FAR, 1, 1);
        try (ShardFixture f = new ShardFixture(context(far))) {
            fill(f, KEYS);
            far.lose();
            int lost = 0;
            for (int i = 0; i < KEYS; i++) {
                Object answer = f.call("GET", "key" + i);
                if (!value(1000, i).equals(answer)) {
                    assertThat(answer).isEqualTo("OVERFLOW the value is lost with peer x, which alone had it");
                    assertThat(f.call("EXISTS", "key" + i)).isEqualTo(1L);
                    assertThat(f.call("MGET", "key" + i)).isEqualTo(answer);
                    assertThat(f.call("DEL", "key" + i)).isEqualTo(1L);
                    lost++;
                }
            }
            assertThat(lost).isPositive();
            assertThat(f.shard.overflow().values()).isZero();
            assertThat(f.shard.overflow().failures()).isEqualTo(2L * lost);
        }
    }

    @Test
    void theLastTryFailsByName() {
        SlowMemory far = new SlowMemory(FAR, 1, 1);
        try (ShardFixture f = new ShardFixture(context(far))) {
            fill(f, KEYS);
            far.silent(true);
            f.shard.lastTry(true);
            int late = 0;
            for (int i = 0; i < KEYS; i++) {
                Object answer = f.call("GET", "key" + i);
                if (!value(1000, i).equals(answer)) {
                    assertThat((String) answer).startsWith("OVERFLOW a value does not come in time");
                    late++;
                }
            }
            assertThat(late).isPositive();
            String refused = "";
            for (int i = 0; i < KEYS; i++) {
                refused = (String) f.call("SET", "more" + i, value(1000, i));
            }
            assertThat(refused).startsWith("OOM");
            far.silent(false);
            f.shard.lastTry(false);
            for (int i = 0; i < KEYS; i++) {
                assertThat(f.call("GET", "key" + i)).isEqualTo(value(1000, i));
            }
        }
    }

    @Test
    void whenAllIsFullThePolicyDecides() {
        for (EvictionPolicy policy : EvictionPolicy.values()) {
            ShardContext context = new ShardContext()
                    .seed(1)
                    .maxMemory(LIMIT)
                    .evictionPolicy(policy)
                    .overflow(new SlowMemory(FAR, 1, 1), 0, LIMIT);
            try (ShardFixture f = new ShardFixture(context)) {
                Object last = "";
                for (int i = 0; i < KEYS; i++) {
                    last = f.call("SET", "key" + i, value(1000, i));
                }
                if (policy == EvictionPolicy.ALL_KEYS_LRU) {
                    assertThat(last).isEqualTo("OK");
                    assertThat(f.shard.statistics().evicted()).isPositive();
                } else {
                    assertThat((String) last).startsWith("OOM");
                }
            }
        }
    }

    /** Peers may have less room than there are slots: what is there stays, and the policy decides about the rest. */
    @Test
    void whenPeersHaveNoRoomThePolicyDecides() {
        for (EvictionPolicy policy : List.of(EvictionPolicy.REFUSE, EvictionPolicy.ALL_KEYS_LRU)) {
            SlowMemory far = new SlowMemory(FAR, 1, 1);
            far.room(LIMIT);
            try (ShardFixture f = new ShardFixture(context(far).evictionPolicy(policy))) {
                Object last = "";
                int writes = 0;
                for (int i = 0; i < KEYS; i++) {
                    int before = far.writes;
                    last = f.call("SET", "key" + i, value(1000, i));
                    writes = Math.max(writes, far.writes - before);
                }
                assertThat(writes).as("tries of one request").isLessThan(20);
                assertThat(f.shard.overflow().values()).isBetween(80L, 100L);
                if (policy == EvictionPolicy.REFUSE) {
                    assertThat((String) last).startsWith("OOM");
                } else {
                    assertThat(last).isEqualTo("OK");
                }
                far.room(FAR);
                for (int i = 0; i < KEYS; i++) {
                    assertThat(f.call("SET", "key" + i, value(1000, i))).isEqualTo("OK");
                }
                for (int i = 0; i < KEYS; i++) {
                    assertThat(f.call("GET", "key" + i)).isEqualTo(value(1000, i));
                }
            }
        }
    }

    /** Lost pages are used again when the strings in them are gone. */
    @Test
    void lostPagesAreUsedAgain() {
        int length = 256 << 10;
        SlowMemory far = new SlowMemory(length, 1, 1);
        try (ShardFixture f =
                new ShardFixture(new ShardContext().seed(1).maxMemory(LIMIT).overflow(far, 0, length))) {
            for (int round = 0; round < 5; round++) {
                fill(f, KEYS);
                far.lose();
                for (int i = 0; i < KEYS; i++) {
                    int before = far.writes;
                    f.call("SET", "more" + i, value(100 + 10 * i, i));
                    assertThat(far.writes - before).as("tries of one request").isLessThan(200);
                }
                f.deleteEachKey();
            }
            fill(f, KEYS);
            for (int i = 0; i < KEYS; i++) {
                assertThat(f.call("GET", "key" + i)).isEqualTo(value(1000, i));
            }
        }
    }

    /** At the end of the process's memory requests wait as at the limit, and keep what was uploaded for them. */
    @Test
    void whatFindsNoMemoryWaitsWithItsUploads() {
        SlowMemory far = new SlowMemory(FAR, 1, 5);
        try (ShardFixture f = new ShardFixture(
                        new ShardContext().seed(1).memoryBudget(BUDGET).overflow(far, 0, FAR));
                ShardClient client = new ShardClient(f.shard)) {
            long[] ids = new long[10];
            Arrays.setAll(ids, i -> client.upload(value(1000, i + 1).getBytes(StandardCharsets.US_ASCII)));
            fill(f, BUDGET / 700);
            for (int i = 0; i < ids.length; i++) {
                long id = ids[i];
                byte[] key = ("key" + i).getBytes(StandardCharsets.US_ASCII);
                client.execute(KvOp.GETSET, r -> r.argument(key).uploadedArgument(id));
                assertThat(client.cursor.text()).isEqualTo(value(1000, i));
            }
            assertThat(f.shard.statistics().calls(KvOp.GETSET)).isEqualTo(ids.length);
            assertThat(f.shard.statistics().rejected()).isZero();
        }
    }

    /** While strings cannot be moved out at once, only what takes memory waits. */
    @Test
    void whatIsHereIsReadWhileMovingOutIsBusy() {
        SlowMemory far = new SlowMemory(FAR, 1, 1);
        try (ShardFixture f = new ShardFixture(context(far))) {
            fill(f, KEYS);
            String[] keys = new String[20];
            Arrays.setAll(keys, i -> "key" + i);
            f.call("MGET", keys);
            assertThat(f.shard.usedMemory()).isGreaterThan(LIMIT);
            far.silent(true);
            for (int i = 0; i < keys.length; i++) {
                assertThat(f.call("GET", keys[i])).isEqualTo(value(1000, i));
            }
            assertThatThrownBy(() -> f.call("SET", "x", "y")).hasMessageContaining("waits for ever");
            assertThatThrownBy(() -> f.call("GET", "key50")).hasMessageContaining("waits for ever");
            far.silent(false);
            assertThat(f.call("GET", "key50")).isEqualTo(value(1000, 50));
        }
    }

    /** Strings move out for a value that comes in pieces. */
    @Test
    void longValuesComeAtTheLimit() {
        try (ShardFixture f = new ShardFixture(
                        new ShardContext().seed(1).maxMemory(4 * LIMIT).overflow(new SlowMemory(FAR, 1, 1), 0, FAR));
                ShardClient client = new ShardClient(f.shard)) {
            fill(f, 3 * KEYS);
            byte[] value = TransferFixture.bytes(LIMIT, 1);
            assertThat(client.set("x", value)).isEqualTo("OK");
            assertThat(f.call("STRLEN", "x")).isEqualTo((long) value.length);
        }
    }

    /** A request that waits has changed nothing, and a transaction waits as a whole. */
    @Test
    void aTransactionWaitsForAllOfItsStrings() {
        SlowMemory far = new SlowMemory(FAR, 1, 1);
        try (ShardFixture f = new ShardFixture(context(far))) {
            fill(f, KEYS);
            ExpandableDirectByteBuffer buffer = new ExpandableDirectByteBuffer(4096);
            RequestEncoder request = new RequestEncoder();
            request.begin(buffer, 0, KvOp.TRANSACTION, 0, 7, 0);
            for (int i = 0; i < 20; i++) {
                ExpandableDirectByteBuffer inner = new ExpandableDirectByteBuffer(256);
                RequestEncoder part = new RequestEncoder();
                part.begin(inner, 0, KvOp.APPEND, 0, 1, 0);
                part.argument(("key" + i).getBytes(StandardCharsets.US_ASCII));
                part.argument(new byte[] {'!'});
                byte[] bytes = new byte[part.length()];
                inner.getBytes(0, bytes);
                request.argument(bytes);
            }
            ReplyEncoder reply = new ReplyEncoder();
            far.silent(true);
            assertThat(f.shard.execute(buffer, 0, request.length(), reply, null))
                    .isFalse();
            assertThat(f.shard.waits()).isTrue();
            far.silent(false);
            assertThat(f.shard.execute(buffer, 0, request.length(), reply, null))
                    .isTrue();
            assertThat(f.shard.waits()).isFalse();
            for (int i = 0; i < 20; i++) {
                assertThat(f.call("GET", "key" + i)).isEqualTo(value(1000, i) + "!");
            }
            reply.close();
        }
    }

    @Test
    void whatIsOutIsNotPublished() {
        int length = (int) ReadIndexDescriptor.regionLength(8, 2048);
        UnsafeBuffer region = new UnsafeBuffer(ByteBuffer.allocateDirect(length));
        try (ShardFixture f =
                new ShardFixture(context(new SlowMemory(FAR, 1, 1)).readIndex(region, 2048))) {
            fill(f, KEYS);
            assertThat(f.shard.publishedKeys())
                    .isLessThanOrEqualTo(KEYS - (int) f.shard.overflow().values());
            for (int i = 0; i < KEYS; i++) {
                assertThat(f.call("GET", "key" + i)).isEqualTo(value(1000, i));
            }
        }
    }
}
