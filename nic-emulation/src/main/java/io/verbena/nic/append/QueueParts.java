package io.verbena.nic.append;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.MemoryQuota;
import io.verbena.nic.port.MemoryProvider;
import org.agrona.concurrent.AtomicBuffer;

/**
 * What one append queue is made of, put together once.
 *
 * <pre>
 *   walk ──► head ──► ring (chunks) ──────────┐
 *     │                                        ├──► footprint ──► quota
 *     ├────► largeMessages, staging ──────────┘
 *     └────► held (records that stay)      recovery (holes)     meter (rates)
 * </pre>
 *
 * <p>Each part says what its concurrency is.
 */
final class QueueParts {
    final Footprint footprint;
    final QueueMeter meter = new QueueMeter();
    final ChunkRing ring;
    final UnfinishedMessages unfinished;
    final LargeMessages largeMessages;
    final Staging staging;
    final HeldRecords held;
    final HoleRecovery recovery;
    final RecordWalk walk;

    /** Makes them, with the first chunks; the queue has its id and attributes already. */
    QueueParts(
            AppendQueue queue,
            TailPointerTable owner,
            ControlBlock control,
            MemoryProvider memory,
            MemoryQuota quota,
            AppendQueueAttributes attributes) {
        AtomicBuffer table = control.buffer();
        int entry = control.queueOffset(queue.id());
        this.footprint = new Footprint(queue, quota, table, entry, owner.clock());
        this.ring = new ChunkRing(
                control, memory, owner.sharedReserve(), footprint, meter, owner.clock(), queue.id(), attributes);
        this.unfinished = new UnfinishedMessages(control.limits().maxQueuePairs(), owner.initiators()::of);
        this.largeMessages = new LargeMessages(queue.id(), memory, footprint, unfinished, attributes);
        this.staging = new Staging(queue, footprint, unfinished);
        this.held = new HeldRecords(owner, table, entry);
        this.recovery = new HoleRecovery(control, owner.initiators(), queue.id(), attributes);
        int first = ring.chunks().announced();
        ring.fill();
        QueueHead head =
                new QueueHead(queue, owner, table, entry, ring, ring.chunks().chunk(first));
        this.walk = new RecordWalk(queue, owner, head, largeMessages, held);
    }
}
