package io.verbena.kv.store;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One region of the {@link Allocator}: either {@link #PAGES} pages, each cut into blocks of one size class or part of a
 * run, or an extent that is one large block. The bookkeeping lies here, on the heap; a free block holds only the offset
 * of the next one.
 *
 * <p>Single-threaded.
 */
final class MemoryChunk {
    /** Pages of a chunk, one bit each in a long. */
    static final int PAGES = 64;
    /** log2 of {@link #PAGES}. */
    static final int PAGE_NUMBER_BITS = 6;
    /** log2 of {@link #PAGE_LENGTH}. */
    static final int PAGE_SHIFT = 15;
    /** Bytes of a page. */
    static final int PAGE_LENGTH = 1 << PAGE_SHIFT;
    /** Bytes of a chunk. */
    static final int LENGTH = PAGES * PAGE_LENGTH;

    /** Kind of a page that is free, or that is not the first of its run. */
    static final byte KIND_NONE = -1;
    /** Kind of the first page of a run; other kinds are size classes. */
    static final byte KIND_RUN = 127;

    private static final int NO_BLOCK = -1;

    final ByteBuffer memory;
    final UnsafeBuffer buffer;
    final boolean extent;
    int region;

    /** Streams that read an extent: its bytes stay as they are while there are some. */
    int pins;
    /** Whether an extent's block was freed while it was pinned: it goes with the last pin. */
    boolean orphaned;
    /** When an extent was freed that the {@link ExtentCache} keeps. */
    long freedMillis;

    long freePages;
    /** Size class of a page, or one of the kinds above. */
    final byte[] kind;
    /** Blocks in use of a page; pages of a run. */
    final int[] used;
    /** Free blocks of a page, linked by offset. */
    final int[] freeBlock;
    /** Where the blocks of a page begin that were never used. */
    final int[] untouched;
    /** Neighbours of a page in the list of pages of its class that have room. */
    final int[] nextPage;

    final int[] previousPage;

    /** Neighbours in the list of chunks with a free run of the same magnitude, and which list that is. */
    @Nullable
    MemoryChunk nextChunk;

    @Nullable
    MemoryChunk previousChunk;

    int bin;

    MemoryChunk(int length, boolean extent, IntFunction<ByteBuffer> source) {
        this.extent = extent;
        int pages = extent ? 0 : PAGES;
        kind = new byte[pages];
        used = new int[pages];
        freeBlock = new int[pages];
        untouched = new int[pages];
        nextPage = new int[pages];
        previousPage = new int[pages];
        // Last, so that nothing is held if one of them cannot be had.
        memory = source.apply(length).order(ByteOrder.nativeOrder());
        buffer = new UnsafeBuffer(memory);
        clear();
    }

    /** Makes all pages free. */
    void clear() {
        Arrays.fill(kind, KIND_NONE);
        freePages = -1L;
        bin = -1;
        nextChunk = null;
        previousChunk = null;
    }

    /** Greatest number of adjacent free pages. */
    int longestRun() {
        int run = 0;
        for (long bits = freePages; bits != 0; bits &= bits >>> 1) {
            run++;
        }
        return run;
    }

    /** First of that many adjacent free pages, which there must be. */
    int findRun(int pages) {
        long starts = freePages;
        int covered = 1;
        while (covered < pages) {
            int step = Math.min(covered, pages - covered);
            starts &= starts >>> step;
            covered += step;
        }
        return Long.numberOfTrailingZeros(starts);
    }

    static long mask(int first, int pages) {
        return (pages == PAGES ? -1L : (1L << pages) - 1) << first;
    }

    void openPage(int page, int sizeClass) {
        freePages &= ~(1L << page);
        kind[page] = (byte) sizeClass;
        used[page] = 0;
        freeBlock[page] = NO_BLOCK;
        untouched[page] = page << PAGE_SHIFT;
    }

    static int capacity(int sizeClass) {
        return PAGE_LENGTH / BlockClasses.size(sizeClass);
    }

    /** Takes a block from a page that has room; returns its offset in the chunk. */
    int take(int page) {
        used[page]++;
        int block = freeBlock[page];
        if (block != NO_BLOCK) {
            freeBlock[page] = buffer.getInt(block);
            return block;
        }
        int fresh = untouched[page];
        untouched[page] = fresh + BlockClasses.size(kind[page]);
        return fresh;
    }

    void give(int page, int block) {
        used[page]--;
        buffer.putInt(block, freeBlock[page]);
        freeBlock[page] = block;
    }
}
