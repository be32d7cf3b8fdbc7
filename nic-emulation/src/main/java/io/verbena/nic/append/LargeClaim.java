package io.verbena.nic.append;

import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/** A message that is put together beside its queue. Pooled by its {@link LargeAppender}; used under its thread. */
final class LargeClaim {
    final int index;
    int generation;
    boolean open;
    int queueId;
    int queueKey;
    int pd;
    int payloadLength;
    int qpNumber;

    /** Against which it counts. */
    SenderQuota quota = SenderQuota.NONE;

    /** What stands in the record's flags of its stream. */
    int streamFlags;

    /** Where it is counted against its sender. */
    @Nullable
    UnfinishedMessages unfinished;

    /** Where the payload lies if the message has a mapping of its own. */
    @Nullable
    LargeMessage large;

    /** Where the payload lies meanwhile if it has not. */
    AtomicBuffer staged = Appender.NOTHING;

    /** Whose buffer that is. */
    @Nullable
    Staging staging;

    LargeClaim(int index) {
        this.index = index;
    }

    AtomicBuffer payload() {
        return large != null ? large.buffer() : staged;
    }

    long handle() {
        return ((long) generation << 32) | index;
    }
}
