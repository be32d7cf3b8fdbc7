package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.ALLOCATIONS_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.FOOTPRINT_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.HIGH_WATER_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.RELEASES_OFFSET;

import org.agrona.concurrent.AtomicBuffer;

/** Bytes that a queue has mapped, and its limit. Written under the queue's maintenance flag, readable by anyone. */
final class Footprint {
    private final AtomicBuffer table;
    private final int queue;
    private long limit;
    private long bytes;
    private boolean refused;

    Footprint(AtomicBuffer table, int queueOffset, long limit) {
        this.table = table;
        this.queue = queueOffset;
        this.limit = limit;
        table.putLong(queue + FOOTPRINT_OFFSET, 0);
        table.putLong(queue + HIGH_WATER_OFFSET, 0);
        table.putLong(queue + ALLOCATIONS_OFFSET, 0);
        table.putLong(queue + RELEASES_OFFSET, 0);
    }

    /** Sets the limit; if more is mapped than that, nothing is added until less is. */
    void limit(long most) {
        limit = most;
    }

    /** Takes bytes of the limit; false if they are not to be had. */
    boolean reserve(long length) {
        if (length > limit - bytes) {
            refused = true;
            return false;
        }
        adjust(length);
        return true;
    }

    /** Corrects what was reserved by what was really mapped. */
    void adjust(long difference) {
        bytes += difference;
        table.putLongRelease(queue + FOOTPRINT_OFFSET, bytes);
        if (bytes > table.getLong(queue + HIGH_WATER_OFFSET)) {
            table.putLongRelease(queue + HIGH_WATER_OFFSET, bytes);
        }
    }

    void release(long length) {
        adjust(-length);
    }

    void allocated() {
        table.putLongRelease(queue + ALLOCATIONS_OFFSET, table.getLong(queue + ALLOCATIONS_OFFSET) + 1);
    }

    /** A mapping was given back. */
    void returned() {
        table.putLongRelease(queue + RELEASES_OFFSET, table.getLong(queue + RELEASES_OFFSET) + 1);
    }

    void refused() {
        refused = true;
    }

    /** Whether memory was refused since the last call: then unused chunks are worth giving back at once. */
    boolean takeRefused() {
        boolean was = refused;
        refused = false;
        return was;
    }
}
