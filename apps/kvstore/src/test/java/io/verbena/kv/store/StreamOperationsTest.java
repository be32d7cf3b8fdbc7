package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams and held replies at a shard; each test ends with nothing left. */
class StreamOperationsTest extends TransferFixture {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "SET k short",
                "DEL k",
                "GETDEL k",
                "FLUSHALL",
                "FLUSHDB",
                "APPEND k tail",
                "SETRANGE k 100000 changed",
                "SETRANGE k 2000000 beyond",
                "SETBIT k 7 1",
                "RENAME other k",
                "PEXPIREAT k 1"
            })
    void aStreamReadsWhatWasThere(String change) {
        byte[] value = bytes(MIB, 3);
        value[0] = 0;
        client.set("k", value);
        client.call("SET other x");
        long id = client.open("GET k");
        byte[] start = (byte[]) client.read(id, 0, TransferDescriptor.PIECE_LENGTH);
        client.call(change);
        // What was given back is used for something else.
        client.set("reuse", bytes(MIB, 4));
        client.set("again", bytes(MIB, 5));
        byte[] rest = client.readAll(id, start.length, MIB);
        assertThat(Arrays.copyOf(value, start.length)).isEqualTo(start);
        assertThat(Arrays.copyOfRange(value, start.length, MIB)).isEqualTo(rest);
        assertThat(client.read(id, MIB, 1)).isEqualTo("ERR no such stream");
        if (change.startsWith("SETRANGE k 1")) {
            assertThat(client.get("GETRANGE k 100000 100006")).isEqualTo("changed".getBytes(StandardCharsets.US_ASCII));
        }
    }

    @Test
    void overwritingWithTheSameLengthLeavesAStreamAlone() {
        client.set("k", bytes(100_000, 1));
        client.call("DEL k");
        byte[] value = bytes(200_000, 1);
        client.set("k", value);
        long id = client.open("GET k");
        client.set("k", bytes(200_000, 2));
        long other = client.open("GET k");
        assertThat(client.readAll(id, 0, 200_000)).isEqualTo(value);
        assertThat(client.readAll(other, 0, 200_000)).isEqualTo(bytes(200_000, 2));
    }

    @Test
    void streamsAreReadInOrderAndCanBeClosed() {
        client.set("k", bytes(MIB, 1));
        long id = client.open("GET k");
        assertThat(client.read(id, 5, 10)).isEqualTo("ERR stream is read at 5 and has been read to 0");
        assertThat(client.read(id, 0, 0)).isEqualTo("ERR length 0 of a read is not in 1 to 65536");
        assertThat(client.read(id, 0, 65_537)).isEqualTo("ERR length 65537 of a read is not in 1 to 65536");
        client.call("DEL k");
        long pinned = kv.shard.usedMemory();
        assertThat(pinned).isGreaterThan(MIB);
        client.execute(KvOp.CLOSE_STREAM, r -> r.argumentLong(id));
        assertThat(kv.shard.usedMemory()).isLessThan(pinned - MIB);
        assertThat(client.read(id, 0, 1)).isEqualTo("ERR no such stream");
    }

    @Test
    void anIdOfAChannelThatIsGoneNamesNothing() {
        client.set("k", bytes(MIB, 1));
        client.set("other", bytes(MIB, 2));
        long old;
        try (ShardClient before = new ShardClient(kv.shard)) {
            old = before.open("GET k");
        }
        try (ShardClient after = new ShardClient(kv.shard)) {
            long id = after.open("GET other");
            assertThat(after.read(old, 0, 1)).isEqualTo("ERR no such stream");
            after.execute(KvOp.CLOSE_STREAM, r -> r.argumentLong(old));
            assertThat(after.readAll(id, 0, MIB)).isEqualTo(bytes(MIB, 2));
        }
    }

    @Test
    void aRequestMayOpenHalfOfTheStreamsThatAreLeft() {
        client.set("k", bytes(MIB, 1));
        assertThat(client.call("MGET" + " k".repeat(ClientTransfers.MAX_STREAMS / 2 + 1)))
                .isEqualTo("ERR too many open streams");
        assertThat(client.transfers.streams()).isZero();
        int open = 0;
        for (int i = 0; i < 3; i++) {
            int many = (ClientTransfers.MAX_STREAMS - open + 1) / 2;
            assertThat(client.call("MGET" + " k".repeat(many))).asString().startsWith("HELD");
            open += many + 1;
            assertThat(client.transfers.streams()).isEqualTo(open);
            assertThat(client.call("MGET" + " k".repeat(many))).isEqualTo("ERR too many open streams");
            long other = client.open("GET k");
            client.execute(KvOp.CLOSE_STREAM, r -> r.argumentLong(other));
        }
    }

    @Test
    void largeElementsOfOtherTypesAreStreams() {
        byte[] value = bytes(MIB, 9);
        ExpandableArrayBuffer request = new ExpandableArrayBuffer();
        RequestEncoder encoder = new RequestEncoder();
        for (KvOp op : new KvOp[] {KvOp.RPUSH, KvOp.HSET, KvOp.LSET}) {
            encoder.begin(request, 0, op, 0, 5, 0).argument(new byte[] {op == KvOp.HSET ? (byte) 'h' : (byte) 'l'});
            if (op == KvOp.LSET) {
                client.open("LINDEX l 0");
                encoder.argument(0);
                value[5]++;
            } else if (op == KvOp.HSET) {
                encoder.argument(new byte[] {'f'});
            }
            encoder.argument(value);
            byte[] whole = new byte[encoder.length()];
            request.getBytes(0, whole);
            long id = client.uploadRequest(whole);
            client.execute(KvOp.EXECUTE_UPLOADED, r -> r.argumentLong(id));
            assertThat(client.cursor.type()).isNotEqualTo(ReplyType.ERROR);
        }
        assertThat(client.get("LINDEX l 0")).isEqualTo(value);
        value[5]--;
        assertThat(client.readAll(1, 0, MIB)).as("what was pinned before LSET").isEqualTo(value);
        assertThat(client.get("HGET h f")).isEqualTo(value);
        byte[] overwritten = client.get("LINDEX l 0");
        assertThat(overwritten[5]).isEqualTo((byte) (value[5] + 1));
    }

    @Test
    void longRepliesAreHeld() {
        for (int i = 0; i < 5000; i++) {
            client.call("RPUSH l element:number:" + i);
        }
        client.call("LRANGE l 0 -1");
        assertThat(client.transfers.heldBytes()).isGreaterThan(TransferDescriptor.MAX_MESSAGE);
        client.fetchHeld();
        assertThat(client.cursor.count()).isEqualTo(5000);
        for (int i = 0; i < 5000; i++) {
            client.cursor.next();
            assertThat(client.cursor.text()).isEqualTo("element:number:" + i);
        }
        assertThat(client.transfers.heldBytes()).isZero();
        assertThat(client.transfers.streams()).isZero();
        // Left unread: goes with the client.
        client.call("LRANGE l 0 -1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RPUSH LPOP", "SADD SPOP", "ZADD ZPOPMIN"})
    void aReplyIsHeldThoughNoMemoryIsLeft(String commands) {
        String add = commands.split(" ")[0];
        String pop = commands.split(" ")[1];
        try (ShardFixture full = new ShardFixture(new ShardContext().seed(1).memoryBudget(8 * MIB));
                ShardClient caller = new ShardClient(full.shard)) {
            String padding = "e".repeat(1000);
            for (int i = 0; i < 300; i++) {
                caller.call(add + " c " + (add.equals("ZADD") ? "1 " : "") + padding + i);
            }
            for (int length = 30_000; length > 0; length /= 2) {
                for (int i = 0; "OK".equals(full.call("SET", "k" + length + ":" + i, "v".repeat(length))); i++) {
                    // Until nothing fits.
                }
            }
            assertThat(caller.call(pop + " c 300")).asString().startsWith("HELD");
            assertThat(caller.transfers.heldBytes()).isGreaterThan(300_000);
            assertThat(full.shard.committedMemory()).isLessThanOrEqualTo(8 * MIB);
            caller.fetchHeld();
            assertThat(caller.cursor.count()).isGreaterThanOrEqualTo(300);
            assertThat(caller.transfers.heldBytes()).isZero();
            assertThat(caller.call("EXISTS c")).isEqualTo(0L);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aHeldReplyThatIsClosedTakesItsStreamsAlong(boolean begun) {
        client.set("k", bytes(MIB, 1));
        long own = client.open("GET k");
        client.call("SET s " + "e".repeat(60_000));
        client.call("MGET k s s s k");
        assertThat(client.cursor.type()).isEqualTo(ReplyType.HELD);
        long held = client.cursor.streamId();
        assertThat(client.transfers.streams()).isEqualTo(4);
        long later = client.open("GET k");
        if (begun) {
            client.read(held, 0, 100);
        }
        client.execute(KvOp.CLOSE_STREAM, r -> r.argumentLong(held));
        assertThat(client.transfers.streams()).isEqualTo(2);
        assertThat(client.transfers.heldBytes()).isZero();
        assertThat(client.readAll(own, 0, MIB)).isEqualTo(bytes(MIB, 1));
        assertThat(client.readAll(later, 0, MIB)).isEqualTo(bytes(MIB, 1));
        // One that was read has told of its streams.
        client.call("MGET k s s s k");
        long whole = client.cursor.streamId();
        client.fetchHeld();
        client.execute(KvOp.CLOSE_STREAM, r -> r.argumentLong(whole));
        assertThat(client.transfers.streams()).isEqualTo(2);
    }

    @Test
    void noCommandIsExecutedWhoseReplyCouldNotBeHeld() {
        String padding = "e".repeat(1000);
        for (int i = 0; i < 600; i++) {
            client.call("RPUSH l " + padding);
        }
        client.set("k", bytes(MIB, 1));
        for (int i = 0; i < ClientTransfers.MAX_STREAMS; i++) {
            client.open("GET k");
        }
        assertThat(client.call("LPOP l 300")).asString().startsWith("HELD");
        long held = client.cursor.streamId();
        int length = (int) client.cursor.streamLength();
        assertThat(client.call("LPOP l 300")).isEqualTo("ERR too many open streams");
        assertThat(client.set("n", bytes(MIB, 1))).isEqualTo("ERR too many open streams");
        assertThat(client.transfers.uploads()).isZero();
        assertThat(kv.run("LLEN l")).isEqualTo(300L);
        assertThat(client.readAll(held, 0, length)).hasSize(length);
        assertThat(client.call("LPOP l 300")).asString().startsWith("HELD");
    }
}
