package io.verbena.nic.memory;

import java.util.concurrent.atomic.AtomicInteger;
import org.agrona.concurrent.AtomicBuffer;

/**
 * A registered piece of memory (ibv_reg_mr(3)). Remote addresses are offsets into it. Immutable but for the number of
 * windows that are bound to it; safe to share.
 */
public final class MemoryRegion {
    /** The access is in order. */
    public static final int OK = 0;

    /** The region belongs to another protection domain. */
    public static final int WRONG_PD = 1;

    /** The region lacks an access flag. */
    public static final int NO_ACCESS = 2;

    /** The range leaves the region. */
    public static final int OUT_OF_RANGE = 3;

    private static final int GONE = -1;

    private final AtomicBuffer buffer;
    private final int key;
    private final int segmentId;
    private final long segmentOffset;
    private final long length;
    private final int access;
    private final int pd;
    private final AtomicInteger windows = new AtomicInteger(); // bound to it; GONE from deregistration on

    MemoryRegion(AtomicBuffer buffer, int key, int segmentId, long segmentOffset, long length, int access, int pd) {
        this.buffer = buffer;
        this.key = key;
        this.segmentId = segmentId;
        this.segmentOffset = segmentOffset;
        this.length = length;
        this.access = access;
        this.pd = pd;
    }

    /** The region's bytes; index 0 is remote address 0. */
    public AtomicBuffer buffer() {
        return buffer;
    }

    /** The key, local and remote: index and random tag, never 0. */
    public int key() {
        return key;
    }

    /** Bytes. */
    public long length() {
        return length;
    }

    /** Flags of {@link Access}. */
    public int access() {
        return access;
    }

    /** Protection domain. */
    public int pd() {
        return pd;
    }

    /** Segment in which it lies, or -1 if peers cannot map it. */
    public int segmentId() {
        return segmentId;
    }

    /** Offset of the region in its segment. */
    public long segmentOffset() {
        return segmentOffset;
    }

    /**
     * Whether a range lies within a region, for any values, also such that their sum overflows.
     *
     * @param offset of the range
     * @param length of the range
     * @param regionLength length of the region, at least 0
     */
    public static boolean contains(long offset, long length, long regionLength) {
        return length >= 0 && offset >= 0 && length <= regionLength && offset <= regionLength - length;
    }

    /**
     * Checks an access.
     *
     * @param pd protection domain of the queue pair
     * @param offset in the region
     * @param length in bytes
     * @param neededAccess flags of {@link Access} that the access needs, 0 for a local read
     * @return {@link #OK}, {@link #WRONG_PD}, {@link #NO_ACCESS} or {@link #OUT_OF_RANGE}, in this order of checks
     */
    public int check(int pd, long offset, long length, int neededAccess) {
        if (pd != this.pd) {
            return WRONG_PD;
        }
        if ((access & neededAccess) != neededAccess) {
            return NO_ACCESS;
        }
        return contains(offset, length, this.length) ? OK : OUT_OF_RANGE;
    }

    /** Memory windows that are bound to it. */
    public int windows() {
        return Math.max(0, windows.get());
    }

    /** A window is to be bound: false if the region is going. */
    boolean holdWindow() {
        for (; ; ) {
            int n = windows.get();
            if (n < 0) {
                return false;
            }
            if (windows.compareAndSet(n, n + 1)) {
                return true;
            }
        }
    }

    void releaseWindow() {
        windows.decrementAndGet();
    }

    /** No window may be bound from here on: false if one is. */
    boolean retire() {
        return windows.compareAndSet(0, GONE);
    }

    /** It was not ended after all. */
    void unretire() {
        windows.set(0);
    }

    @Override
    public String toString() {
        return "MemoryRegion{key=" + KeyText.of(key) + ", length=" + length + ", access=" + Access.describe(access)
                + ", pd=" + pd + ", segment=" + segmentId + "+" + segmentOffset + "}";
    }
}
