package io.verbena.kv;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyHashTest {
    private static int shard(String key, int shards) {
        UnsafeBuffer buffer = new UnsafeBuffer(("x" + key).getBytes(StandardCharsets.UTF_8));
        return KeyHash.shardOf(buffer, 1, buffer.capacity() - 1, shards);
    }

    /** The check value of the Redis Cluster specification, and slots that CLUSTER KEYSLOT tells. */
    @ParameterizedTest
    @CsvSource({"123456789, 12739", "foo, 12182", "a, 15495", "user1000, 3443"})
    void isRedisClustersSlot(String key, int slot) {
        UnsafeBuffer buffer = new UnsafeBuffer(key.getBytes(StandardCharsets.UTF_8));
        assertThat(KeyHash.slotOf(buffer, 0, buffer.capacity())).isEqualTo(slot);
    }

    @ParameterizedTest
    @CsvSource({
        "{user1000}.following, user1000",
        "foo{user1000}bar{x}, user1000",
        "foo{{bar}}zap, {bar",
        "foo{bar}{zap}, bar"
    })
    void theFirstTagCounts(String key, String tag) {
        assertThat(shard(key, 97)).isEqualTo(shard(tag, 97));
    }

    @Test
    void anEmptyOrOpenTagIsNone() {
        UnsafeBuffer buffer = new UnsafeBuffer("foo{}{bar}".getBytes(StandardCharsets.UTF_8));
        assertThat(shard("foo{}{bar}", 97)).isEqualTo(KeyHash.slotOf(buffer, 0, buffer.capacity()) % 97);
        UnsafeBuffer open = new UnsafeBuffer("foo{bar".getBytes(StandardCharsets.UTF_8));
        assertThat(shard("foo{bar", 97)).isEqualTo(KeyHash.slotOf(open, 0, open.capacity()) % 97);
    }

    @Test
    void oneShardOwnsAll() {
        assertThat(shard("anything", 1)).isZero();
    }
}
