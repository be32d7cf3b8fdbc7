package io.verbena.kv.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.kv.protocol.KvOp;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyEncoder;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.kv.protocol.TransferDescriptor;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** A client of a shard without a network, which transfers large values in pieces. */
final class ShardClient implements AutoCloseable {
    final ClientTransfers transfers;
    final ReplyCursor cursor = new ReplyCursor();
    private final Shard shard;
    private final RequestEncoder request = new RequestEncoder();
    private final ReplyEncoder reply = new ReplyEncoder();
    private final ExpandableArrayBuffer buffer = new ExpandableArrayBuffer();
    private long uploads = 1_000_000;

    ShardClient(Shard shard) {
        this.shard = shard;
        transfers = shard.newTransfers(TransferDescriptor.MAX_MESSAGE);
    }

    /** Executes a request; the cursor is at its root. */
    ReplyCursor execute(KvOp op, Consumer<RequestEncoder> arguments) {
        request.begin(buffer, 0, op, 0, 5, 0);
        arguments.accept(request);
        shard.execute(buffer, 0, request.length(), reply, transfers);
        for (int tries = 0; shard.waits(); tries++) {
            assertThat(tries).as("tries of %s", op).isLessThan(10_000);
            shard.execute(buffer, 0, request.length(), reply, transfers);
        }
        cursor.wrap(Replies.whole(reply), 0, reply.length());
        transfers.replySent();
        assertThat(cursor.correlation()).isEqualTo(5);
        cursor.next();
        return cursor;
    }

    /** A short command; its reply as text. */
    Object call(String line) {
        String[] words = line.split(" ");
        execute(KvOp.valueOf(words[0]), r -> {
            for (int i = 1; i < words.length; i++) {
                r.argument(words[i].getBytes(StandardCharsets.US_ASCII));
            }
        });
        return value();
    }

    private Object value() {
        return switch (cursor.type()) {
            case INTEGER -> cursor.integer();
            case NIL -> null;
            case STREAM, HELD -> cursor.type() + " " + cursor.streamLength();
            default -> cursor.text();
        };
    }

    Object piece(long id, long total, long offset, byte[] bytes) {
        return piece(KvOp.UPLOAD, id, total, offset, bytes);
    }

    private Object piece(KvOp op, long id, long total, long offset, byte[] bytes) {
        execute(
                op,
                r -> r.argumentLong(id).argumentLong(total).argumentLong(offset).argument(bytes));
        return value();
    }

    /** Uploads an argument; returns the id. */
    long upload(byte[] bytes) {
        return upload(KvOp.UPLOAD, bytes);
    }

    /** Uploads a request; returns the id. */
    long uploadRequest(byte[] bytes) {
        return upload(KvOp.UPLOAD_REQUEST, bytes);
    }

    private long upload(KvOp op, byte[] bytes) {
        long id = ++uploads;
        int position = 0;
        do {
            int length = TransferDescriptor.nextPiece(bytes.length, position);
            byte[] piece = new byte[length];
            System.arraycopy(bytes, position, piece, 0, length);
            piece(op, id, bytes.length, position, piece);
            position += length;
        } while (position < bytes.length);
        return id;
    }

    /** SET by an upload, with what may follow; its reply. */
    Object set(String key, byte[] bytes, String... options) {
        long id = upload(bytes);
        execute(KvOp.SET, r -> {
            r.argument(key.getBytes(StandardCharsets.US_ASCII)).uploadedArgument(id);
            for (String option : options) {
                r.argument(option.getBytes(StandardCharsets.US_ASCII));
            }
        });
        return value();
    }

    /** Opens a stream of a value; its id. */
    long open(String line) {
        call(line);
        assertThat(cursor.type()).isEqualTo(ReplyType.STREAM);
        return cursor.streamId();
    }

    /** The next bytes of a stream, or the text of an error. */
    Object read(long id, long offset, long length) {
        execute(KvOp.READ_STREAM, r -> r.argumentLong(id).argumentLong(offset).argumentLong(length));
        return cursor.type() == ReplyType.BULK ? cursor.bytes() : cursor.text();
    }

    /** What is left of a stream of known length. */
    byte[] readAll(long id, long from, long length) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long at = from; at < length; ) {
            byte[] piece = (byte[]) read(id, at, TransferDescriptor.nextPiece(length, at));
            bytes.writeBytes(piece);
            at += piece.length;
        }
        return bytes.toByteArray();
    }

    /** The value that a line asks for, at once or by a stream. */
    byte[] get(String line) {
        call(line);
        return cursor.type() == ReplyType.STREAM
                ? readAll(cursor.streamId(), 0, cursor.streamLength())
                : cursor.bytes();
    }

    /** Fetches a held reply; the cursor is at its root. */
    ReplyCursor fetchHeld() {
        assertThat(cursor.type()).isEqualTo(ReplyType.HELD);
        byte[] whole = readAll(cursor.streamId(), 0, cursor.streamLength());
        cursor.wrap(new UnsafeBuffer(whole), 0, whole.length);
        assertThat(cursor.correlation()).isEqualTo(5);
        cursor.next();
        return cursor;
    }

    @Override
    public void close() {
        transfers.close();
        reply.close();
    }
}
