package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestDescriptor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Uploads at a shard, and what they and streams have in common; each test ends with nothing left. */
class TransferOperationsTest extends TransferFixture {
    private static final String OUT_OF_MEMORY = "OOM command not allowed when used memory > 'maxmemory'.";

    @ParameterizedTest
    @ValueSource(ints = {0, 5, 44, 45, 65_536, 65_537, 131_004, 131_005, MIB, 5 * MIB + 3})
    void anUploadBecomesTheValue(int length) {
        byte[] value = bytes(length, length);
        assertThat(client.set("k", value)).isEqualTo("OK");
        assertThat(client.transfers.uploads()).isZero();
        assertThat(client.get("GET k")).isEqualTo(value);
        assertThat(client.get("GETRANGE k 0 -1")).isEqualTo(value);
        assertThat(client.call("OBJECT ENCODING k")).isEqualTo(length <= 44 ? "embstr" : "raw");
        assertThat(client.transfers.streams()).isZero();
        assertThat(client.set("k", bytes(length, 7), "NX")).isNull();
        assertThat(client.set("k", bytes(length, 8), "XX", "EX", "100")).isEqualTo("OK");
        assertThat(client.get("GET k")).isEqualTo(bytes(length, 8));
        assertThat(client.call("TTL k")).isEqualTo(100L);
    }

    @Test
    void anUploadedNumberIsANumber() {
        assertThat(client.set("k", new byte[] {'1', '2'})).isEqualTo("OK");
        assertThat(client.call("INCR k")).isEqualTo(13L);
    }

    @Test
    void everyCommandThatStoresOneValueTakesAnUpload() {
        byte[] value = bytes(MIB, 1);
        byte[] key = {'k'};
        byte[] time = {'9', '9'};
        long id = client.upload(value);
        long first = id;
        assertThat(client.execute(KvOp.SETNX, r -> r.argument(key).uploadedArgument(first))
                        .integer())
                .isOne();
        id = client.upload(value);
        long second = id;
        assertThat(client.execute(KvOp.SETNX, r -> r.argument(key).uploadedArgument(second))
                        .integer())
                .isZero();
        long third = client.upload(value);
        client.execute(KvOp.SETEX, r -> r.argument(key).argument(time).uploadedArgument(third));
        long fourth = client.upload(value);
        client.execute(KvOp.PSETEX, r -> r.argument(key).argument(time).uploadedArgument(fourth));
        assertThat(client.call("PTTL k")).isEqualTo(99L);
        long fifth = client.upload(bytes(MIB, 2));
        client.execute(KvOp.GETSET, r -> r.argument(key).uploadedArgument(fifth));
        assertThat(client.readAll(client.cursor.streamId(), 0, MIB)).isEqualTo(value);
        assertThat(client.get("GETDEL k")).isEqualTo(bytes(MIB, 2));
    }

    @Test
    void anUploadElsewhereIsAnErrorAndFreed() {
        long id = client.upload(bytes(MIB, 1));
        client.execute(KvOp.APPEND, r -> r.argument(new byte[] {'k'}).uploadedArgument(id));
        assertThat(client.cursor.text()).isEqualTo("ERR argument 1 of 'append' cannot be an upload");
        long key = client.upload(bytes(MIB, 1));
        client.execute(KvOp.SET, r -> r.uploadedArgument(key).argument(new byte[] {'k'}));
        assertThat(client.cursor.text()).isEqualTo("ERR argument 0 of 'set' cannot be an upload");
        long arity = client.upload(bytes(MIB, 1));
        client.execute(KvOp.GET, r -> r.argument(new byte[] {'k'}).uploadedArgument(arity));
        assertThat(client.transfers.uploads()).isZero();
        client.execute(KvOp.SET, r -> r.argument(new byte[] {'k'}).uploadedArgument(77));
        assertThat(client.cursor.text()).isEqualTo("ERR no such upload");
        client.call("LPUSH k a");
        assertThat(client.set("k", bytes(MIB, 1), "GET"))
                .isEqualTo("WRONGTYPE Operation against a key holding the wrong kind of value");
        assertThat(client.transfers.uploads()).isZero();
    }

    @Test
    void piecesOutOfOrderAreToldByTheRequestThatUsesThem() {
        assertThat(client.piece(1, 10, 0, new byte[4])).isEqualTo("OK");
        assertThat(client.piece(1, 10, 5, new byte[5])).isEqualTo("ERR pieces of an upload are out of order");
        assertThat(client.piece(1, 10, 4, new byte[6])).isEqualTo("ERR pieces of an upload are out of order");
        client.execute(KvOp.SET, r -> r.argument(new byte[] {'k'}).uploadedArgument(1));
        assertThat(client.cursor.text()).isEqualTo("ERR pieces of an upload are out of order");
        client.piece(2, 10, 0, new byte[4]);
        client.execute(KvOp.SET, r -> r.argument(new byte[] {'k'}).uploadedArgument(2));
        assertThat(client.cursor.text()).isEqualTo("ERR upload is incomplete");
        client.piece(3, MIB, 0, new byte[4]);
        client.execute(KvOp.DISCARD_UPLOAD, r -> r.argumentLong(3));
        assertThat(client.transfers.uploads()).isZero();
        assertThat(client.piece(4, 10, 0, new byte[11])).isEqualTo("ERR upload of 10 bytes has a piece of 11 at 0");
        assertThat(client.piece(4, -1, 0, new byte[1])).isEqualTo("ERR upload of -1 bytes has a piece of 1 at 0");
        assertThat(client.piece(4, 10, Long.MAX_VALUE, new byte[1])).asString().startsWith("ERR upload of 10");
        assertThat(client.transfers.uploads()).isZero();
    }

    @Test
    void aRefusedUploadIsRemembered() {
        context.maxMemory(8 * MIB);
        assertThat(client.set("k", bytes(16 * MIB, 1))).isEqualTo(OUT_OF_MEMORY);
        assertThat(client.call("EXISTS k")).isEqualTo(0L);
        assertThat(client.set("k", bytes(5 * MIB, 1))).isEqualTo("OK");
        assertThat(client.set("other", bytes(5 * MIB, 1))).isEqualTo(OUT_OF_MEMORY);
        context.evictionPolicy(EvictionPolicy.ALL_KEYS_LRU);
        assertThat(client.set("other", bytes(5 * MIB, 1))).isEqualTo("OK");
        assertThat(client.call("EXISTS k")).isEqualTo(0L);
        assertThat(client.set("huge", new byte[9 * MIB])).isEqualTo(OUT_OF_MEMORY);
        assertThat(client.call("EXISTS other"))
                .as("nothing goes for what cannot be had")
                .isEqualTo(1L);
        context.maxMemory(0);
        client.piece(99, TransferDescriptor.MAX_UPLOAD_LENGTH + 1L, 0, new byte[1]);
        client.execute(KvOp.SET, r -> r.argument(new byte[] {'k'}).uploadedArgument(99));
        assertThat(client.cursor.text()).isEqualTo("ERR string exceeds maximum allowed size (proto-max-bulk-len)");
        context.maxValueLength(MIB);
        assertThat(client.set("k", bytes(MIB + 1, 1))).isEqualTo("ERR value of 1048577 bytes > maximum 1048576");
        assertThat(client.set("k", bytes(MIB, 1))).isEqualTo("OK");
    }

    @Test
    void anAnnouncementEvictsForWhatHasComeOnly() {
        context.maxMemory(16 * MIB).evictionPolicy(EvictionPolicy.ALL_KEYS_LRU);
        String value = "v".repeat(100_000);
        for (int i = 0; i < 200; i++) {
            client.call("SET k" + i + " " + value);
        }
        long before = (Long) kv.run("DBSIZE");
        assertThat(before).isGreaterThan(100);
        for (int id = 1; id <= 3; id++) {
            assertThat(client.piece(id, 15 * MIB, 0, new byte[40_000])).isEqualTo("OK");
        }
        assertThat((Long) kv.run("DBSIZE")).isGreaterThanOrEqualTo(before - 6);
        for (int position = 40_000; position < MIB; position += 40_000) {
            assertThat(client.piece(1, 15 * MIB, position, new byte[40_000])).isEqualTo("OK");
        }
        assertThat((Long) kv.run("DBSIZE")).isGreaterThanOrEqualTo(before - 30);
        for (int id = 1; id <= 3; id++) {
            long given = id;
            client.execute(KvOp.DISCARD_UPLOAD, r -> r.argumentLong(given));
        }
        for (int i = 0; i < 200; i++) {
            client.call("SET k" + i + " " + value);
        }
        for (int length : new int[] {100_000, 131_073, 200_001, MIB, 3 * MIB + 5, 14 * MIB}) {
            assertThat(client.set("large", bytes(length, length))).isEqualTo("OK");
            assertThat(client.get("GET large")).isEqualTo(bytes(length, length));
            assertThat(kv.shard.usedMemory()).isLessThanOrEqualTo(16 * MIB);
            client.call("DEL large");
            for (int i = 0; i < 200; i++) {
                client.call("SET k" + i + " " + value);
            }
        }
        client.call("FLUSHALL");
    }

    @Test
    void noMemoryInTheProcessRefusesOneUploadAlone() {
        context.memorySource(length -> {
            throw new OutOfMemoryError("injected");
        });
        assertThat(client.set("k", bytes(MIB, 1))).isEqualTo(OUT_OF_MEMORY);
        context.memorySource(ByteBuffer::allocateDirect);
        kv.shard.housekeep(kv.now, 100);
        assertThat(client.set("k", bytes(MIB, 1))).isEqualTo("OK");
        assertThat(client.get("GET k")).isEqualTo(bytes(MIB, 1));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anUploadIsUsedWhenItsKeyHasMemory(boolean evicts) {
        AtomicReference<FailingAllocator> made = new AtomicReference<>();
        ShardContext settings =
                new ShardContext().seed(1).evictionPolicy(evicts ? EvictionPolicy.ALL_KEYS_LRU : EvictionPolicy.REFUSE);
        try (ShardFixture failing = new ShardFixture(settings, (memory, budget) -> {
            made.set(new FailingAllocator(memory, budget));
            return made.get();
        })) {
            FailingAllocator allocator = made.get();
            try (ShardClient caller = new ShardClient(failing.shard)) {
                byte[] value = bytes(MIB, 1);
                for (int n = 1; n <= 4; n++) {
                    for (int i = 0; i < 10; i++) {
                        caller.call("SET victim" + i + " v");
                    }
                    long keys = (Long) failing.run("DBSIZE");
                    long id = caller.upload(value);
                    if (n == 4) {
                        allocator.failAttaches(1);
                    } else {
                        allocator.failAt(n, false);
                    }
                    String key = "new" + n;
                    caller.execute(
                            KvOp.SET,
                            r -> r.argument(key.getBytes(StandardCharsets.US_ASCII))
                                    .uploadedArgument(id));
                    boolean failed = allocator.disarm() > 0 || n == 4;
                    assertThat(caller.cursor.text()).isEqualTo(evicts || !failed ? "OK" : OUT_OF_MEMORY);
                    if (evicts || !failed) {
                        assertThat(caller.get("GET " + key)).isEqualTo(value);
                    } else {
                        assertThat(failing.run("DBSIZE")).isEqualTo(keys);
                    }
                    assertThat(caller.transfers.uploads()).isZero();
                }
                caller.set("new1", value);
                allocator.failAttaches(1);
                assertThat(caller.set("new1", bytes(MIB, 2))).isEqualTo(evicts ? "OK" : OUT_OF_MEMORY);
                if (!evicts) {
                    assertThat(caller.get("GET new1")).isEqualTo(value);
                }
            }
            failing.deleteEachKey();
            assertThat(failing.shard.usedMemory()).isLessThanOrEqualTo(ShardFixture.EMPTY_BYTES);
            failing.shard.close();
            assertThat(failing.shard.usedMemory()).isZero();
            assertThat(failing.shard.committedMemory()).isZero();
        }
    }

    @Test
    void anUploadThatIsOneTooManyIsToldByTheRequestThatUsesIt() {
        for (int i = 1; i <= ClientTransfers.MAX_UPLOADS; i++) {
            client.piece(i, 10, 0, new byte[1]);
        }
        for (int id = 2000; id <= 2002; id++) {
            assertThat(client.piece(id, 10, 0, new byte[5])).isEqualTo("ERR too many open uploads");
        }
        client.execute(KvOp.DISCARD_UPLOAD, r -> r.argumentLong(1));
        for (int id = 2000; id <= 2002; id++) {
            long excess = id;
            assertThat(client.piece(id, 10, 5, new byte[5])).isEqualTo("ERR too many open uploads");
            client.execute(KvOp.SET, r -> r.argument(new byte[] {'k'}).uploadedArgument(excess));
            assertThat(client.cursor.text()).isEqualTo("ERR too many open uploads");
            client.execute(KvOp.EXECUTE_UPLOADED, r -> r.argumentLong(excess));
            assertThat(client.cursor.text()).isEqualTo("ERR too many open uploads");
        }
        client.execute(KvOp.SET, r -> r.argument(new byte[] {'k'}).uploadedArgument(2003));
        assertThat(client.cursor.text()).isEqualTo("ERR no such upload");
        assertThat(client.call("EXISTS k")).isEqualTo(0L);
    }

    @Test
    void uploadsAndStreamsAreBounded() {
        for (int i = 0; i < ClientTransfers.MAX_UPLOADS; i++) {
            assertThat(client.piece(i, 10, 0, new byte[1])).isEqualTo("OK");
        }
        assertThat(client.piece(5000, 10, 0, new byte[1])).isEqualTo("ERR too many open uploads");
        client.execute(KvOp.DISCARD_UPLOAD, r -> r.argumentLong(3));
        assertThat(client.piece(5000, 10, 0, new byte[1])).isEqualTo("OK");
        client.execute(KvOp.DISCARD_UPLOAD, r -> r.argumentLong(5000));
        client.set("k", bytes(MIB, 1));
        for (int i = 0; i < ClientTransfers.MAX_STREAMS - 1; i++) {
            client.open("GET k");
        }
        // The second stream of the reply is one too many: the first is closed again.
        assertThat(client.call("MGET k k")).isEqualTo("ERR too many open streams");
        assertThat(client.transfers.streams()).isEqualTo(ClientTransfers.MAX_STREAMS - 1);
        client.open("GET k");
        assertThat(client.call("GETDEL k")).isEqualTo("ERR too many open streams");
        assertThat(client.call("EXISTS k")).isEqualTo(1L);
    }

    @Test
    void aTransactionTakesUploadsAndHoldsStreams() {
        byte[] value = bytes(MIB, 1);
        client.set("k", value);
        ExpandableArrayBuffer inner = new ExpandableArrayBuffer();
        RequestEncoder encoder = new RequestEncoder();
        long id = client.upload(bytes(MIB, 2));
        encoder.begin(inner, 0, KvOp.SET, 0, 0, 0).argument(new byte[] {'n'}).uploadedArgument(id);
        byte[] set = new byte[encoder.length()];
        inner.getBytes(0, set);
        encoder.begin(inner, 0, KvOp.GET, 0, 0, 0).argument(new byte[] {'k'});
        byte[] get = new byte[encoder.length()];
        inner.getBytes(0, get);
        client.execute(KvOp.TRANSACTION, r -> r.argument(set).argument(get));
        assertThat(client.cursor.count()).isEqualTo(2);
        client.cursor.next();
        assertThat(client.cursor.text()).isEqualTo("OK");
        client.cursor.next();
        assertThat(client.readAll(client.cursor.streamId(), 0, MIB)).isEqualTo(value);
        assertThat(client.get("GET n")).isEqualTo(bytes(MIB, 2));
        // The upload is used up: the same again executes nothing.
        client.call("DEL k n");
        client.execute(KvOp.TRANSACTION, r -> r.argument(set).argument(get));
        assertThat(client.cursor.text()).isEqualTo("ERR no such upload");
    }

    @Test
    void noReplyIsTakenAtItsWord() {
        client.set("k", bytes(MIB, 1));
        ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
        RequestEncoder encoder = new RequestEncoder();
        encoder.begin(buffer, 0, KvOp.GET, 0, 1, RequestDescriptor.FLAG_NO_REPLY)
                .argument(new byte[] {'k'});
        try (ReplyEncoder reply = new ReplyEncoder()) {
            assertThat(kv.shard.execute(buffer, 0, encoder.length(), reply, client.transfers))
                    .isFalse();
        }
        assertThat(client.transfers.streams()).isZero();
    }
}
