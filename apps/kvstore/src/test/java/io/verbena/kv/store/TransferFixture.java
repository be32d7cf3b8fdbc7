package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A shard and a client of it that takes and gives large values in pieces; each test ends with nothing left. */
@Timeout(180)
abstract class TransferFixture {
    static final int MIB = 1 << 20;

    final ShardContext context = new ShardContext().seed(1);
    final ShardFixture kv = new ShardFixture(context);
    final ShardClient client = new ShardClient(kv.shard);

    static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @AfterEach
    void nothingIsLeft() {
        client.close();
        kv.deleteEachKey();
        assertThat(kv.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
        kv.shard.housekeep(kv.now, 100);
        kv.shard.housekeep(kv.now + ExtentCache.MAX_IDLE_MILLIS + 1, 100);
        assertThat(kv.shard.committedMemory()).isLessThanOrEqualTo(2L * MemoryChunk.LENGTH);
        kv.close();
    }
}
