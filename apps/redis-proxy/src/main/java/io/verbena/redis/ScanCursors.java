package io.verbena.redis;

import io.verbena.kv.protocol.ReplyCursor;
import io.verbena.kv.protocol.RequestEncoder;
import io.verbena.redis.resp.RespWriter;
import org.agrona.AsciiEncoding;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * SCAN over several shards, one after the other. The cursor that a client sees is the shard's cursor times the number
 * of shards plus the shard, so that it needs no memory here. For one worker's thread.
 */
final class ScanCursors {
    private static final int MAX_DIGITS = 20;

    private final int shards;
    private final UnsafeBuffer scratch = new UnsafeBuffer(new byte[MAX_DIGITS + 1]);
    private int shard;
    private long inner;

    ScanCursors(int shards) {
        this.shards = shards;
    }

    /** Reads the cursor, which is argument 1; false if it is none. */
    boolean parse(Arguments arguments) {
        int length = arguments.length(1);
        if (length < 1 || length > MAX_DIGITS) {
            return false;
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            int digit = arguments.buffer().getByte(arguments.offset(1) + i) - '0';
            if (digit < 0 || digit > 9 || Long.compareUnsigned(value, Long.divideUnsigned(-1L - digit, 10)) > 0) {
                return false;
            }
            value = value * 10 + digit;
        }
        shard = (int) Long.remainderUnsigned(value, shards);
        inner = Long.divideUnsigned(value, shards);
        return true;
    }

    /** The shard that the cursor names. */
    int shard() {
        return shard;
    }

    /** Writes the arguments with the shard's own cursor. */
    void encode(Arguments arguments, RequestEncoder encoder) {
        encoder.argument(inner);
        for (int i = 2; i < arguments.count(); i++) {
            encoder.argument(arguments.buffer(), arguments.offset(i), arguments.length(i));
        }
    }

    /** Writes the reply of a shard, whose root is at the cursor, with the client's cursor. */
    void write(ReplyCursor reply, int from, ReplyTranscoder transcoder, RespWriter out) {
        if (!reply.type().isAggregate()) {
            transcoder.write(reply, out);
            return;
        }
        out.array(reply.count());
        reply.next();
        long next = AsciiEncoding.parseLongAscii(
                reply.buffer().getStringWithoutLengthAscii(reply.textOffset(), reply.textLength()),
                0,
                reply.textLength());
        long value;
        if (next != 0) {
            if (next > (Long.MAX_VALUE - from) / shards) {
                throw new IllegalStateException("cursor " + next + " times " + shards + " shards does not fit");
            }
            value = next * shards + from;
        } else {
            value = from + 1 < shards ? from + 1 : 0;
        }
        out.bulk(scratch, 0, scratch.putLongAscii(0, value));
        reply.next();
        transcoder.write(reply, out);
    }
}
