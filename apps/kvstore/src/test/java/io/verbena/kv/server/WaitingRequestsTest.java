package io.verbena.kv.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.store.ClientTransfers;
import io.verbena.kv.store.Shard;
import io.verbena.kv.store.ShardContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which requests overtake those that wait, and which do not. */
class WaitingRequestsTest {
    private final Shard shard = new Shard(new ShardContext(), () -> 0);
    private final ClientTransfers transfers = shard.newTransfers(1 << 20);
    private final WaitingRequests waiting = new WaitingRequests(transfers);
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private final RequestEncoder request = new RequestEncoder();

    @AfterEach
    void close() {
        transfers.close();
        shard.close();
    }

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

    private int piece(KvOp op, long id, int bytes) {
        request.begin(buffer, 0, op, 0, 1, 0)
                .argumentLong(id)
                .argumentLong(1 << 20)
                .argumentLong(0);
        request.argument(new byte[bytes]);
        return request.length();
    }

    /** Pieces of uploads keep their order, and hold up what may use one; others overtake. */
    @Test
    void whatHasToDoWithUploadsWaitsBehindTheirPieces() {
        assertThat(waiting.holdsUp(buffer, 0, piece(KvOp.UPLOAD, 1, 10))).isFalse();
        waiting.add(buffer, 0, piece(KvOp.UPLOAD, 1, 10), 0);
        assertThat(waiting.holdsUp(buffer, 0, piece(KvOp.UPLOAD, 1, 10))).isTrue();
        assertThat(waiting.holdsUp(buffer, 0, piece(KvOp.UPLOAD_REQUEST, 1, 10)))
                .isTrue();
        request.begin(buffer, 0, KvOp.DISCARD_UPLOAD, 0, 1, 0).argumentLong(1);
        assertThat(waiting.holdsUp(buffer, 0, request.length())).isTrue();
        request.begin(buffer, 0, KvOp.SET, 0, 1, 0).argument("a".getBytes(StandardCharsets.US_ASCII));
        request.uploadedArgument(1);
        int set = request.length();
        assertThat(waiting.holdsUp(buffer, 0, set)).isTrue();
        waiting.add(buffer, 0, set, 0);
        assertThat(waiting.holdsUp(buffer, 0, piece(KvOp.UPLOAD, 2, 10))).isFalse();
        request.begin(buffer, 0, KvOp.SET, 0, 1, 0).argument("b".getBytes(StandardCharsets.US_ASCII));
        request.uploadedArgument(2);
        assertThat(waiting.holdsUp(buffer, 0, request.length())).isFalse();
        assertThat(isHeldUp(KvOp.GET, "a"))
                .as("it may be what the upload is for")
                .isTrue();
        assertThat(isHeldUp(KvOp.GET, "b")).isFalse();
        assertThat(isHeldUp(KvOp.SET, "b", "1")).isFalse();
        assertThat(isHeldUp(KvOp.READ_STREAM, "1", "2", "3")).isFalse();
        assertThat(isHeldUp(KvOp.EXECUTE_UPLOADED, "12345678")).isTrue();
        assertThat(isHeldUp(KvOp.TRANSACTION, "x")).isTrue();
        waiting.clear();
        assertThat(waiting.holdsUp(buffer, 0, piece(KvOp.UPLOAD, 1, 10))).isFalse();
    }

    private void upload(long id, byte[] whole, int from, int to) {
        request.begin(buffer, 0, KvOp.UPLOAD_REQUEST, 0, 1, 0)
                .argumentLong(id)
                .argumentLong(whole.length)
                .argumentLong(from)
                .argument(Arrays.copyOfRange(whole, from, to));
        try (ReplyEncoder reply = new ReplyEncoder()) {
            shard.execute(buffer, 0, request.length(), reply, transfers);
        }
    }

    /** A request that was uploaded waits and holds up as any other, once all of it is here. */
    @Test
    void whatWasUploadedHoldsUpItsKeysAlone() {
        byte[] set = new byte[encode(KvOp.SET, "a", "1")];
        buffer.getBytes(0, set);
        upload(7, set, 0, 20);
        request.begin(buffer, 0, KvOp.EXECUTE_UPLOADED, 0, 1, 0).argumentLong(7);
        int execute = request.length();
        waits(KvOp.GET, "b");
        request.begin(buffer, 0, KvOp.EXECUTE_UPLOADED, 0, 1, 0).argumentLong(7);
        assertThat(waiting.holdsUp(buffer, 0, execute))
                .as("whose keys nobody knows")
                .isTrue();
        upload(7, set, 20, set.length);
        request.begin(buffer, 0, KvOp.EXECUTE_UPLOADED, 0, 1, 0).argumentLong(7);
        assertThat(waiting.holdsUp(buffer, 0, execute)).isFalse();
        waiting.add(buffer, 0, execute, 0);
        assertThat(isHeldUp(KvOp.GET, "c")).isFalse();
        assertThat(isHeldUp(KvOp.GET, "a")).isTrue();
        assertThat(isHeldUp(KvOp.DBSIZE)).isTrue();
    }

    /** Pieces of uploads have half of what may wait; those beyond are executed at once, as a last try. */
    @Test
    void piecesOfUploadsLeaveRoomForOthers() {
        try (Shard shard = new Shard(new ShardContext(), () -> 0)) {
            int[] failed = new int[1];
            WaitingClients clients = new WaitingClients(1000, (client, requests, offset, length, lastTry) -> {
                failed[0] += lastTry ? 1 : 0;
                return true;
            });
            ReplyTarget target = target(shard);
            for (int i = 0; i < 20; i++) {
                assertThat(clients.add(target, buffer, 0, piece(KvOp.UPLOAD, 1, 100_000), 0))
                        .isTrue();
            }
            assertThat(clients.requests()).isEqualTo(5);
            assertThat(failed[0]).isEqualTo(15);
            assertThat(clients.add(target, buffer, 0, encode(KvOp.SET, "a", "x".repeat(100_000)), 0))
                    .isTrue();
            assertThat(clients.requests()).isEqualTo(6);
            target.close();
        }
    }

    /** What is over when memory runs out is not done again. */
    @Test
    void nothingIsDoneTwice() {
        ReplyTarget target = target(shard);
        for (String key : List.of("a", "b", "c")) {
            waits(KvOp.INCR, key);
        }
        List<Integer> done = new ArrayList<>();
        WaitingRequests.Try second = (client, requests, offset, length, lastTry) -> {
            if (done.size() == 1) {
                throw new OutOfMemoryError("for a test");
            }
            return done.add(length);
        };
        assertThatThrownBy(() -> waiting.run(target, second, 1)).isInstanceOf(OutOfMemoryError.class);
        assertThat(waiting.size()).isEqualTo(2);
        assertThat(waiting.run(target, (client, requests, offset, length, lastTry) -> done.add(length), 1))
                .isEqualTo(2);
        assertThat(done).hasSize(3);
        assertThat(waiting.bytes()).isZero();
        target.close();
    }

    /** However short its pieces are, and whatever else names an upload, a client has a bounded number waiting. */
    @Test
    void partsOfUploadsAreBoundedInNumber() {
        try (Shard other = new Shard(new ShardContext(), () -> 0)) {
            int[] failed = new int[1];
            WaitingClients clients = new WaitingClients(1000, (client, requests, offset, length, lastTry) -> {
                failed[0] += lastTry ? 1 : 0;
                return true;
            });
            ReplyTarget target = new ReplyTarget(null, other.newTransfers(1 << 20), 0, 64 << 20);
            for (int i = 0; i < WaitingRequests.MAX_OF_UPLOADS + 100; i++) {
                assertThat(clients.add(target, buffer, 0, piece(KvOp.UPLOAD, 1, 1), 0))
                        .isTrue();
            }
            assertThat(failed[0]).isEqualTo(100);
            assertThat(clients.requests()).isEqualTo(WaitingRequests.MAX_OF_UPLOADS);
            assertThat(target.overflowed.isFull())
                    .as("others of the client's are not parked for that")
                    .isFalse();
            int discarded = 0;
            request.begin(buffer, 0, KvOp.DISCARD_UPLOAD, 0, 1, 0).argumentLong(1);
            while (discarded < 10_000 && clients.add(target, buffer, 0, request.length(), 0)) {
                discarded++;
            }
            assertThat(discarded).isEqualTo(WaitingRequests.MAX_OF_UPLOADS);
            request.begin(buffer, 0, KvOp.READ_STREAM, 0, 1, 0);
            request.uploadedArgument(1).argumentLong(0).argumentLong(1);
            assertThat(target.overflowed.holdsUp(buffer, 0, request.length())).isFalse();
            target.close();
        }
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
