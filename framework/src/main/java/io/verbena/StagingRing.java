package io.verbena;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.MemoryRegion;
import java.util.Arrays;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory in which a channel keeps messages until the peer has acknowledged them: a ring, and for a message
 * above half of it a region of its own. What a request used is free when the request is complete, which the send ring's
 * count of outstanding requests tells: no completion is needed for it.
 *
 * <p>Used by the channel's thread. Memory is allocated when it is first needed.
 */
final class StagingRing {
    /** Regions of their own that a channel may hold at a time. */
    static final int MAX_LARGE = 4;

    private final ProtectionDomain pd;
    private final int capacity;
    private final int access;
    private @Nullable MemoryRegion ring;
    private @Nullable MemoryRegion spare;
    private long head; // claimed up to here
    private long tail; // free up to here

    // Requests that hold memory, oldest first: the request's number, and the ring's tail when it is complete.
    private final long[] requests;
    private final long[] ends;
    private final @Nullable MemoryRegion[] regions;
    private final int mask;
    private int first;
    private int count;
    private int large;

    // The last claim.
    private @Nullable MemoryRegion claimed;
    private int claimedOffset;
    private long claimedEnd;

    /**
     * Creates a ring.
     *
     * @param access what the NIC may do with it: 0 to send from it, LOCAL_WRITE to write to it
     */
    StagingRing(ProtectionDomain pd, int capacity, int sendDepth, int access) {
        this.pd = pd;
        this.capacity = capacity;
        this.access = access;
        this.requests = new long[sendDepth];
        this.ends = new long[sendDepth];
        this.regions = new MemoryRegion[sendDepth];
        this.mask = sendDepth - 1;
    }

    /** Frees what requests below a number used. */
    void complete(long completed) {
        while (count > 0 && requests[first] < completed) {
            MemoryRegion region = regions[first];
            if (region == null) {
                tail = ends[first];
            } else {
                regions[first] = null;
                large--;
                giveBack(region);
            }
            first = (first + 1) & mask;
            count--;
        }
        if (count == 0) { // the next one finds what the last one left in a near cache
            head = 0;
            tail = 0;
        }
    }

    private void giveBack(MemoryRegion region) {
        MemoryRegion kept = spare;
        if (large == 0 && (kept == null || kept.length() < region.length())) {
            spare = region;
            if (kept != null) {
                pd.deregister(kept);
            }
        } else {
            pd.deregister(region);
        }
    }

    /** Frees what is kept for the next long message, when none is under way. */
    void trim() {
        MemoryRegion kept = spare;
        if (kept != null) {
            spare = null;
            pd.deregister(kept);
        }
    }

    /** Claims memory for a message. @return false if there is no room now */
    boolean claim(int length) {
        return length > capacity / 2 ? claimLarge(length) : claimRing(length);
    }

    private boolean claimRing(int length) {
        MemoryRegion memory = ring;
        if (memory == null) {
            memory = pd.allocate(capacity, access);
            ring = memory;
        }
        int at = (int) (head & (capacity - 1));
        long start = at + length > capacity ? head + capacity - at : head;
        long end = start + BitUtil.align(length, 8);
        if (end - tail > capacity) {
            return false;
        }
        claimed = memory;
        claimedOffset = (int) (start & (capacity - 1));
        claimedEnd = end;
        return true;
    }

    private boolean claimLarge(int length) {
        if (large == MAX_LARGE) {
            return false;
        }
        MemoryRegion kept = spare;
        if (kept != null && kept.length() >= length) {
            spare = null;
            claimed = kept;
        } else {
            claimed = pd.allocate(length, access);
        }
        claimedOffset = 0;
        claimedEnd = -1;
        return true;
    }

    private MemoryRegion claimed() {
        MemoryRegion region = claimed;
        if (region == null) {
            throw new IllegalStateException("nothing is claimed");
        }
        return region;
    }

    AtomicBuffer buffer() {
        return claimed().buffer();
    }

    int offset() {
        return claimedOffset;
    }

    int key() {
        return claimed().key();
    }

    /** The claim belongs to a request. */
    void commit(long request) {
        MemoryRegion region = claimed();
        int last = (first + count++) & mask;
        requests[last] = request;
        if (claimedEnd >= 0) {
            head = claimedEnd;
            ends[last] = claimedEnd;
        } else {
            regions[last] = region;
            large++;
        }
        claimed = null;
    }

    /** The claim is not needed. */
    void abort() {
        MemoryRegion region = claimed();
        claimed = null;
        if (claimedEnd < 0) {
            giveBack(region);
        }
    }

    /** Gives all memory back. Nobody may use it any more. */
    void close() {
        for (int i = 0; i < count; i++) {
            MemoryRegion region = regions[(first + i) & mask];
            if (region != null) {
                pd.deregister(region);
            }
        }
        Arrays.fill(regions, null);
        count = 0;
        trim();
        MemoryRegion memory = ring;
        if (memory != null) {
            ring = null;
            pd.deregister(memory);
        }
    }
}
