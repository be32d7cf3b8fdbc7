package io.verbena.redis;

import io.verbena.kv.protocol.DoubleText;
import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.ReplyType;
import io.verbena.redis.resp.RespWriter;
import org.agrona.concurrent.UnsafeBuffer;

/** Turns a value of the store's reply, with all that belongs to it, into RESP. Reusable, for one thread. */
final class ReplyTranscoder {
    private final DoubleText doubleText = new DoubleText();
    private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[DoubleText.MAX_SHORT_LENGTH]);
    private final RequestSender sender;
    private int shard;

    ReplyTranscoder(RequestSender sender) {
        this.sender = sender;
    }

    /** The replies that follow are of that shard, and so are the values that they leave there. */
    void from(int replying) {
        shard = replying;
    }

    /** Writes the value at the cursor and its descendants. */
    void write(ReplyCursor cursor, RespWriter out) {
        long due = writeOne(cursor, out);
        while (due > 0) {
            if (!cursor.next()) {
                throw new IllegalStateException(due + " values of a reply are missing");
            }
            due += writeOne(cursor, out) - 1;
        }
    }

    /** Writes the value at the cursor alone; returns the number of its children. */
    private long writeOne(ReplyCursor cursor, RespWriter out) {
        ReplyType type = cursor.type();
        switch (type) {
            case NIL:
                out.nil();
                return 0;
            case NIL_ARRAY:
                out.nilArray();
                return 0;
            case INTEGER:
                out.integer(cursor.integer());
                return 0;
            case BULK:
                out.bulk(cursor.buffer(), cursor.textOffset(), cursor.textLength());
                return 0;
            case STREAM:
                out.bulk(new ReplyStream(sender, shard, cursor.streamId(), cursor.streamLength()));
                return 0;
            case STATUS:
                out.line((byte) '+', cursor.buffer(), cursor.textOffset(), cursor.textLength());
                return 0;
            case ERROR:
                out.line((byte) '-', cursor.buffer(), cursor.textOffset(), cursor.textLength());
                return 0;
            case ARRAY:
                out.array(cursor.count());
                return cursor.count();
            case MAP:
                out.map(cursor.count());
                return 2L * cursor.count();
            case SET:
                out.set(cursor.count());
                return cursor.count();
            case DOUBLE:
                out.number(scratch, 0, doubleText.putShort(cursor.doubleValue(), scratch, 0));
                return 0;
            case BOOLEAN:
                out.bool(cursor.booleanValue());
                return 0;
            case VERBATIM:
                out.verbatim(cursor.buffer(), cursor.textOffset(), cursor.textLength());
                return 0;
            default:
                throw new IllegalStateException("reply type " + type);
        }
    }
}
