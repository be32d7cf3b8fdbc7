package io.verbena.kv.store;

import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Allocates blocks of off-heap memory for one shard. Three ranges of size:
 *
 * <pre>
 *   up to 8 KiB     a block of the next {@link BlockClasses size class}, from a page of 32 KiB cut into such blocks
 *   up to 128 KiB   a run of whole pages of a chunk of 2 MiB
 *   above           an extent of its own, in steps of an eighth of a power of two
 * </pre>
 *
 * <p>An extent can be {@linkplain #pin pinned}, so that it outlives its block for whoever still reads it; can be had
 * {@linkplain #takeExtent without an address}, to be filled before it becomes a block; and is kept for reuse when it is
 * freed, see {@link ExtentCache}.
 *
 * <p>Blocks are 16-byte aligned within their region and hold garbage when they are handed out. {@link #used()} counts
 * every block with its rounding, to the byte; {@link #committed()} what is held from the process. Empty pages go back
 * to their chunk, and empty chunks but one to the process. No object per block: an address is a long, see
 * {@link Memory}.
 *
 * <p>What is held never exceeds the budget, see {@link ChunkSource}. An allocation that would need more first gives
 * back what holds no block, and fails at once if that is not enough.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
class Allocator implements AutoCloseable {
    /** Greatest block that is not an extent: as a reply it still fits in a message. */
    static final int MAX_RUN_LENGTH = TransferDescriptor.MAX_MESSAGE - 64;
    /** Greatest block in bytes. */
    static final int MAX_LENGTH = 1 << 30;

    private final Memory memory;
    private final ChunkSource chunkSource;
    private final ExtentCache extents = new ExtentCache();
    private final Regions regions;
    private final PageLists pagesWithRoom;
    private final ChunkBins bins = new ChunkBins();
    private @Nullable MemoryChunk spare;
    private final ArrayDeque<MemoryChunk> retired = new ArrayDeque<>();
    private final ArrayDeque<MemoryChunk> retiredExtents = new ArrayDeque<>();
    private long used;
    /** Bytes of the extents in use that have no address. */
    private long loose;

    /** Pages without a block that are kept for their class. */
    private int emptyPages;

    private boolean closed;

    /**
     * @param budget greatest number of bytes held from the process
     */
    Allocator(Memory memory, long budget) {
        this(memory, budget, ByteBuffer::allocateDirect);
    }

    /**
     * @param budget greatest number of bytes held from the process
     * @param source makes a direct buffer, or throws OutOfMemoryError
     */
    Allocator(Memory memory, long budget, IntFunction<ByteBuffer> source) {
        this.memory = memory;
        regions = new Regions(memory);
        pagesWithRoom = new PageLists(regions);
        chunkSource = new ChunkSource(budget, source);
    }

    /** Bytes of all blocks that are handed out, with their rounding. */
    long used() {
        return used;
    }

    /** Bytes of direct memory that are held. */
    long committed() {
        return chunkSource.committed();
    }

    /** Greatest number of bytes held from the process. */
    long budget() {
        return chunkSource.budget();
    }

    /**
     * Hands out a block.
     *
     * @param length in bytes, 0 to {@link #MAX_LENGTH}
     * @return its address
     * @throws AllocationFailedException if the budget is spent, or the process has no direct memory left
     */
    long allocate(int length) {
        if (length <= BlockClasses.MAX_SMALL) {
            if (length < 0) {
                throw new IllegalArgumentException("length " + length + " < 0");
            }
            return allocateSmall(BlockClasses.classOf(length));
        }
        if (length <= MAX_RUN_LENGTH) {
            return allocateRun((length + MemoryChunk.PAGE_LENGTH - 1) >> MemoryChunk.PAGE_SHIFT);
        }
        if (length > MAX_LENGTH) {
            throw new IllegalArgumentException("length " + length + " > maximum " + MAX_LENGTH);
        }
        ensureRegion();
        return attach(takeExtent(length));
    }

    /**
     * Hands out an extent that has no address: its bytes are in its chunk.
     *
     * @param length in bytes, 1 to {@link #MAX_LENGTH}
     * @throws AllocationFailedException if the process has no direct memory left
     */
    MemoryChunk takeExtent(int length) {
        int size = ExtentCache.size(length);
        MemoryChunk chunk = extents.take(size);
        if (chunk == null) {
            chunk = newChunk(size, true);
        }
        used += size;
        loose += size;
        return chunk;
    }

    /**
     * Gives an extent an address, as that of a block that was allocated.
     *
     * @throws AllocationFailedException if there is no memory for the table of addresses
     */
    long attach(MemoryChunk extent) {
        ensureRegion();
        regions.enter(extent);
        loose -= extent.buffer.capacity();
        return Memory.address(extent.region, 0);
    }

    /** Takes an extent back that has no address. */
    void freeExtent(MemoryChunk extent) {
        int size = extent.buffer.capacity();
        used -= size;
        loose -= size;
        keep(extent);
    }

    private void keep(MemoryChunk extent) {
        extent.orphaned = false;
        if (closed || !extents.offer(extent, chunkSource.committed())) {
            chunkSource.giveBack(extent);
        }
    }

    /** Whether a block is an extent. */
    boolean isExtent(long address) {
        return regions.chunk(Memory.region(address)).extent;
    }

    /** Keeps the bytes of a block that is an extent, whatever becomes of the block, until {@link #unpin}. */
    MemoryChunk pin(long address) {
        MemoryChunk chunk = regions.chunk(Memory.region(address));
        if (!chunk.extent) {
            throw new IllegalStateException("block " + Long.toHexString(address) + " is not an extent");
        }
        chunk.pins++;
        return chunk;
    }

    /** Whether a block must not be written into. */
    boolean isPinned(long address) {
        return regions.chunk(Memory.region(address)).pins > 0;
    }

    /** Ends a {@link #pin}. */
    void unpin(MemoryChunk extent) {
        if (--extent.pins == 0 && extent.orphaned) {
            freeExtent(extent);
        }
    }

    /** Gives back extents that were freed and not used since; returns the bytes. */
    long releaseIdleExtents(long nowMillis) {
        chunkSource.restoreBudget();
        long released = extents.releaseIdle(nowMillis);
        chunkSource.returned(released);
        return released;
    }

    private boolean releaseExtents() {
        long released = extents.releaseAll();
        chunkSource.returned(released);
        return released > 0;
    }

    /** Hands out a block of zeros. */
    long allocateZeroed(int length) {
        long address = allocate(length);
        memory.clear(address, length);
        return address;
    }

    /** What a block of that length would take. */
    static int rounded(int length) {
        if (length <= BlockClasses.MAX_SMALL) {
            return BlockClasses.size(BlockClasses.classOf(length));
        }
        return length <= MAX_RUN_LENGTH
                ? (length + MemoryChunk.PAGE_LENGTH - 1) & -MemoryChunk.PAGE_LENGTH
                : ExtentCache.size(length);
    }

    /** Bytes that the block has, at least what was asked for. */
    int usable(long address) {
        MemoryChunk chunk = regions.chunk(Memory.region(address));
        if (chunk.extent) {
            return chunk.buffer.capacity();
        }
        int page = Memory.offset(address) >>> MemoryChunk.PAGE_SHIFT;
        byte kind = chunk.kind[page];
        return kind == MemoryChunk.KIND_RUN ? chunk.used[page] << MemoryChunk.PAGE_SHIFT : BlockClasses.size(kind);
    }

    /**
     * Takes a block back.
     *
     * @param address that {@link #allocate} returned; {@link Memory#NULL} does nothing
     */
    void free(long address) {
        if (address == Memory.NULL) {
            return;
        }
        MemoryChunk chunk = regions.chunk(Memory.region(address));
        if (chunk.extent) {
            leave(chunk);
            if (chunk.pins == 0) {
                freeExtent(chunk);
            }
            return;
        }
        int offset = Memory.offset(address);
        int page = offset >>> MemoryChunk.PAGE_SHIFT;
        byte kind = chunk.kind[page];
        if (kind == MemoryChunk.KIND_RUN) {
            int pages = chunk.used[page];
            used -= (long) pages << MemoryChunk.PAGE_SHIFT;
            returnPages(chunk, page, pages);
            return;
        }
        if (kind == MemoryChunk.KIND_NONE) {
            throw new IllegalStateException("block " + Long.toHexString(address) + " is not allocated");
        }
        used -= BlockClasses.size(kind);
        boolean wasFull = chunk.used[page] == MemoryChunk.capacity(kind);
        chunk.give(page, offset);
        if (wasFull) {
            pagesWithRoom.add(chunk, page, kind);
        }
        // The last page with room of a class is kept, lest a value that comes and goes moves a page each time.
        if (chunk.used[page] == 0) {
            if (!pagesWithRoom.isOnly(chunk, page)) {
                pagesWithRoom.remove(chunk, page, kind);
                returnPages(chunk, page, 1);
            } else {
                emptyPages++;
            }
        }
    }

    /** Has a chunk ready, so that the next allocation does not wait for the process; returns true if it took one. */
    boolean prepare() {
        if (spare != null
                || !retired.isEmpty()
                || bins.hasEmptyChunk()
                || chunkSource.committed() == 0
                || !chunkSource.isAffordable(MemoryChunk.LENGTH)) {
            return false;
        }
        try {
            spare = newChunk(MemoryChunk.LENGTH, false);
            return true;
        } catch (AllocationFailedException e) {
            return false;
        }
    }

    /** Gives back what holds no block: empty pages, then empty chunks. */
    void trim() {
        for (int sizeClass = 0; sizeClass < BlockClasses.COUNT; sizeClass++) {
            int id = pagesWithRoom.first(sizeClass);
            while (id != PageLists.NONE) {
                MemoryChunk chunk = regions.chunk(id >>> MemoryChunk.PAGE_NUMBER_BITS);
                int page = id & (MemoryChunk.PAGES - 1);
                id = chunk.nextPage[page];
                if (chunk.used[page] == 0) {
                    emptyPages--;
                    pagesWithRoom.remove(chunk, page, sizeClass);
                    returnPages(chunk, page, 1);
                }
            }
        }
        if (spare != null) {
            chunkSource.giveBack(spare);
            spare = null;
        }
        releaseExtents();
    }

    private long allocateSmall(int sizeClass) {
        int id = pagesWithRoom.first(sizeClass);
        if (id == PageLists.NONE) {
            MemoryChunk chunk = chunkWithRun(1);
            int page = chunk.findRun(1);
            chunk.openPage(page, sizeClass);
            bins.put(chunk);
            pagesWithRoom.add(chunk, page, sizeClass);
            emptyPages++;
            id = pagesWithRoom.first(sizeClass);
        }
        int region = id >>> MemoryChunk.PAGE_NUMBER_BITS;
        MemoryChunk chunk = regions.chunk(region);
        int page = id & (MemoryChunk.PAGES - 1);
        if (chunk.used[page] == 0) {
            emptyPages--;
        }
        int offset = chunk.take(page);
        if (chunk.used[page] == MemoryChunk.capacity(sizeClass)) {
            pagesWithRoom.remove(chunk, page, sizeClass);
        }
        used += BlockClasses.size(sizeClass);
        return Memory.address(region, offset);
    }

    private long allocateRun(int pages) {
        MemoryChunk chunk = chunkWithRun(pages);
        int page = chunk.findRun(pages);
        chunk.freePages &= ~MemoryChunk.mask(page, pages);
        chunk.kind[page] = MemoryChunk.KIND_RUN;
        chunk.used[page] = pages;
        bins.put(chunk);
        used += (long) pages << MemoryChunk.PAGE_SHIFT;
        return Memory.address(chunk.region, page << MemoryChunk.PAGE_SHIFT);
    }

    private MemoryChunk chunkWithRun(int pages) {
        MemoryChunk chunk = bins.withRun(pages);
        if (chunk == null
                && emptyPages > 0
                && spare == null
                && retired.isEmpty()
                && !chunkSource.isAffordable(MemoryChunk.LENGTH)) {
            trim();
            chunk = bins.withRun(pages);
        }
        if (chunk == null) {
            ensureRegion();
            chunk = emptyChunk();
            regions.enter(chunk);
            bins.put(chunk);
        }
        return chunk;
    }

    private MemoryChunk emptyChunk() {
        MemoryChunk chunk = spare;
        spare = null;
        if (chunk == null) {
            chunk = retired.pollLast();
            if (chunk == null) {
                return newChunk(MemoryChunk.LENGTH, false);
            }
            chunk.clear();
        }
        return chunk;
    }

    /** Gives back what holds no block until so much can be taken; false if that is not enough. */
    private boolean makeAffordable(int length) {
        while (!chunkSource.isAffordable(length) && releaseRetired(1) > 0) {
            // One chunk after the other.
        }
        if (!chunkSource.isAffordable(length) && (spare != null || emptyPages > 0 || extents.bytes() > 0)) {
            trim();
        }
        return chunkSource.isAffordable(length);
    }

    private MemoryChunk newChunk(int length, boolean extent) {
        if (!chunkSource.isAffordable(length) && !makeAffordable(length)) {
            throw chunkSource.failure(length);
        }
        MemoryChunk chunk = chunkSource.take(length, extent);
        if (chunk == null && releaseExtents() && chunkSource.isAffordable(length)) {
            chunk = chunkSource.take(length, extent);
        }
        if (chunk == null) {
            throw chunkSource.refused(length);
        }
        return chunk;
    }

    private void ensureRegion() {
        try {
            regions.ensure();
        } catch (OutOfMemoryError e) {
            throw chunkSource.failure(2L * Long.BYTES * regions.length());
        }
    }

    /** Takes an extent's address, which it may outlive if it is pinned. */
    private void leave(MemoryChunk extent) {
        regions.detach(extent);
        extent.orphaned = true;
        loose += extent.buffer.capacity();
    }

    /** An extent without an address waits to be given back. To unmap many takes long: they wait as chunks do. */
    private void retireExtent(MemoryChunk extent) {
        loose -= extent.buffer.capacity();
        extent.orphaned = false;
        retiredExtents.add(extent);
    }

    private void release(MemoryChunk chunk) {
        regions.detach(chunk);
        if (spare == null) {
            spare = chunk;
            return;
        }
        chunkSource.giveBack(chunk);
    }

    private void returnPages(MemoryChunk chunk, int first, int pages) {
        chunk.kind[first] = MemoryChunk.KIND_NONE;
        chunk.freePages |= MemoryChunk.mask(first, pages);
        bins.put(chunk);
        if (chunk.freePages == -1L) {
            bins.remove(chunk);
            release(chunk);
        }
    }

    /**
     * Takes all blocks back at once; every address is invalid afterwards. Their chunks are reused or given back later,
     * by {@link #releaseRetired}. Extents that are pinned or have no address stay.
     */
    void reset() {
        for (int region = 1; region < regions.length(); region++) {
            MemoryChunk chunk = regions.chunkOrNull(region);
            if (chunk != null) {
                if (chunk.extent) {
                    leave(chunk);
                    if (chunk.pins == 0) {
                        retireExtent(chunk);
                    }
                } else {
                    regions.detach(chunk);
                    retired.add(chunk);
                }
            }
        }
        used = loose;
        emptyPages = 0;
        pagesWithRoom.clear();
        bins.clear();
    }

    /** Gives chunks that {@link #reset} retired back to the process, at most that many; returns how many. */
    int releaseRetired(int limit) {
        int count = 0;
        while (count < limit) {
            MemoryChunk chunk = retiredExtents.isEmpty() ? retired.pollLast() : retiredExtents.pollLast();
            if (chunk == null) {
                break;
            }
            chunkSource.giveBack(chunk);
            count++;
        }
        return count;
    }

    /** Frees all memory; extents that are pinned or have no address are freed when they come back. Idempotent. */
    @Override
    public void close() {
        closed = true;
        reset();
        releaseRetired(Integer.MAX_VALUE);
        trim();
    }
}
