package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.agrona.ExpandableArrayBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Uploads for which strings have to be moved out first, as fast as the memory behind takes them. */
@Timeout(180)
class UploadOverflowTest {
    private static final int FAR = 16 << 20;
    private static final int LIMIT = 2 << 20;
    private static final int PIECE = TransferDescriptor.PIECE_LENGTH;
    private static final int LENGTH = 8 * PIECE;
    private static final long ID = 7;

    private final SlowMemory far = new SlowMemory(FAR, 1, 1);
    private final ShardFixture f =
            new ShardFixture(new ShardContext().seed(1).maxMemory(LIMIT).overflow(far, 0, FAR));
    private final ShardClient client = new ShardClient(f.shard);
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyEncoder reply = new ReplyEncoder();
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private final byte[] bytes = TransferFixture.bytes(LENGTH, 5);

    @AfterEach
    void close() {
        reply.close();
        client.close();
        f.close();
    }

    /** Strings up to the limit, all of which may move. */
    private void fill() {
        for (int i = 0; f.shard.usedMemory() < LIMIT - 20_000; i++) {
            assertThat(f.call("SET", "key" + i, "x".repeat(10_000))).isEqualTo("OK");
        }
    }

    /** Executes a request once. @return whether it is over */
    private boolean once(KvOp op, Consumer<RequestEncoder> arguments) {
        request.begin(buffer, 0, op, 0, 5, 0);
        arguments.accept(request);
        f.shard.execute(buffer, 0, request.length(), reply, client.transfers);
        return !f.shard.waits();
    }

    private boolean piece(KvOp op, int number) {
        byte[] piece = new byte[PIECE];
        System.arraycopy(bytes, number * PIECE, piece, 0, PIECE);
        return once(
                op,
                r -> r.argumentLong(ID)
                        .argumentLong(LENGTH)
                        .argumentLong((long) number * PIECE)
                        .argument(piece));
    }

    private Object set() {
        client.execute(
                KvOp.SET,
                r -> r.argument("large".getBytes(StandardCharsets.US_ASCII)).uploadedArgument(ID));
        return client.cursor.text();
    }

    /** Each piece that needs room waits until there is some, and changes nothing meanwhile. */
    @Test
    void piecesWaitForRoom() {
        fill();
        long rejected = f.shard.statistics().rejected();
        int waited = 0;
        for (int i = 0; i < LENGTH / PIECE; i++) {
            far.silent(true);
            long used = f.shard.usedMemory();
            if (!piece(KvOp.UPLOAD, i)) {
                waited++;
                assertThat(f.shard.usedMemory()).isEqualTo(used);
                assertThat(piece(KvOp.UPLOAD, i)).isFalse();
                far.silent(false);
                assertThat(piece(KvOp.UPLOAD, i)).isTrue();
            }
        }
        far.silent(false);
        assertThat(waited).as("the first, and some for which it grows").isBetween(2, 4);
        assertThat(set()).isEqualTo("OK");
        assertThat(client.get("GET large")).isEqualTo(bytes);
        assertThat(f.shard.statistics().rejected()).isEqualTo(rejected);
        assertThat(f.shard.overflow().values()).isPositive();
        assertThat(f.shard.statistics().evicted()).isZero();
    }

    /** Who has waited for too long gets the error of one for which there is no memory. */
    @Test
    void theLastTryFails() {
        fill();
        assertThat(piece(KvOp.UPLOAD, 0)).isTrue();
        fill();
        far.silent(true);
        assertThat(piece(KvOp.UPLOAD, 1)).isFalse();
        f.shard.lastTry(true);
        assertThat(piece(KvOp.UPLOAD, 1)).isTrue();
        f.shard.lastTry(false);
        assertThat(piece(KvOp.UPLOAD, 2)).as("of one that was refused").isTrue();
        far.silent(false);
        assertThat((String) set()).startsWith("OOM");
        assertThat(client.transfers.uploads()).isZero();
    }

    /** A piece that may not wait behind those before it ends the upload, also where the others have not begun it. */
    @Test
    void aPieceThatMayNotWaitBehindOthersEndsIt() {
        fill();
        far.silent(true);
        assertThat(piece(KvOp.UPLOAD, 0)).isFalse();
        f.shard.lastTry(true);
        assertThat(piece(KvOp.UPLOAD, 1)).isTrue();
        f.shard.lastTry(false);
        assertThat(piece(KvOp.UPLOAD, 0)).as("of one that was refused").isTrue();
        far.silent(false);
        assertThat((String) set()).startsWith("OOM");
        assertThat(client.transfers.uploads()).isZero();
    }

    /** Nothing moves for what cannot be had at all. */
    @Test
    void whatIsLongerThanTheLimitDoesNotWait() {
        fill();
        far.silent(true);
        byte[] small = new byte[20_000];
        boolean moves = false;
        for (byte key = 0; key < 4 && !moves; key++) {
            byte[] name = {key};
            moves = !once(KvOp.SET, r -> r.argument(name).argument(small));
        }
        assertThat(moves).isTrue();
        assertThat(once(
                        KvOp.UPLOAD,
                        r -> r.argumentLong(ID)
                                .argumentLong(LIMIT + 1)
                                .argumentLong(0)
                                .argument(new byte[PIECE])))
                .isTrue();
        far.silent(false);
        assertThat((String) set()).startsWith("OOM");
    }

    /** Where nothing is left that could move, and no peer has room, there is nothing to wait for. */
    @Test
    void whereTheOverflowIsFullItFails() {
        far.room(0);
        fill();
        assertThat(piece(KvOp.UPLOAD, 0)).isTrue();
        assertThat((String) set()).startsWith("OOM");
    }
}
