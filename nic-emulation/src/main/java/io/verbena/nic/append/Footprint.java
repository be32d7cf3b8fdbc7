package io.verbena.nic.append;

import static io.verbena.nic.append.AppendQueueDescriptor.ALLOCATIONS_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.FOOTPRINT_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.HIGH_WATER_OFFSET;
import static io.verbena.nic.append.AppendQueueDescriptor.RELEASES_OFFSET;

import io.verbena.nic.memory.MemoryQuota;
import io.verbena.nic.port.MemoryExhaustedException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicLong;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.NanoClock;

/**
 * Bytes that a queue has mapped, its limit, and its group's: chunks, mappings of large messages, buffers of messages in
 * parts.
 *
 * <p>Concurrency: any thread; the bytes are one word of the tail-pointer table, changed by compare-and-set.
 */
final class Footprint {
    private static final double NANOS = 1e9;
    private static final int MAX_LOOKS = 100;

    private static final VarHandle WEIGHTED;

    static {
        try {
            WEIGHTED = MethodHandles.lookup().findVarHandle(Footprint.class, "weighted", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final AppendQueue owner;
    private final MemoryQuota quota;
    private final AtomicBuffer table;
    private final int queue;
    private final NanoClock clock;
    private final long start;
    private volatile boolean refused;
    private volatile int owed; // bytes of the chunk that a queue which rests takes first
    private final AtomicLong exhaustions = new AtomicLong();

    /** The bits of a double: the sum of each change times the seconds after the start at which it came. */
    private volatile long weighted;

    Footprint(AppendQueue owner, MemoryQuota quota, AtomicBuffer table, int queueOffset, NanoClock clock) {
        this.owner = owner;
        this.quota = quota;
        this.table = table;
        this.queue = queueOffset;
        this.clock = clock;
        this.start = clock.nanoTime();
        table.putLong(queue + FOOTPRINT_OFFSET, 0);
        table.putLong(queue + HIGH_WATER_OFFSET, 0);
        table.putLong(queue + ALLOCATIONS_OFFSET, 0);
        table.putLong(queue + RELEASES_OFFSET, 0);
    }

    /**
     * Takes bytes of the limit, which is the queue's of this moment; false if they are not available. Where more is
     * mapped than a limit that was lowered, nothing is added until less is.
     */
    boolean reserve(long length) {
        if (length > limit() - table.getLongVolatile(queue + FOOTPRINT_OFFSET)) {
            refused = true;
            return false;
        }
        if (!quota.tryReserve(length)) {
            refused(quota.exhausted(length));
            return false;
        }
        boolean reserved = reserveOwn(length);
        if (!reserved) {
            quota.adjust(-length);
        }
        return reserved;
    }

    private boolean reserveOwn(long length) {
        while (true) {
            long is = table.getLongVolatile(queue + FOOTPRINT_OFFSET);
            if (length > limit() - is) {
                refused = true;
                return false;
            }
            if (table.compareAndSetLong(queue + FOOTPRINT_OFFSET, is, is + length)) {
                // Again: one that was lowered in between may have been lowered before these bytes were counted.
                if (is + length > limit()) {
                    table.getAndAddLong(queue + FOOTPRINT_OFFSET, -length);
                    refused = true;
                    return false;
                }
                changed(length, is + length);
                return true;
            }
        }
    }

    /**
     * The queue rests, and is owed a chunk of so many bytes; 0: it has one. No message may go in parts without a chunk,
     * so what messages in parts lie in leaves room for it.
     */
    void owes(int chunkLength) {
        owed = chunkLength;
    }

    /**
     * Takes the bytes of the chunk that a queue which rests is owed, whatever the limit is: it may have been lowered
     * since, below what messages in parts have, which end only if there is a chunk.
     */
    boolean reserveOwed(int chunkLength) {
        if (!quota.tryReserve(chunkLength)) {
            refused(quota.exhausted(chunkLength));
            return false;
        }
        changed(chunkLength, table.getAndAddLong(queue + FOOTPRINT_OFFSET, chunkLength) + chunkLength);
        return true;
    }

    /**
     * Reserves for a queue pair's message; room for a longest one stays if its sender has another under way already.
     */
    boolean reserveFor(int qpNumber, long length, UnfinishedMessages unfinished) {
        long free = limit() - owed - table.getLongVolatile(queue + FOOTPRINT_OFFSET);
        if (length > free) {
            refused = true;
            return false;
        }
        boolean isShort = length + owner.attributes().apart() > free;
        return !(isShort && unfinished.hasAnother(qpNumber)) && reserve(length);
    }

    /** Reserves for what nobody has asked for yet; only if a longest message finds room beside it. */
    boolean reserveSpare(long length) {
        long free = limit() - owed - table.getLongVolatile(queue + FOOTPRINT_OFFSET);
        long both = length + owner.attributes().apart();
        return both <= free && quota.hasRoom(both) && reserve(length);
    }

    private long limit() {
        return owner.attributes().memoryLimit();
    }

    /** Corrects what was reserved by what was really mapped. */
    void adjust(long difference) {
        if (difference != 0) {
            quota.adjust(difference);
            changed(difference, table.getAndAddLong(queue + FOOTPRINT_OFFSET, difference) + difference);
        }
    }

    void release(long length) {
        adjust(-length);
    }

    private void changed(long difference, long bytes) {
        long highest = table.getLongVolatile(queue + HIGH_WATER_OFFSET);
        while (bytes > highest && !table.compareAndSetLong(queue + HIGH_WATER_OFFSET, highest, bytes)) {
            highest = table.getLongVolatile(queue + HIGH_WATER_OFFSET);
        }
        double added = difference * seconds();
        long was = weighted;
        while (!WEIGHTED.compareAndSet(this, was, Double.doubleToRawLongBits(Double.longBitsToDouble(was) + added))) {
            was = weighted;
        }
    }

    private double seconds() {
        return (clock.nanoTime() - start) / NANOS;
    }

    /** Bytes mapped on average over the time since the queue was made. */
    long mean() {
        // What was changed at t has been there for now - t.
        for (int look = 1; ; look++) {
            long sum = weighted;
            long bytes = table.getLongVolatile(queue + FOOTPRINT_OFFSET);
            double now = seconds();
            boolean settled = look == MAX_LOOKS; // it is a figure for people: what moves on is nearly right too
            if (settled || (sum == weighted && bytes == table.getLongVolatile(queue + FOOTPRINT_OFFSET))) {
                return now <= 0 ? bytes : Math.round(bytes - Double.longBitsToDouble(sum) / now);
            }
        }
    }

    /** Why {@link #reserve} has refused bytes. */
    MemoryExhaustedException exhausted(long length) {
        return quota.hasRoom(length)
                ? new MemoryExhaustedException("append queue " + owner.id() + " wanted " + length
                        + " bytes over its memory limit of " + limit())
                : quota.exhausted(length);
    }

    /** A mapping was made. */
    void allocated() {
        table.getAndAddLong(queue + ALLOCATIONS_OFFSET, 1);
    }

    /** A mapping was given back. */
    void returned() {
        table.getAndAddLong(queue + RELEASES_OFFSET, 1);
    }

    /** The NIC has no memory for a mapping: what its queues share is worth giving back, too. */
    void memoryShort(MemoryExhaustedException e) {
        owner.memoryShort();
        refused(e);
    }

    /** The queue's group, or the NIC, has no memory. */
    void refused(MemoryExhaustedException e) {
        refused = true;
        exhaustions.incrementAndGet();
        owner.exhausted(e);
    }

    /** Times that the NIC's memory was exhausted. */
    long exhaustions() {
        return exhaustions.get();
    }

    /** Whether memory was refused since the last call: then unused memory is worth giving back at once. */
    boolean takeRefused() {
        boolean was = refused;
        if (was) {
            refused = false;
        }
        return was;
    }
}
