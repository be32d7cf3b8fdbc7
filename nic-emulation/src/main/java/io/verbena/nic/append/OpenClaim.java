package io.verbena.nic.append;

import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;

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

    OpenClaim(int index) {
        this.index = index;
    }

    AtomicBuffer payload() {
        return buffer;
    }

    int payloadOffset() {
        return recordOffset + RecordDescriptor.PAYLOAD_OFFSET;
    }

    long handle() {
        return ((long) generation << 32) | index;
    }
}
