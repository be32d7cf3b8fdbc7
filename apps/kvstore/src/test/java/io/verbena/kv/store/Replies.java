package io.verbena.kv.store;

import io.verbena.kv.protocol.ReplyEncoder;
import org.agrona.concurrent.UnsafeBuffer;

/** Replies as they travel. */
final class Replies {
    private Replies() {}

    /** A reply in one piece, those of its bytes included that lie elsewhere. */
    static UnsafeBuffer whole(ReplyEncoder reply) {
        int tail = reply.tailLength();
        int head = reply.length() - tail;
        UnsafeBuffer copy = new UnsafeBuffer(new byte[head + tail]);
        copy.putBytes(0, reply.buffer(), 0, head);
        copy.putBytes(head, reply.tail(), reply.tailOffset(), tail);
        return copy;
    }
}
