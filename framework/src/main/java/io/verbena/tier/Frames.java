package io.verbena.tier;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Local memory for pages: direct, off-heap, in frames of a page each.
 *
 * <p>Thread-safe. The bytes of a frame and its number's place in {@code pages} are guarded by the lock of the block
 * that owns it; a frame without an owner belongs to the thread that took it. What says whether a frame was used is a
 * hint, and races.
 */
final class Frames {
    /** No frame. */
    static final int NONE = -1;

    private static final int SLAB = 4 << 20;

    private final int pageLength;
    private final int slabShift; // frames of a slab
    private final UnsafeBuffer[] slabs;
    private final AtomicReferenceArray<Block> owners;
    private final int[] pages;
    private final byte[] referenced;
    private final byte[] ahead; // read ahead, and not asked for yet
    private final int[] free; // under this
    private int freeCount;
    private final AtomicLong changes = new AtomicLong();
    private final Waiters waiters = new Waiters();

    Frames(int count, int pageLength) {
        this.pageLength = pageLength;
        this.slabShift = Integer.numberOfTrailingZeros(Math.max(1, SLAB / pageLength));
        this.owners = new AtomicReferenceArray<>(count);
        this.pages = new int[count];
        this.referenced = new byte[count];
        this.ahead = new byte[count];
        this.free = new int[count];
        this.freeCount = count;
        for (int i = 0; i < count; i++) {
            free[i] = count - 1 - i;
        }
        int perSlab = 1 << slabShift;
        this.slabs = new UnsafeBuffer[(count + perSlab - 1) / perSlab];
        for (int i = 0; i < slabs.length; i++) {
            int frames = Math.min(perSlab, count - i * perSlab);
            slabs[i] = new UnsafeBuffer(ByteBuffer.allocateDirect(frames * pageLength));
        }
    }

    int count() {
        return free.length;
    }

    /** Takes a free frame. @return its number, or {@link #NONE} */
    synchronized int take() {
        return freeCount == 0 ? NONE : free[--freeCount];
    }

    /** Gives a frame back that has no owner. */
    void give(int frame) {
        synchronized (this) {
            free[freeCount++] = frame;
        }
        changed();
    }

    synchronized int freeCount() {
        return freeCount;
    }

    /** A frame is free, or can be. */
    void changed() {
        changes.incrementAndGet();
        waiters.wake();
    }

    /** Counts the calls of {@link #changed}. */
    long changes() {
        return changes.get();
    }

    Waiters waiters() {
        return waiters;
    }

    // ---- owners -----------------------------------------------------------------------------------------------------

    /** Gives a frame to a page of a block, which holds its lock. */
    void own(int frame, Block block, int page) {
        pages[frame] = page;
        referenced[frame] = 1;
        ahead[frame] = 0;
        owners.set(frame, block);
    }

    /** Takes it from its owner, who holds its lock. */
    void disown(int frame) {
        owners.set(frame, null);
    }

    @Nullable
    Block owner(int frame) {
        return owners.get(frame);
    }

    /** The page that has the frame, for its owner under its lock. */
    int page(int frame) {
        return pages[frame];
    }

    // ---- use --------------------------------------------------------------------------------------------------------

    /** Notes that a frame was used. @return whether it was read ahead, and this is the first use */
    boolean touch(int frame) {
        if (referenced[frame] == 0) {
            referenced[frame] = 1;
        }
        if (ahead[frame] == 0) {
            return false;
        }
        ahead[frame] = 0;
        return true;
    }

    /** Notes that a frame was read ahead. */
    void markAhead(int frame) {
        ahead[frame] = 1;
    }

    boolean isReferenced(int frame) {
        return referenced[frame] != 0;
    }

    void clearReference(int frame) {
        referenced[frame] = 0;
    }

    // ---- bytes ------------------------------------------------------------------------------------------------------

    /** The buffer that a frame is in. */
    UnsafeBuffer buffer(int frame) {
        return slabs[frame >>> slabShift];
    }

    /** The place of a frame in its buffer. */
    int index(int frame) {
        return (frame & ((1 << slabShift) - 1)) * pageLength;
    }

    void read(int frame, int from, MutableDirectBuffer target, int index, int length) {
        target.putBytes(index, buffer(frame), index(frame) + from, length);
    }

    void write(int frame, int from, DirectBuffer source, int index, int length) {
        buffer(frame).putBytes(index(frame) + from, source, index, length);
    }

    void zero(int frame) {
        buffer(frame).setMemory(index(frame), pageLength, (byte) 0);
    }
}
