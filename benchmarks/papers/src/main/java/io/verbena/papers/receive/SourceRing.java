package io.verbena.papers.receive;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import org.agrona.BitUtil;
import org.agrona.concurrent.AtomicBuffer;

/**
 * Registered memory from which a sender's messages are sent: pieces are claimed one after the other around a ring, and
 * let go of in any order; room comes free in the order of claims. Not thread-safe.
 */
final class SourceRing {
    /** No piece. */
    static final long NONE = -1;

    private static final int ALIGNMENT = 64;

    private final ProtectionDomain domain;
    private final MemoryRegion region;
    private final int capacity;
    private final int mask; // of pieces
    private final int[] offsets;
    private final boolean[] free;
    private long first; // piece that was claimed first and is not free
    private long next;
    private int head; // offset of the first's memory
    private int tail; // where the next claim begins

    /**
     * Allocates the memory.
     *
     * @param domain of the region
     * @param capacity bytes
     * @param pieces that may be claimed at a time, a power of two
     */
    SourceRing(ProtectionDomain domain, int capacity, int pieces) {
        this.domain = domain;
        this.capacity = capacity;
        region = domain.allocate(capacity, Access.LOCAL_WRITE);
        mask = pieces - 1;
        offsets = new int[pieces];
        free = new boolean[pieces];
    }

    private int slot(long piece) {
        return (int) piece & mask;
    }

    int key() {
        return region.key();
    }

    AtomicBuffer buffer() {
        return region.buffer();
    }

    int offset(long piece) {
        return offsets[slot(piece)];
    }

    int capacity() {
        return capacity;
    }

    /** Claims so many bytes in one piece. @return its number, or {@link #NONE} if there is no room now */
    long claim(int length) {
        if (next - first > mask) {
            return NONE;
        }
        int wanted = Math.max(ALIGNMENT, BitUtil.align(length, ALIGNMENT));
        int at = tail;
        if (first == next) {
            at = 0;
            head = 0;
        }
        boolean wrapped = first != next && at <= head;
        if (wrapped) {
            if (wanted > head - at) {
                return NONE;
            }
        } else if (wanted > capacity - at) {
            if (wanted > head) {
                return NONE;
            }
            at = 0;
        }
        long piece = next++;
        offsets[slot(piece)] = at;
        free[slot(piece)] = false;
        tail = at + wanted;
        return piece;
    }

    /** Takes back the last claim. */
    void unclaim(long piece) {
        next = piece;
        tail = offsets[slot(piece)];
    }

    /** Lets go of a piece. */
    void release(long piece) {
        free[slot(piece)] = true;
        while (first != next && free[slot(first)]) {
            first++;
        }
        head = first == next ? 0 : offsets[slot(first)];
    }

    void close() {
        domain.deregister(region);
    }
}
