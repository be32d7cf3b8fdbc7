package io.verbena.nic.memory;

import static io.verbena.nic.memory.ControlDescriptor.*;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A NIC's memory keys. A key is {@code tag << indexBits | index}, the tag random and never 0 and never the one before
 * at that index, so that a stale key is refused.
 *
 * <p>Concurrency: {@link #register}, {@link #deregister} and the allocation of windows take a lock (control path).
 * {@link #find} and {@link #findRemote} are lock-free and allocation-free, from any thread. {@link #bind} and
 * {@link #invalidate} are for the baton.
 */
public final class MemoryTable {
    private static final VarHandle REGION = MethodHandles.arrayElementVarHandle(MemoryRegion[].class);
    private static final VarHandle WINDOW = MethodHandles.arrayElementVarHandle(MemoryWindow[].class);

    private final ControlBlock control;
    private final AtomicBuffer buffer;
    private final NanoClock clock;
    private final long deregisterTimeoutNanos;
    private final int indexBits;
    private final int indexMask;
    private final @Nullable MemoryRegion[] regions;
    private final @Nullable MemoryWindow[] windows; // at indexes where there is no region
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
        this(control, clock, deregisterTimeoutNanos, new SecureRandom()::nextLong);
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
        this.windows = new MemoryWindow[maxKeys];
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
        check(memory, segmentId, segmentOffset, length, access, pd);
        int index = takeIndex();
        MemoryRegion region = new MemoryRegion(memory, newKey(index), segmentId, segmentOffset, length, access, pd);
        publish(index, region);
        return region;
    }

    /**
     * Registers a region anew ({@code ibv_rereg_mr(3)}): other memory, access or protection domain, and another key.
     * The old key is invalid at once; operations that direct initiators have in flight under it are waited for, a
     * bounded time.
     *
     * @param region of this table
     * @param memory as for {@link #register}, like all that follows
     * @return the region as it is now, or null if one of those operations has not ended: then the old region is valid
     *     again, under its old key, and nothing has changed
     * @throws IllegalStateException if the region is not registered (any more), or (EBUSY) if windows are bound to it
     */
    public synchronized @Nullable MemoryRegion reregister(
            MemoryRegion region,
            AtomicBuffer memory,
            int segmentId,
            long segmentOffset,
            long length,
            int access,
            int pd) {
        check(memory, segmentId, segmentOffset, length, access, pd);
        int index = end(region);
        if (!awaitIdle(region.key())) {
            region.unretire();
            publish(index, region);
            return null;
        }
        MemoryRegion anew = new MemoryRegion(memory, newKey(index), segmentId, segmentOffset, length, access, pd);
        publish(index, anew);
        return anew;
    }

    private static void check(AtomicBuffer memory, int segmentId, long segmentOffset, long length, int access, int pd) {
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
    }

    private void publish(int index, MemoryRegion region) {
        int entry = control.keyOffset(index);
        buffer.putInt(entry + KEY_ACCESS_OFFSET, region.access());
        buffer.putInt(entry + KEY_SEGMENT_OFFSET, region.segmentId());
        buffer.putInt(entry + KEY_PD_OFFSET, region.pd());
        buffer.putLong(entry + KEY_SEGMENT_POSITION_OFFSET, region.segmentOffset());
        buffer.putLong(entry + KEY_LENGTH_OFFSET, region.length());
        buffer.putIntVolatile(entry + KEY_OFFSET, region.key());
        REGION.setVolatile(regions, index, region);
    }

    /** Whether there is room for another region. */
    public synchronized boolean hasRoom() {
        return freeCount > 0 || reclaim() > 0;
    }

    private int takeIndex() {
        if (!hasRoom()) {
            throw new IllegalStateException("regions and windows " + regions.length + " = maximum " + regions.length
                    + "; raise maxMemoryRegions");
        }
        return free[--freeCount];
    }

    private int newKey(int index) {
        int tag;
        int tags = 1 << (Integer.SIZE - indexBits);
        do {
            tag = 1 + (int) Long.remainderUnsigned(random.getAsLong(), tags - 1);
        } while (tag == lastTags[index]);
        lastTags[index] = tag;
        return tag << indexBits | index;
    }

    // ---- windows ----------------------------------------------------------------------------------------------------

    /**
     * Allocates a window, not bound to anything.
     *
     * @param type how it will be bound
     * @param pd protection domain
     * @throws IllegalStateException if there are maxKeys regions and windows
     */
    public synchronized MemoryWindow allocateWindow(MemoryWindow.Type type, int pd) {
        int index = takeIndex();
        MemoryWindow window = new MemoryWindow(this, type, pd, newKey(index));
        WINDOW.setVolatile(windows, index, window);
        return window;
    }

    /**
     * Frees a window; its key is invalid at once.
     *
     * @throws IllegalStateException if it is not of this table (any more)
     */
    public synchronized void deallocate(MemoryWindow window) {
        int index = window.key() & indexMask;
        if (windows[index] != window) {
            throw new IllegalStateException(window + " is not allocated here");
        }
        window.free();
        lastTags[index] = window.key() >>> indexBits;
        WINDOW.setVolatile(windows, index, (MemoryWindow) null);
        free[freeCount++] = index;
    }

    /** A new key at random for a window: for a bind by call. */
    public synchronized int newKey(MemoryWindow window) {
        if (windows[window.key() & indexMask] != window) {
            throw new IllegalStateException(window + " is not allocated here");
        }
        return newKey(window.key() & indexMask);
    }

    /** Whether two keys are of the same place in the table. */
    boolean areOfOnePlace(int key, int other) {
        return ((key ^ other) & indexMask) == 0;
    }

    /** The key with the next tag at the same index. */
    int keyAfter(int key) {
        int tag = (key >>> indexBits) + 1;
        return (tag << indexBits == 0 ? 1 : tag) << indexBits | (key & indexMask);
    }

    /**
     * Binds a window, named by its new key, to a part of a region; or a window of type 1 to nothing, with length 0.
     *
     * @param newKey the key that it will have; of type 2, other than the last
     * @param regionKey the region's local key
     * @param offset in the region
     * @param length in bytes
     * @param access what peers may do: remote flags, and those of the region permitting
     * @param pd protection domain of the queue pair
     * @param qpNumber the queue pair
     * @return false if anything of it is not in order (MW_BIND_ERR); nothing has changed then
     */
    public boolean bind(int newKey, int regionKey, long offset, long length, int access, int pd, int qpNumber) {
        MemoryWindow window = (MemoryWindow) WINDOW.getAcquire(windows, newKey & indexMask);
        if (window == null || window.pd() != pd || (access & ~Access.REMOTE) != 0 || newKey >>> indexBits == 0) {
            return false;
        }
        boolean type2 = window.type() == MemoryWindow.Type.TYPE_2;
        if (type2 && (window.isBound() || newKey == window.key())) {
            return false; // to be invalidated first, and never the same key again
        }
        if (length == 0) {
            if (!type2) {
                window.unbind();
            }
            return !type2;
        }
        MemoryRegion region = find(regionKey);
        int needed = Access.MW_BIND
                | ((access & (Access.REMOTE_WRITE | Access.REMOTE_ATOMIC)) != 0 ? Access.LOCAL_WRITE : 0);
        if (region == null || region.check(pd, offset, length, needed) != MemoryRegion.OK || !region.holdWindow()) {
            return false;
        }
        AtomicBuffer part = new UnsafeBuffer(region.buffer(), (int) offset, (int) length);
        if (type2) {
            window.key(newKey);
        }
        if (!window.bind(region, new MemoryRegion(part, newKey, -1, 0, length, access, pd), qpNumber)) {
            region.releaseWindow();
            return false;
        }
        return true;
    }

    /**
     * Makes the key of a bound window of type 2 void.
     *
     * @param key as a peer or a request names it, any value
     * @param pd protection domain of the queue pair
     * @param qpNumber the queue pair that it was bound through
     * @return false if there is no such window
     */
    public boolean invalidate(int key, int pd, int qpNumber) {
        MemoryWindow window = (MemoryWindow) WINDOW.getAcquire(windows, key & indexMask);
        if (window == null
                || window.type() != MemoryWindow.Type.TYPE_2
                || window.pd() != pd
                || window.view(key, qpNumber) == null) {
            return false;
        }
        window.unbind();
        return true;
    }

    /**
     * Finds what a peer's request names: a region, or the bound part of a window.
     *
     * @param key any value
     * @param qpNumber queue pair that the request came to
     * @return null if there is none that this queue pair reaches
     */
    public @Nullable MemoryRegion findRemote(int key, int qpNumber) {
        MemoryRegion region = find(key);
        if (region != null) {
            return region;
        }
        MemoryWindow window = (MemoryWindow) WINDOW.getAcquire(windows, key & indexMask);
        return window == null ? null : window.view(key, qpNumber);
    }

    // ---- regions ----------------------------------------------------------------------------------------------------

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
     * waited for, a bounded time. The NIC's own look-ups and those of peers with the direct path each lose the key in
     * one step, but not in the same: until this returns, a peer may still reach what {@link #find} finds no more.
     *
     * @param region of this table
     * @return whether its memory is free, or must be set aside until {@link #isSettled}
     * @throws IllegalStateException if the region is not registered (any more), or (EBUSY) if windows are bound to it
     */
    public synchronized DeregisterResult deregister(MemoryRegion region) {
        int index = end(region);
        if (!awaitIdle(region.key())) {
            busy.add(region);
            return DeregisterResult.BUSY;
        }
        free[freeCount++] = index;
        return DeregisterResult.DONE;
    }

    /** Makes a region's key invalid; its index stays taken. */
    private int end(MemoryRegion region) {
        int index = region.key() & indexMask;
        if (regions[index] != region) {
            throw new IllegalStateException(region + " is not registered here");
        }
        if (!region.retire()) {
            throw new IllegalStateException(
                    region + " is busy (EBUSY): " + region.windows() + " windows are bound to it");
        }
        REGION.setVolatile(regions, index, (MemoryRegion) null);
        buffer.putIntVolatile(control.keyOffset(index) + KEY_OFFSET, 0);
        VarHandle.fullFence();
        return index;
    }

    private boolean awaitIdle(int key) {
        long start = clock.nanoTime();
        while (control.isKeyInFlight(key)) {
            if (clock.nanoTime() - start >= deregisterTimeoutNanos) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
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

    /** Regions that are registered, and windows that are allocated. */
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
