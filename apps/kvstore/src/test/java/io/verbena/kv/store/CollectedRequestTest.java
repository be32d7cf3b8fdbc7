package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.RequestEncoder;
import java.nio.charset.StandardCharsets;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests longer than a message, while there is no room for them beside the data. */
@Timeout(180)
class CollectedRequestTest {
    private static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";
    private static final int KEYS = 20_000;
    private static final int ARGUMENT_BUDGET = 1 << 20;

    private static ShardContext context() {
        return new ShardContext().seed(1).argumentBudget(ARGUMENT_BUDGET);
    }

    private static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static String key(int i) {
        return "some:key:of:twenty:characters:" + i;
    }

    /** Sets keys until there is no memory; returns how many there are, at least those that {@link #request} names. */
    private static int fill(ShardClient client) {
        int count = 0;
        while ("OK".equals(client.call("SET " + key(count) + " " + "v".repeat(1000)))) {
            count++;
        }
        assertThat(count).isGreaterThan(KEYS);
        return count;
    }

    /** A request that names all keys. */
    private static byte[] request(KvOp op, int keys, String value) {
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        RequestEncoder encoder = new RequestEncoder().begin(buffer, 0, op, 0, 5, 0);
        for (int i = 0; i < keys; i++) {
            encoder.argument(ascii(key(i)));
            if (!value.isEmpty()) {
                encoder.argument(ascii(value));
            }
        }
        byte[] whole = new byte[encoder.length()];
        buffer.getBytes(0, whole);
        return whole;
    }

    private static void execute(ShardClient client, long upload) {
        client.execute(KvOp.EXECUTE_UPLOADED, r -> r.argumentLong(upload));
    }

    @Test
    void manyKeysAreDeletedAtTheLimitOfUse() {
        deletesManyKeys(context().maxMemory(48 << 20));
    }

    @Test
    void manyKeysAreDeletedAtTheLimitOfWhatIsHeld() {
        deletesManyKeys(context().memoryBudget(48 << 20));
    }

    private static void deletesManyKeys(ShardContext context) {
        try (ShardFixture kv = new ShardFixture(context);
                ShardClient client = new ShardClient(kv.shard)) {
            int count = fill(client);
            long used = kv.shard.usedMemory();
            execute(client, client.uploadRequest(request(KvOp.DEL, KEYS, "")));
            assertThat(client.cursor.integer()).isEqualTo(KEYS);
            while (kv.shard.housekeep(kv.now, 1000) == 1000) {}
            assertThat(kv.shard.usedMemory()).isLessThan(used - KEYS * 1000L);
            assertThat(kv.shard.keys(0)).isEqualTo(count - KEYS);
            assertThat(client.call("SET k v")).isEqualTo("OK");
        }
    }

    @Test
    void nothingIsEvictedForTheArgumentsOfWhatFrees() {
        try (ShardFixture kv =
                        new ShardFixture(context().maxMemory(48 << 20).evictionPolicy(EvictionPolicy.ALL_KEYS_LRU));
                ShardClient client = new ShardClient(kv.shard)) {
            for (int i = 0; kv.shard.statistics().evicted() == 0; i++) {
                assertThat(client.call("SET " + key(i) + " " + "v".repeat(1000)))
                        .isEqualTo("OK");
            }
            client.call("EXISTS k"); // evicts what the last one has used beyond the limit
            long evicted = kv.shard.statistics().evicted();
            execute(client, client.uploadRequest(request(KvOp.EXISTS, KEYS, "")));
            assertThat(client.cursor.integer()).isGreaterThan(KEYS / 2);
            assertThat(kv.shard.statistics().evicted()).isEqualTo(evicted);
        }
    }

    @Test
    void whatNeedsMemoryIsRefusedAtTheLimitAndChangesNothing() {
        try (ShardFixture kv = new ShardFixture(context().memoryBudget(48 << 20));
                ShardClient client = new ShardClient(kv.shard)) {
            int count = fill(client);
            execute(client, client.uploadRequest(request(KvOp.MSET, 500, "w".repeat(1500))));
            assertThat(client.cursor.text()).isEqualTo(OUT_OF_MEMORY);
            assertThat(kv.shard.keys(0)).isEqualTo(count);
            assertThat(client.call("GET " + key(1))).isEqualTo("v".repeat(1000));
        }
    }

    @Test
    void whatIsCollectedBesideTheDataIsBounded() {
        try (ShardFixture kv = new ShardFixture(context().memoryBudget(48 << 20));
                ShardClient client = new ShardClient(kv.shard)) {
            fill(client);
            byte[] request = request(KvOp.DEL, KEYS, "");
            assertThat(request.length).isBetween(ARGUMENT_BUDGET / 2, ARGUMENT_BUDGET);
            long first = client.uploadRequest(request);
            execute(client, client.uploadRequest(request)); // both at once are too much
            assertThat(client.cursor.text()).isEqualTo(OUT_OF_MEMORY);
            execute(client, first);
            assertThat(client.cursor.integer()).isEqualTo(KEYS);
            assertThat(client.transfers.uploads()).isZero();
            assertThat(kv.shard.argumentMemory().used()).isZero();
        }
    }

    @Test
    void anArgumentIsNoRequestAndARequestNoArgument() {
        try (ShardFixture kv = new ShardFixture(context());
                ShardClient client = new ShardClient(kv.shard)) {
            byte[] request = request(KvOp.DEL, KEYS, "");
            execute(client, client.upload(request));
            assertThat(client.cursor.text()).isEqualTo("ERR upload is an argument and no request");
            long id = client.uploadRequest(request);
            client.execute(KvOp.SET, r -> r.argument(ascii("k")).uploadedArgument(id));
            assertThat(client.cursor.text()).isEqualTo("ERR upload is a request and no argument");
            assertThat(client.transfers.uploads()).isZero();
            assertThat(kv.shard.keys(0)).isZero();
        }
    }
}
