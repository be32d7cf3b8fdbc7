package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.HELD_BYTES_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.HELD_RECORDS_OFFSET;

import org.agrona.concurrent.AtomicBuffer;

/**
 * Records of a queue that were taken and are not given back yet. Any thread.
 *
 * <p>A record is counted here before the head passes it, and no longer before its chunk is told: so who sees an empty
 * queue sees what is out, and when the last chunk is free nothing is counted for the next queue under the same id.
 */
final class HeldRecords {
    private final TailPointerTable owner;
    private final AtomicBuffer table;
    private final int queue;

    HeldRecords(TailPointerTable owner, AtomicBuffer table, int queueOffset) {
        this.owner = owner;
        this.table = table;
        this.queue = queueOffset;
        table.putLong(queue + HELD_RECORDS_OFFSET, 0);
        table.putLong(queue + HELD_BYTES_OFFSET, 0);
    }

    void add(long records, long bytes) {
        table.getAndAddLong(queue + HELD_RECORDS_OFFSET, records);
        table.getAndAddLong(queue + HELD_BYTES_OFFSET, bytes);
    }

    private void subtract(long records, long bytes) {
        table.getAndAddLong(queue + HELD_RECORDS_OFFSET, -records);
        table.getAndAddLong(queue + HELD_BYTES_OFFSET, -bytes);
    }

    /** Gives back records of a chunk. */
    void release(Chunk chunk, int records, long bytes) {
        subtract(records, bytes);
        if (chunk.release(records)) {
            owner.wakeAllocator();
        }
    }

    /** Gives back a message with a mapping of its own. */
    void release(LargeMessage large, long bytes) {
        subtract(1, bytes);
        large.discard();
        owner.wakeAllocator();
    }

    long records() {
        return table.getLongVolatile(queue + HELD_RECORDS_OFFSET);
    }

    long bytes() {
        return table.getLongVolatile(queue + HELD_BYTES_OFFSET);
    }
}
