package io.verbena.file;

import io.verbena.tier.PagedMemory;
import io.verbena.tier.PagedOptions;
import java.util.BitSet;

/**
 * The blocks of the memory, and which of them a file has. A block that none has reads as 0. Thread-safe.
 */
final class BlockPool {
    /** Bytes of a block. */
    static final int BLOCK = PagedOptions.DEFAULT_BLOCK_LENGTH;

    /** No block. */
    static final int NONE = -1;

    private final PagedMemory memory;
    private final int count;
    private final BitSet taken = new BitSet(); // under this
    private int used; // under this
    private int lowest; // none below is free; under this
    private int fresh; // none from here on was ever taken; under this
    private int end; // none from here on can be taken; under this

    BlockPool(PagedMemory memory) {
        this.memory = memory;
        this.count = (int) (memory.size() / BLOCK);
        this.end = count;
    }

    PagedMemory memory() {
        return memory;
    }

    /** Where a block begins in the memory. */
    static long offset(int block) {
        return (long) block * BLOCK;
    }

    /** How many blocks there are. */
    int count() {
        return count;
    }

    /** How many of them files have. */
    synchronized int used() {
        return used;
    }

    /**
     * Takes the lowest free block: one that was used before has its place at the peers. @return NONE if all are used
     * or refused
     */
    synchronized int take() {
        int block = taken.nextClearBit(lowest);
        if (block >= end) {
            return NONE;
        }
        lowest = block + 1;
        fresh = Math.max(fresh, lowest);
        taken.set(block);
        used++;
        return block;
    }

    /**
     * A block that was taken got no room, and never will: peers that are lost do not come back. Nor will those that
     * were never taken, which have no place either.
     */
    synchronized void refuse(int block) {
        used--; // but it remains taken
        end = fresh;
    }

    /** Gives a block back, which nobody uses any more. */
    void give(int block) {
        memory.discard(offset(block), BLOCK);
        synchronized (this) {
            taken.clear(block);
            used--;
            lowest = Math.min(lowest, block);
        }
    }
}
