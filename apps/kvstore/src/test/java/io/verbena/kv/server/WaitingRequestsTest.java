package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.store.Shard;
import io.verbena.kv.store.ShardContext;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.Test;

/** Which requests overtake those that wait, and which do not. */
class WaitingRequestsTest {
    private final WaitingRequests waiting = new WaitingRequests();
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private final RequestEncoder request = new RequestEncoder();

    private int encode(KvOp op, String... arguments) {
        request.begin(buffer, 0, op, 0, 1, 0);
        for (String argument : arguments) {
            request.argument(argument.getBytes(StandardCharsets.US_ASCII));
        }
        return request.length();
    }

    private void waits(KvOp op, String... arguments) {
        waiting.add(buffer, 0, encode(op, arguments), 0);
    }

    private boolean isHeldUp(KvOp op, String... arguments) {
        return waiting.holdsUp(buffer, 0, encode(op, arguments));
    }

    @Test
    void nothingIsHeldUpByNothing() {
        assertThat(isHeldUp(KvOp.GET, "a")).isFalse();
        assertThat(isHeldUp(KvOp.DBSIZE)).isFalse();
    }

    @Test
    void theSameKeyIsHeldUpAndOthersAreNot() {
        waits(KvOp.MGET, "a", "b");
        assertThat(isHeldUp(KvOp.SET, "a", "1")).isTrue();
        assertThat(isHeldUp(KvOp.DEL, "x", "b")).isTrue();
        assertThat(isHeldUp(KvOp.GET, "c")).isFalse();
        assertThat(isHeldUp(KvOp.SET, "c", "a")).as("a value is no key").isFalse();
        assertThat(isHeldUp(KvOp.MSET, "c", "b", "d", "a")).isFalse();
    }

    @Test
    void whatNamesNoKeyWaitsForAllAndHoldsUpAll() {
        waits(KvOp.GET, "a");
        assertThat(isHeldUp(KvOp.DBSIZE)).isTrue();
        assertThat(isHeldUp(KvOp.TRANSACTION, "x")).isTrue();
        assertThat(isHeldUp(KvOp.EXECUTE_UPLOADED, "12345678")).isTrue();
        assertThat(isHeldUp(KvOp.READ_STREAM, "1", "2", "3")).isFalse();
        waits(KvOp.DBSIZE);
        assertThat(isHeldUp(KvOp.GET, "c")).isTrue();
    }

    @Test
    void whatCannotBeReadIsNotHeldUp() {
        waits(KvOp.DBSIZE);
        buffer.setMemory(0, 64, (byte) 0xff);
        assertThat(waiting.holdsUp(buffer, 0, 64)).isFalse();
        assertThat(waiting.holdsUp(buffer, 0, 3)).isFalse();
    }

    /** Who takes no replies gets no more of them. */
    @Test
    void nothingIsTriedForWhoIsBehind() {
        try (Shard shard = new Shard(new ShardContext(), () -> 0)) {
            ReplyTarget target = target(shard);
            ReplyEncoder reply = new ReplyEncoder();
            shard.execute(buffer, 0, encode(KvOp.SET, "k", "x".repeat(60_000)), reply);
            String[] keys = new String[600];
            Arrays.fill(keys, "k");
            while (target.transfers.heldBytes() <= ReplyTarget.PARKING_HELD) {
                shard.execute(buffer, 0, encode(KvOp.MGET, keys), reply, target.transfers);
            }
            waits(KvOp.GET, "a");
            waits(KvOp.GET, "b");
            WaitingRequests.Try never = (client, requests, offset, length, lastTry) -> {
                throw new AssertionError("tried");
            };
            assertThat(waiting.run(target, never, 1)).isZero();
            assertThat(waiting.size()).isEqualTo(2);
            assertThat(isHeldUp(KvOp.GET, "b")).isTrue();
            assertThat(waiting.run(target(shard), (client, requests, offset, length, lastTry) -> true, 1))
                    .isEqualTo(2);
            target.close();
            reply.close();
        }
    }

    /** What was moved while the last request was answered is of no use to anybody. */
    @Test
    void progressEndsWithTheLastRequest() {
        try (Shard shard = new Shard(new ShardContext(), () -> 0)) {
            WaitingClients[] clients = {null};
            clients[0] =
                    new WaitingClients(1000, (client, requests, offset, length, lastTry) -> clients[0].onProgress());
            ReplyTarget target = target(shard);
            clients[0].add(target, buffer, 0, encode(KvOp.GET, "a"), 0);
            assertThat(clients[0].run(0)).isEqualTo(1);
            assertThat(clients[0].hasProgress()).isTrue();
            assertThat(clients[0].run(0)).isZero();
            assertThat(clients[0].hasProgress()).isFalse();
            target.close();
        }
    }

    /** What waits counts as what is parked does. */
    @Test
    void noMoreWaitsThanTheLimit() {
        try (Shard shard = new Shard(new ShardContext(), () -> 0)) {
            WaitingClients clients = new WaitingClients(1000, (client, requests, offset, length, lastTry) -> true);
            ReplyTarget target = target(shard);
            int length = encode(KvOp.SET, "a", "x".repeat(100_000));
            int added = 0;
            while (added < 20 && clients.add(target, buffer, 0, length, 0)) {
                added++;
            }
            assertThat(added).isEqualTo(10);
            assertThat(clients.requests()).isEqualTo(10);
            assertThat(clients.run(0)).isEqualTo(10);
            assertThat(clients.add(target, buffer, 0, length, 0)).isTrue();
            target.close();
        }
    }

    private static ReplyTarget target(Shard shard) {
        return new ReplyTarget(null, shard.newTransfers(1 << 20), 0, 1 << 20);
    }

    @Test
    void afterItsEndNothingIsHeldUp() {
        waits(KvOp.GET, "a");
        waits(KvOp.DBSIZE);
        assertThat(waiting.size()).isEqualTo(2);
        assertThat(waiting.bytes()).isPositive();
        waiting.clear();
        assertThat(waiting.bytes()).isZero();
        assertThat(isHeldUp(KvOp.GET, "a")).isFalse();
        for (int i = 0; i < WaitingRequests.MAX; i++) {
            assertThat(waiting.isFull()).isFalse();
            waits(KvOp.GET, "key" + i);
        }
        assertThat(waiting.isFull()).isTrue();
    }
}
