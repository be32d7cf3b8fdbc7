package io.verbena.kv.store;

import io.verbena.kv.protocol.ReplyEncoder;
import org.agrona.concurrent.UnsafeBuffer;

/** Replies as they travel. */
final class Replies {
    private Replies() {}

    /** A reply in one piece, those of its bytes included that lie elsewhere. */
    static UnsafeBuffer whole(final ReplyEncoder reply) {
        final int tail = reply.tailLength();
        final int head = reply.length() - tail;
        final UnsafeBuffer copy = new UnsafeBuffer(new byte[head + tail]);
        copy.putBytes(0, reply.buffer(), 0, head);
        copy.putBytes(head, reply.tail(), reply.tailOffset(), tail);
        return copy;
    }
}
