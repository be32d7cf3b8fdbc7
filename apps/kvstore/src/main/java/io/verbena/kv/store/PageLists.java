package io.verbena.kv.store;

import java.util.Arrays;

/**
 * The pages of an {@link Allocator} that have room for a block, a list for each size class. A page is named by region
 * and number; pages are linked through their chunks.
 *
 * <p>Single-threaded, as the allocator.
 */
final class PageLists {
    /** No page. */
    static final int NONE = -1;

    private final Regions regions;
    private final int[] first = new int[BlockClasses.COUNT];

    PageLists(Regions regions) {
        this.regions = regions;
        clear();
    }

    /** The first page of a size class: region and number, or {@link #NONE}. */
    int first(int sizeClass) {
        return first[sizeClass];
    }

    /** Whether a page of a list is the only one there. */
    boolean isOnly(MemoryChunk chunk, int page) {
        return chunk.nextPage[page] == NONE && chunk.previousPage[page] == NONE;
    }

    /** Puts a page at the head of a list. */
    void add(MemoryChunk chunk, int page, int sizeClass) {
        int id = chunk.region << MemoryChunk.PAGE_NUMBER_BITS | page;
        int head = first[sizeClass];
        chunk.nextPage[page] = head;
        chunk.previousPage[page] = NONE;
        if (head != NONE) {
            regions.chunk(head >>> MemoryChunk.PAGE_NUMBER_BITS).previousPage[head & (MemoryChunk.PAGES - 1)] = id;
        }
        first[sizeClass] = id;
    }

    /** Takes a page out of its list. */
    void remove(MemoryChunk chunk, int page, int sizeClass) {
        int next = chunk.nextPage[page];
        int previous = chunk.previousPage[page];
        if (previous == NONE) {
            first[sizeClass] = next;
        } else {
            regions.chunk(previous >>> MemoryChunk.PAGE_NUMBER_BITS).nextPage[previous & (MemoryChunk.PAGES - 1)] =
                    next;
        }
        if (next != NONE) {
            regions.chunk(next >>> MemoryChunk.PAGE_NUMBER_BITS).previousPage[next & (MemoryChunk.PAGES - 1)] =
                    previous;
        }
    }

    /** Empties all lists. */
    void clear() {
        Arrays.fill(first, NONE);
    }
}
