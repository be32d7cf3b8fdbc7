package io.verbena.nic.memory;

import static io.verbena.nic.memory.ControlDescriptor.*;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * A NIC's memory keys. A key is {@code tag << indexBits | index}, the tag random and never 0 and never the one before at
 * that index, so that a stale key is refused.
 *
 * <p>Concurrency: {@link #register} and {@link #deregister} take a lock (control path). {@link #find} is lock-free and
 * allocation-free, from any thread.
 */
public final class MemoryTable {
    private static final VarHandle REGION = MethodHandles.arrayElementVarHandle(MemoryRegion[].class);

    private final ControlBlock control;
    private final AtomicBuffer buffer;
    private final NanoClock clock;
    private final long deregisterTimeoutNanos;
    private final int indexBits;
    private final int indexMask;
    private final @Nullable MemoryRegion[] regions;
    private final int[] lastTags;
    private final int[] free;
    private final List<MemoryRegion> busy = new ArrayList<>();
    private final LongSupplier random;
    private int freeCount;

    /**
     * Creates an empty table whose tags nobody can guess.
     *
     * @param control the NIC's own control block
     * @param clock for the wait of {@link #deregister}
     * @param deregisterTimeoutNanos how long that wait may last, at least 0
     */
    public MemoryTable(ControlBlock control, NanoClock clock, long deregisterTimeoutNanos) {
        this(control, clock, deregisterTimeoutNanos, new SplittableRandom(new SecureRandom().nextLong())::nextLong);
    }

    /**
     * Creates an empty table.
     *
     * @param control the NIC's own control block
     * @param clock for the wait of {@link #deregister}
     * @param deregisterTimeoutNanos how long that wait may last, at least 0
     * @param random what tags are drawn from
     */
    public MemoryTable(ControlBlock control, NanoClock clock, long deregisterTimeoutNanos, LongSupplier random) {
        if (deregisterTimeoutNanos < 0) {
            throw new IllegalArgumentException("deregister timeout " + deregisterTimeoutNanos + " ns < minimum 0");
        }
        this.control = control;
        this.buffer = control.buffer();
        this.clock = clock;
        this.deregisterTimeoutNanos = deregisterTimeoutNanos;
        int maxKeys = control.limits().maxKeys();
        this.indexBits = Integer.numberOfTrailingZeros(maxKeys);
        this.indexMask = maxKeys - 1;
        this.regions = new MemoryRegion[maxKeys];
        this.lastTags = new int[maxKeys];
        this.free = new int[maxKeys];
        for (int i = 0; i < maxKeys; i++) {
            free[i] = maxKeys - 1 - i;
        }
        this.freeCount = maxKeys;
        this.random = random;
    }

    /**
     * Registers memory.
     *
     * @param memory the region's bytes, index 0 first; at least {@code length} long
     * @param segmentId segment of the NIC's provider in which it lies, or -1 if peers cannot map it
     * @param segmentOffset where it begins in that segment
     * @param length bytes, at least 1
     * @param access flags of {@link Access}
     * @param pd protection domain, 0 to {@link QueuePairWord#MAX_PD}
     * @return the region
     * @throws IllegalArgumentException if an argument is out of range; names both values
     * @throws IllegalStateException if there are maxKeys regions
     */
    public synchronized MemoryRegion register(
            AtomicBuffer memory, int segmentId, long segmentOffset, long length, int access, int pd) {
        Access.checked(access);
        if (length < 1 || length > memory.capacity()) {
            throw new IllegalArgumentException(
                    "length " + length + " outside 1 to the buffer's " + memory.capacity() + " bytes");
        }
        if (pd < 0 || pd > QueuePairWord.MAX_PD) {
            throw new IllegalArgumentException("protection domain " + pd + " outside 0 to " + QueuePairWord.MAX_PD);
        }
        if (segmentId < -1 || segmentOffset < 0 || segmentOffset > Integer.MAX_VALUE - length) {
            throw new IllegalArgumentException("segment " + segmentId + ", offset " + segmentOffset + ", length "
                    + length + ": id < -1 or end > " + Integer.MAX_VALUE);
        }
        if (freeCount == 0 && reclaim() == 0) {
            throw new IllegalStateException("registered regions " + regions.length + " = maximum " + regions.length
                    + "; raise ControlLimits.maxKeys");
        }
        int index = free[--freeCount];
        int tag;
        int tags = 1 << (Integer.SIZE - indexBits);
        do {
            tag = 1 + (int) Long.remainderUnsigned(random.getAsLong(), tags - 1);
        } while (tag == lastTags[index]);
        lastTags[index] = tag;
        int key = tag << indexBits | index;
        MemoryRegion region = new MemoryRegion(memory, key, segmentId, segmentOffset, length, access, pd);
        int entry = control.keyOffset(index);
        buffer.putInt(entry + KEY_ACCESS_OFFSET, access);
        buffer.putInt(entry + KEY_SEGMENT_OFFSET, segmentId);
        buffer.putInt(entry + KEY_PD_OFFSET, pd);
        buffer.putLong(entry + KEY_SEGMENT_POSITION_OFFSET, segmentOffset);
        buffer.putLong(entry + KEY_LENGTH_OFFSET, length);
        buffer.putIntVolatile(entry + KEY_OFFSET, key);
        REGION.setVolatile(regions, index, region);
        return region;
    }

    /**
     * Finds a region.
     *
     * @param key as a peer or a work request names it, any value
     * @return the region, or null if there is none under this key
     */
    public @Nullable MemoryRegion find(int key) {
        MemoryRegion region = (MemoryRegion) REGION.getAcquire(regions, key & indexMask);
        return region != null && region.key() == key ? region : null;
    }

    /**
     * Ends a region: its key is invalid at once; then operations that direct initiators have in flight under it are
     * waited for, a bounded time.
     *
     * @param region of this table
     * @return whether its memory is free, or must be set aside until {@link #isSettled}
     * @throws IllegalStateException if the region is not registered (any more)
     */
    public synchronized DeregisterResult deregister(MemoryRegion region) {
        int index = region.key() & indexMask;
        if (regions[index] != region) {
            throw new IllegalStateException(region + " is not registered here");
        }
        REGION.setVolatile(regions, index, (MemoryRegion) null);
        buffer.putIntVolatile(control.keyOffset(index) + KEY_OFFSET, 0);
        VarHandle.fullFence();
        long start = clock.nanoTime();
        while (control.isKeyInFlight(region.key())) {
            if (clock.nanoTime() - start >= deregisterTimeoutNanos) {
                busy.add(region);
                return DeregisterResult.BUSY;
            }
            Thread.onSpinWait();
        }
        free[freeCount++] = index;
        return DeregisterResult.DONE;
    }

    /**
     * Whether the memory of a deregistered region is free. A region that was BUSY becomes settled when the last
     * initiator has left it or is known to be gone.
     *
     * @param region that was deregistered
     */
    public synchronized boolean isSettled(MemoryRegion region) {
        reclaim();
        return regions[region.key() & indexMask] != region && !busy.contains(region);
    }

    /** Regions that were deregistered while an initiator was in the middle of an operation, and still is. */
    public synchronized int busyCount() {
        reclaim();
        return busy.size();
    }

    /** Regions that are registered. */
    public synchronized int size() {
        return regions.length - freeCount - busy.size();
    }

    private int reclaim() {
        int reclaimed = 0;
        for (int i = busy.size() - 1; i >= 0; i--) {
            MemoryRegion region = busy.get(i);
            if (!control.isKeyInFlight(region.key())) {
                busy.remove(i);
                free[freeCount++] = region.key() & indexMask;
                reclaimed++;
            }
        }
        return reclaimed;
    }
}
