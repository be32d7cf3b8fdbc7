package io.verbena.nic.memory;

import static io.verbena.nic.memory.ControlDescriptor.*;

import io.verbena.nic.port.PeerMemory;
import java.lang.invoke.VarHandle;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Resolves a peer's memory keys on the direct path, by the peer's key table as it is mapped here.
 *
 * <p>The caller has published the key in its in-flight slot ({@link ControlBlock#beginAccess}) before it resolves, and
 * leaves it there until the operation has ended: an entry that is valid then stays as it is.
 *
 * <p>A cursor for one thread at a time (the engine's baton); allocates nothing.
 */
public final class RemoteKeys {
    /** The range was resolved; {@link #buffer} and {@link #index} say where it is. */
    public static final int OK = 0;

    /** There is no region under that key, or it is of another protection domain. */
    public static final int NO_KEY = 1;

    /** The region lacks an access flag. */
    public static final int NO_ACCESS = 2;

    /** The range leaves the region. */
    public static final int OUT_OF_RANGE = 3;

    /** The region is in order but cannot be reached from here: the operation has to go as packets. */
    public static final int NOT_MAPPED = 4;

    private static final AtomicBuffer NOTHING = new UnsafeBuffer(new byte[0]);

    private final ControlBlock control;
    private final AtomicBuffer table;
    private final PeerMemory peer;
    private final int indexMask;
    private AtomicBuffer buffer = NOTHING;
    private int index;
    private int cachedSegmentId = -1;
    private AtomicBuffer cachedSegment = NOTHING;

    /**
     * Creates a resolver.
     *
     * @param control the peer's control block
     * @param peer the peer's segments
     */
    public RemoteKeys(ControlBlock control, PeerMemory peer) {
        this.control = control;
        this.table = control.buffer();
        this.peer = peer;
        this.indexMask = control.limits().maxKeys() - 1;
    }

    /**
     * Resolves a range of a peer's region.
     *
     * @param key the remote key, any value
     * @param pd protection domain of the peer's queue pair
     * @param offset in the region, any value
     * @param length in bytes, any value
     * @param neededAccess flags of {@link Access}
     * @return {@link #OK}, {@link #NO_KEY}, {@link #NO_ACCESS}, {@link #OUT_OF_RANGE} or {@link #NOT_MAPPED}
     */
    public int resolve(int key, int pd, long offset, long length, int neededAccess) {
        int entry = control.keyOffset(key & indexMask);
        if (key == 0 || table.getIntVolatile(entry + KEY_OFFSET) != key) {
            return NO_KEY;
        }
        int access = table.getInt(entry + KEY_ACCESS_OFFSET);
        int segmentId = table.getInt(entry + KEY_SEGMENT_OFFSET);
        int regionPd = table.getInt(entry + KEY_PD_OFFSET);
        long segmentOffset = table.getLong(entry + KEY_SEGMENT_POSITION_OFFSET);
        long regionLength = table.getLong(entry + KEY_LENGTH_OFFSET);
        VarHandle.loadLoadFence();
        if (table.getInt(entry + KEY_OFFSET) != key || regionPd != pd) {
            return NO_KEY;
        }
        if ((access & neededAccess) != neededAccess) {
            return NO_ACCESS;
        }
        if (!MemoryRegion.contains(offset, length, regionLength)) {
            return OUT_OF_RANGE;
        }
        AtomicBuffer segment = segmentId == cachedSegmentId ? cachedSegment : segment(segmentId);
        if (segment == null || !MemoryRegion.contains(segmentOffset, regionLength, segment.capacity())) {
            return NOT_MAPPED;
        }
        buffer = segment;
        index = (int) (segmentOffset + offset);
        return OK;
    }

    private @Nullable AtomicBuffer segment(int segmentId) {
        AtomicBuffer segment = segmentId < 0 ? null : peer.segment(segmentId);
        if (segment != null) {
            cachedSegmentId = segmentId;
            cachedSegment = segment;
        }
        return segment;
    }

    /** Forgets a segment, which is about to be unmapped. No range in it is in use. */
    public void forget(AtomicBuffer segment) {
        if (cachedSegment == segment) {
            cachedSegmentId = -1;
            cachedSegment = NOTHING;
        }
        if (buffer == segment) {
            buffer = NOTHING;
        }
    }

    /** The segment of the last range that was resolved. */
    public AtomicBuffer buffer() {
        return buffer;
    }

    /** Index in {@link #buffer} of the last range that was resolved. */
    public int index() {
        return index;
    }
}
