package io.verbena.path;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.MemoryRegion;
import io.verbena.nic.port.MemoryExhaustedException;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory in which a channel keeps messages until the peer has acknowledged them: a ring, and for a message
 * above a quarter of it a region of its own. What a request used is free when the request is complete, which the send
 * ring's count of outstanding requests tells: no completion is needed for it.
 *
 * <p>Used by the channel's thread. Memory is allocated when it is first needed, and given back when the channel has
 * been idle.
 */
public final class StagingRing {
    /** Regions of their own that a channel may hold at a time. */
    static final int MAX_LARGE = 4;

    private static final long NO_RING = -1;
    private static final long[] NO_NUMBERS = {};
    private static final @Nullable MemoryRegion[] NO_REGIONS = {};

    private final ProtectionDomain pd;
    private final int access;
    private int capacity;
    private @Nullable MemoryRegion ring;
    private @Nullable MemoryRegion spare;
    private long head; // claimed up to here
    private long tail; // free up to here

    // Requests that hold memory, oldest first: the request's number, where it lies, and the ring's tail when it is
    // complete. Made for the first of them.
    private long[] requests = NO_NUMBERS;
    private long[] ends = NO_NUMBERS; // NO_RING for a region of its own
    private @Nullable MemoryRegion[] regions = NO_REGIONS;
    private int mask;
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
    public StagingRing(ProtectionDomain pd, int capacity, int sendDepth, int access) {
        this.pd = pd;
        this.capacity = capacity;
        this.access = access;
        this.mask = sendDepth - 1;
    }

    /** Frees what requests below a number used. */
    public void complete(long completed) {
        while (count > 0 && requests[first] < completed) {
            MemoryRegion region = regions[first];
            long end = ends[first];
            regions[first] = null;
            first = (first + 1) & mask;
            count--;
            if (end == NO_RING) {
                large--;
                giveBack(region);
            } else if (region == ring) {
                tail = end;
            } else if (!holdsAny(region)) {
                pd.deregister(region); // the ring before this one
            }
        }
        if (count == 0) { // the next one finds what the last one left in a near cache
            head = 0;
            tail = 0;
        }
    }

    private boolean holdsAny(MemoryRegion region) {
        for (int i = 0; i < count; i++) {
            if (regions[(first + i) & mask] == region) {
                return true;
            }
        }
        return false;
    }

    /** Bytes of the ring. */
    public int capacity() {
        return capacity;
    }

    /**
     * Makes it larger: a new ring, and what the old one holds stays there until it is complete. Nothing is claimed now.
     *
     * @param bytes of the ring, a power of two
     * @return false if the tenant may not have as much memory, or there is none: nothing has changed then
     */
    public boolean grow(int bytes) {
        MemoryRegion made = allocated(bytes, true);
        if (made == null) {
            return false;
        }
        MemoryRegion old = ring;
        ring = made;
        head = 0;
        tail = 0;
        capacity = bytes;
        if (old != null && !holdsAny(old)) {
            pd.deregister(old);
        }
        return true;
    }

    /** Follows a send ring that holds another number of requests now, a power of two, and not fewer than there are. */
    public void resize(int sendDepth) {
        if (count > 0) {
            makeRoom(sendDepth);
        } else {
            requests = NO_NUMBERS;
            ends = NO_NUMBERS;
            regions = NO_REGIONS;
        }
        first = 0;
        mask = sendDepth - 1;
    }

    private void makeRoom(int sendDepth) {
        long[] numbers = new long[sendDepth];
        long[] tails = new long[sendDepth];
        MemoryRegion[] places = new MemoryRegion[sendDepth];
        for (int i = 0; i < count; i++) {
            int at = (first + i) & mask;
            numbers[i] = requests[at];
            tails[i] = ends[at];
            places[i] = regions[at];
        }
        requests = numbers;
        ends = tails;
        regions = places;
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

    /**
     * Gives all memory back that no request needs, and begins again with a length and a depth when the next message
     * comes. Nothing is claimed, and nothing under way.
     */
    public void giveBack(int bytes, int sendDepth) {
        free();
        capacity = bytes;
        resize(sendDepth);
    }

    private void free() {
        complete(Long.MAX_VALUE);
        MemoryRegion kept = spare;
        if (kept != null) {
            spare = null;
            pd.deregister(kept);
        }
        MemoryRegion memory = ring;
        if (memory != null) {
            ring = null;
            pd.deregister(memory);
        }
    }

    /**
     * Claims memory for a message.
     *
     * @return false if there is no room now, or the tenant may not have more memory now
     * @throws MemoryExhaustedException if the tenant may never have as much; or if there is none, and no request is
     *     under way whose end would make room
     */
    public boolean claim(int length) {
        return length > capacity / 4 ? claimLarge(length) : claimRing(length);
    }

    private boolean claimRing(int length) {
        MemoryRegion memory = ring;
        if (memory == null) {
            memory = allocated(capacity, count > 0);
            if (memory == null) {
                return false;
            }
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
            MemoryRegion made = allocated(length, count > 0);
            if (made == null) {
                return false;
            }
            claimed = made;
        }
        claimedOffset = 0;
        claimedEnd = NO_RING;
        return true;
    }

    /**
     * Allocates memory.
     *
     * @param mayWait whether a sender gets on without it
     * @return null if it cannot be had now
     */
    private @Nullable MemoryRegion allocated(int length, boolean mayWait) {
        try {
            return pd.tryAllocate(length, access);
        } catch (MemoryExhaustedException e) {
            if (mayWait) {
                return null;
            }
            throw e;
        }
    }

    private MemoryRegion claimed() {
        MemoryRegion region = claimed;
        if (region == null) {
            throw new IllegalStateException("nothing is claimed");
        }
        return region;
    }

    /** The memory of the claim. */
    public AtomicBuffer buffer() {
        return claimed().buffer();
    }

    /** Where it begins there. */
    public int offset() {
        return claimedOffset;
    }

    /** Its local key. */
    public int key() {
        return claimed().key();
    }

    /** The claim belongs to a request. */
    public void commit(long request) {
        MemoryRegion region = claimed();
        if (requests.length == 0) {
            makeRoom(mask + 1);
        }
        int last = (first + count++) & mask;
        requests[last] = request;
        regions[last] = region;
        ends[last] = claimedEnd;
        if (claimedEnd == NO_RING) {
            large++;
        } else {
            head = claimedEnd;
        }
        claimed = null;
    }

    /** The claim is not needed. */
    public void abort() {
        MemoryRegion region = claimed();
        claimed = null;
        if (claimedEnd == NO_RING) {
            giveBack(region);
        }
    }

    /** Gives all memory back. Nobody may use it any more. */
    public void close() {
        free();
    }
}
