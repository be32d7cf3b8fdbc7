package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.*;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.memory.ControlLimits;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;

/**
 * What a queue needs beside its consumers: holes recovered, drained chunks recycled, clean ones announced, large
 * messages served, surplus given back, and in the end everything.
 *
 * <p>Concurrency: a try-flag keeps the allocator and a consumer that helps it apart; who does not get it goes on. Only
 * the allocator makes and releases mappings, one chunk a turn, so that it is with every queue soon.
 */
final class QueueMaintenance {

    private static final VarHandle BUSY;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(QueueMaintenance.class, "busy", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AppendQueue queue;
    private final TailPointerTable owner;
    private final AtomicBuffer table;
    private final ControlLimits limits;
    private final int queueOffset;
    private final Footprint footprint;
    private final ChunkRing ring;
    private final LargeMessages largeMessages;
    private final Staging staging;
    private final QueueMeter meter;
    private final HoleRecovery recovery;
    private final Dismantling dismantling;

    @SuppressWarnings("unused")
    private volatile boolean busy;

    private volatile boolean modified; // since this has looked
    private AppendQueueAttributes attributes;
    private final Shortage shortage;
    private long surplusLook;
    private final Watermark watermark;
    private long claimedBytes;
    private long claimedUpTo;

    QueueMaintenance(
            AppendQueue queue,
            TailPointerTable owner,
            ControlBlock control,
            AppendQueueAttributes attributes,
            QueueParts parts,
            long now) {
        this.queue = queue;
        this.owner = owner;
        this.table = control.buffer();
        this.queueOffset = control.queueOffset(queue.id());
        this.limits = control.limits();
        this.attributes = attributes;
        this.footprint = parts.footprint;
        this.ring = parts.ring;
        this.largeMessages = parts.largeMessages;
        this.staging = parts.staging;
        this.meter = parts.meter;
        this.recovery = parts.recovery;
        this.dismantling = new Dismantling(queue, owner, parts);
        this.shortage = new Shortage(queue, owner, table, queueOffset);
        this.surplusLook = now;
        this.watermark = new Watermark(attributes.lowWatermark());
        this.claimedUpTo = table.getLong(queueOffset + HEAD_OFFSET);
    }

    /** The attributes were changed. Any thread. */
    void modified() {
        modified = true;
        owner.wakeAllocator();
    }

    /** Whether the queue was destroyed and all its memory has been given back. */
    boolean isFreed() {
        return dismantling.isFreed();
    }

    /**
     * One turn.
     *
     * @param now in nanoseconds
     * @param zeroBudget most bytes to zero
     * @param mayAllocate whether mappings may be made and released
     * @return work done, 0 if none, or if another thread is at it
     */
    int run(long now, int zeroBudget, boolean mayAllocate) {
        if (busy || !BUSY.compareAndSet(this, false, true)) {
            return 0;
        }
        try {
            return queue.isDestroyed() ? dismantling.run(now) : serve(now, zeroBudget, mayAllocate);
        } finally {
            BUSY.setRelease(this, false);
        }
    }

    private void applyModified() {
        modified = false; // first: what is changed meanwhile is taken over the next time
        attributes = queue.attributes();
        ring.size(attributes.reserveChunks(), attributes.activeChunks(), attributes.sharesReserve());
        watermark.set(attributes.lowWatermark());
        recovery.timeout(attributes.holeTimeoutNanos());
        largeMessages.surplus(attributes.surplusNanos());
    }

    private int serve(long now, int zeroBudget, boolean mayAllocate) {
        if (modified) {
            applyModified();
        }
        long head = table.getLongVolatile(queueOffset + HEAD_OFFSET);
        int headSequence = sequence(head);
        long tail = table.getLongVolatile(queueOffset + TAIL_OFFSET);
        if (offset(tail) == GONE) {
            return 0;
        }
        if (!isTail(tail, headSequence)) {
            queue.corrupted("tail at " + offset(tail) + " of chunk " + sequence(tail) + ", head in chunk "
                    + headSequence + ", announced up to " + ring.chunks().announced());
            return 0;
        }
        if (mayAllocate) {
            measure(head, tail, now);
        }
        boolean hadToRest = ring.mayRest();
        int work = 0;
        if (recovery.recover(head, tail, ring, now) > 0) {
            work++;
            owner.wakeEngine(queue.engine());
        }
        int tailSequence = sequence(tail) - headSequence < 0 ? headSequence : sequence(tail);
        watch(tail);
        work += ring.retire(headSequence);
        work += ring.replenish(tailSequence, zeroBudget, mayAllocate);
        work += largeMessages.maintain(now, mayAllocate);
        if (mayAllocate) {
            work += staging.serve(now, attributes.surplusNanos());
            boolean refused = footprint.takeRefused();
            shortage.note(refused, head == tail, ring.chunks().announced(), now);
            if (refused) {
                ring.releaseFree();
                work += staging.release() + (largeMessages.giveBackOne() ? 1 : 0);
            } else if (now - surplusLook >= attributes.surplusNanos()) {
                surplusLook = now;
                ring.releaseSurplus(head, tail);
                work += staging.trim() + (largeMessages.trim() ? 1 : 0);
            }
            work += ring.releaseOne(tailSequence);
            if (!hadToRest && ring.mayRest()) {
                owner.wakeEngine(queue.engine()); // its consumer finds nothing, and lets the queue rest
            }
        }
        return work;
    }

    /**
     * Whether a tail, which anybody may write who has the queue mapped, lies in an announced chunk that the head has
     * not left.
     */
    private boolean isTail(long tail, int headSequence) {
        int chunkLength = attributes.chunkLength();
        int offset = offset(tail);
        int ahead =
                sequence(tail) - headSequence; // -1: the head has left a full chunk, which the tail is at the end of
        return offset >= 0
                && offset <= chunkLength
                && (offset & RecordDescriptor.ALIGNMENT - 1) == 0
                && (ahead >= 0 || (ahead == -1 && offset == chunkLength))
                && sequence(tail) - ring.chunks().announced() < 0;
    }

    /** Samples what is there to be seen, and sizes the queue by it if it is to be sized so. */
    private void measure(long head, long tail, long now) {
        AppendQueueAttributes is = attributes;
        int chunkLength = is.chunkLength();
        claimedBytes += distance(claimedUpTo, tail, chunkLength);
        claimedUpTo = tail;
        long depth = Math.max(0, distance(head, tail, chunkLength));
        meter.sample(now, claimedBytes, table.getLongVolatile(queueOffset + RECORDS_OFFSET), depth);
        if (is.measured() && meter.peakBytesPerSecond() > 0) {
            int longest = is.recordLimit();
            long rate = (long) Math.ceil(meter.peakBytesPerSecond());
            int reserve = QueueSizing.reserveChunks((double) rate, meter.allocationP99(), chunkLength, longest);
            int active = QueueSizing.chunks((long) Math.ceil(meter.meanDepth()), chunkLength, longest);
            int most = is.mostChunks(limits);
            reserve = Math.min(reserve, most - 1);
            ring.size(reserve, Math.min(active, most - reserve), false);
            watermark.set((reserve - 1L) * chunkLength);
        }
    }

    private void watch(long tail) {
        long free = distance(tail, position(ring.chunks().announced(), 0), attributes.chunkLength());
        if (watermark.isCrossed(free)) {
            table.putLongRelease(queueOffset + WATERMARK_OFFSET, table.getLong(queueOffset + WATERMARK_OFFSET) + 1);
            owner.belowWatermark(queue);
        }
    }

    /** A number of free bytes, and whether there were fewer at the last look. */
    private static final class Watermark {
        private long low;
        private boolean below;

        Watermark(long low) {
            this.low = low;
        }

        void set(long bytes) {
            low = bytes;
        }

        /** Whether the free bytes have fallen below it since the last look. */
        boolean isCrossed(long free) {
            boolean was = below;
            below = free < low;
            return below && !was;
        }
    }
}
