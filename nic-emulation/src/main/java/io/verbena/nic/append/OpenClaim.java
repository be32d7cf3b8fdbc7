package io.verbena.nic.append;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/** One claim between claim and commit. Pooled by its {@link Appender}; used under its thread. */
final class OpenClaim {
    static final AtomicBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    final int index;
    int generation;
    boolean open;
    AtomicBuffer buffer = NOTHING;
    int recordOffset;
    int payloadLength;
    /** Offset of the slot to clear at the end, or -1: a claim of the owner. */
    int slotOffset;

    int queueId;
    int queueKey;
    /** Where the payload lies if the message has a mapping of its own. */
    @Nullable
    LargeMessage large;

    /** Where the payload lies meanwhile if the message arrives in parts. */
    @Nullable
    AtomicBuffer staged;

    /** Whose buffer that is. */
    @Nullable
    Staging staging;

    OpenClaim(int index) {
        this.index = index;
    }

    boolean isApart() {
        return large != null || staged != null;
    }

    AtomicBuffer payload() {
        return large != null ? large.buffer() : staged != null ? staged : buffer;
    }

    int payloadOffset() {
        return isApart() ? 0 : recordOffset + RecordDescriptor.PAYLOAD_OFFSET;
    }

    long handle() {
        return ((long) generation << 32) | index;
    }
}
