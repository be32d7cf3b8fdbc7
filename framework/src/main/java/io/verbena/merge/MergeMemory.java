package io.verbena.merge;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.agrona.concurrent.AtomicBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Where the bytes of each operation lie on this side: in a ring of registered memory, for a long one in a region of its
 * own, or in memory of the application's.
 *
 * <p>Concurrency: any thread claims, and fills what belongs to its slot; one thread at a time frees, in the order of
 * the claims. The ring is allocated with the first claim.
 */
final class MergeMemory {
    /** Regions of their own that operations may have at a time. */
    static final int MAX_LARGE = 4;

    private final ProtectionDomain pd;
    private final int capacity;
    private final int mask;
    private final ClaimRing claims;
    private volatile @Nullable MemoryRegion ring;
    private boolean closed; // under this
    private final AtomicInteger large = new AtomicInteger();
    private final AtomicReference<@Nullable MemoryRegion> spare = new AtomicReference<>();

    private final @Nullable MemoryRegion[] regions; // null: the application's
    private final int[] keys;
    private final long[] offsets;
    private final int[] ends; // in the ring of claims

    /**
     * Creates it.
     *
     * @param capacity bytes of the ring, a power of two
     * @param depth operations at a time, a power of two
     */
    MergeMemory(ProtectionDomain pd, int capacity, int depth) {
        this.pd = pd;
        this.capacity = capacity;
        this.mask = depth - 1;
        this.claims = new ClaimRing(depth, capacity);
        this.regions = new MemoryRegion[depth];
        this.keys = new int[depth];
        this.offsets = new long[depth];
        this.ends = new int[depth];
    }

    /** The claims that were made. */
    ClaimRing claims() {
        return claims;
    }

    /** The slot of a ticket. */
    int slot(int ticket) {
        return ticket & mask;
    }

    // ---- any thread -------------------------------------------------------------------------------------------------

    /**
     * Claims a slot and memory.
     *
     * @return the claim, or {@link ClaimRing#FULL} or {@link ClaimRing#CLOSED}
     * @throws io.verbena.nic.port.MemoryExhaustedException if the tenant may never have as much, or there is none
     */
    long claim(int length) {
        return length > capacity / 4 ? claimLarge(length) : claimRing(length);
    }

    private long claimRing(int length) {
        MemoryRegion memory = ring;
        if (memory == null) {
            memory = allocateRing();
            if (memory == null) {
                return claims.isClosed() ? ClaimRing.CLOSED : ClaimRing.FULL;
            }
        }
        long claim = claims.tryClaim(length);
        if (claim >= 0) {
            place(claim, ClaimRing.end(claim, length), memory, memory.key(), claims.offset(claim));
        }
        return claim;
    }

    private synchronized @Nullable MemoryRegion allocateRing() {
        if (ring == null && !claims.isClosed()) {
            ring = pd.tryAllocate(capacity, Access.LOCAL_WRITE);
        }
        return ring;
    }

    private long claimLarge(int length) {
        MemoryRegion memory = takeLarge(length);
        if (memory == null) {
            return ClaimRing.FULL;
        }
        long claim = claims.tryClaim(0);
        if (claim >= 0) {
            place(claim, ClaimRing.end(claim, 0), memory, memory.key(), 0);
        } else {
            giveLarge(memory);
        }
        return claim;
    }

    /** Claims a slot for an operation on registered memory of the application's. */
    long claim(int localKey, long localOffset) {
        long claim = claims.tryClaim(0);
        if (claim >= 0) {
            place(claim, ClaimRing.end(claim, 0), null, localKey, localOffset);
        }
        return claim;
    }

    private void place(long claim, int end, @Nullable MemoryRegion region, int key, long offset) {
        int slot = slot(ClaimRing.ticket(claim));
        ends[slot] = end;
        regions[slot] = region;
        keys[slot] = key;
        offsets[slot] = offset;
    }

    private @Nullable MemoryRegion takeLarge(int length) {
        if (large.incrementAndGet() > MAX_LARGE) {
            large.decrementAndGet();
            return null;
        }
        MemoryRegion taken = null;
        try {
            MemoryRegion kept = spare.getAndSet(null);
            if (kept != null && kept.length() < length) {
                pd.deregister(kept);
                kept = null;
            }
            taken = kept == null ? pd.tryAllocate(length, Access.LOCAL_WRITE) : kept;
            return taken;
        } finally {
            if (taken == null) {
                large.decrementAndGet();
            }
        }
    }

    private void giveLarge(MemoryRegion region) {
        if (!spare.compareAndSet(null, region)) {
            pd.deregister(region);
        }
        large.decrementAndGet();
        if (claims.isClosed()) {
            freeSpare();
        }
    }

    private void freeSpare() {
        MemoryRegion kept = spare.getAndSet(null);
        if (kept != null) {
            pd.deregister(kept);
        }
    }

    // ---- whoever has the slot ---------------------------------------------------------------------------------------

    /** Whether the bytes lie here, and not in memory of the application's. */
    boolean isOwn(int slot) {
        return regions[slot] != null;
    }

    /** The memory in which the bytes lie, if it is this. */
    AtomicBuffer buffer(int slot) {
        MemoryRegion region = regions[slot];
        if (region == null) {
            throw new IllegalStateException("the bytes are the application's");
        }
        return region.buffer();
    }

    /** Where they begin. */
    long offset(int slot) {
        return offsets[slot];
    }

    /** The local key of their memory. */
    int key(int slot) {
        return keys[slot];
    }

    // ---- who frees --------------------------------------------------------------------------------------------------

    /** Frees slot and memory of the oldest operation. */
    void free(int slot) {
        MemoryRegion region = regions[slot];
        regions[slot] = null;
        if (region != null && region != ring) {
            giveLarge(region);
        }
        claims.giveBack(ends[slot]);
    }

    /** Gives the ring's memory back: there is no claim any more, and nobody uses what was claimed. */
    synchronized void close() {
        MemoryRegion memory = ring;
        if (memory != null && !closed) {
            pd.deregister(memory);
        }
        closed = true;
        freeSpare();
    }
}
