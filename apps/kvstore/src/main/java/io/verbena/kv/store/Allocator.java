package io.verbena.kv.store;

import io.verbena.kv.protocol.TransferDescriptor;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.agrona.BufferUtil;
import org.jspecify.annotations.Nullable;

/**
 * Allocates blocks of off-heap memory for one shard. Three ranges of size:
 *
 * <pre>
 *   up to 8 KiB     a block of the next {@link SizeClasses size class}, from a page of 32 KiB cut into such blocks
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
 * <p>What is held never exceeds the budget. An allocation that would need more first gives back what holds no block,
 * and fails at once if that is not enough: near its limit on direct memory the JVM would collect garbage and sleep
 * before it throws. A limit that the JVM does have below the budget is met once, and is the budget until the next
 * housekeeping.
 *
 * <p>Single-threaded, as the shard that owns it.
 */
class Allocator implements AutoCloseable {
    /** Greatest block that is not an extent: as a reply it still fits in a message. */
    static final int MAX_RUN_LENGTH = TransferDescriptor.MAX_MESSAGE - 64;
    /** Greatest block in bytes. */
    static final int MAX_LENGTH = 1 << 30;

    private static final int NONE = -1;
    private static final int BINS = Chunk.PAGE_NUMBER_BITS + 1;

    private final Memory memory;
    private final IntFunction<ByteBuffer> source;
    private final ExtentCache extents = new ExtentCache();
    private @Nullable Chunk[] chunks = new Chunk[16];
    private final int[] pagesWithRoom = new int[SizeClasses.COUNT];
    private final int[] bins = new int[BINS];
    private @Nullable Chunk spare;
    private final ArrayDeque<Chunk> retired = new ArrayDeque<>();
    private final ArrayDeque<Chunk> retiredExtents = new ArrayDeque<>();
    private int lowestFreeRegion = 1;
    private long used;
    private long committed;
    /** Bytes of the extents in use that have no address. */
    private long loose;

    private final long configuredBudget;
    private long budget;
    private boolean budgetLowered;
    /** Pages without a block that are kept for their class. */
    private int emptyPages;

    private boolean closed;

    /**
     * @param budget greatest number of bytes held from the process
     */
    Allocator(final Memory memory, final long budget) {
        this(memory, budget, ByteBuffer::allocateDirect);
    }

    /**
     * @param budget greatest number of bytes held from the process
     * @param source makes a direct buffer, or throws OutOfMemoryError
     */
    Allocator(final Memory memory, final long budget, final IntFunction<ByteBuffer> source) {
        this.memory = memory;
        this.configuredBudget = budget;
        this.budget = budget;
        this.source = source;
        Arrays.fill(pagesWithRoom, NONE);
        Arrays.fill(bins, NONE);
    }

    /** Bytes of all blocks that are handed out, with their rounding. */
    long used() {
        return used;
    }

    /** Bytes of direct memory that are held. */
    long committed() {
        return committed;
    }

    /** Greatest number of bytes held from the process. */
    long budget() {
        return budget;
    }

    /**
     * Hands out a block.
     *
     * @param length in bytes, 0 to {@link #MAX_LENGTH}
     * @return its address
     * @throws AllocationFailedException if the budget is spent, or the process has no direct memory left
     */
    long allocate(final int length) {
        if (length <= SizeClasses.MAX_SMALL) {
            if (length < 0) {
                throw new IllegalArgumentException("length " + length + " < 0");
            }
            return allocateSmall(SizeClasses.classOf(length));
        }
        if (length <= MAX_RUN_LENGTH) {
            return allocateRun((length + Chunk.PAGE_LENGTH - 1) >> Chunk.PAGE_SHIFT);
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
    Chunk takeExtent(final int length) {
        final int size = ExtentCache.size(length);
        Chunk chunk = extents.take(size);
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
    long attach(final Chunk extent) {
        ensureRegion();
        enter(extent);
        loose -= extent.buffer.capacity();
        return Memory.address(extent.region, 0);
    }

    /** Takes an extent back that has no address. */
    void freeExtent(final Chunk extent) {
        final int size = extent.buffer.capacity();
        used -= size;
        loose -= size;
        keep(extent);
    }

    private void keep(final Chunk extent) {
        extent.orphaned = false;
        if (closed || !extents.offer(extent, committed)) {
            committed -= extent.buffer.capacity();
            BufferUtil.free(extent.memory);
        }
    }

    /** Whether a block is an extent. */
    boolean isExtent(final long address) {
        return chunk(Memory.region(address)).extent;
    }

    /** Keeps the bytes of a block that is an extent, whatever becomes of the block, until {@link #unpin}. */
    Chunk pin(final long address) {
        final Chunk chunk = chunk(Memory.region(address));
        if (!chunk.extent) {
            throw new IllegalStateException("block " + Long.toHexString(address) + " is not an extent");
        }
        chunk.pins++;
        return chunk;
    }

    /** Whether a block must not be written into. */
    boolean isPinned(final long address) {
        return chunk(Memory.region(address)).pins > 0;
    }

    /** Ends a {@link #pin}. */
    void unpin(final Chunk extent) {
        if (--extent.pins == 0 && extent.orphaned) {
            freeExtent(extent);
        }
    }

    /** Gives back extents that were freed and not used since; returns the bytes. */
    long releaseIdleExtents(final long nowMillis) {
        if (budgetLowered) {
            budgetLowered = false;
            budget = configuredBudget; // others may have given memory back
        }
        final long released = extents.releaseIdle(nowMillis);
        committed -= released;
        return released;
    }

    private boolean releaseExtents() {
        final long released = extents.releaseAll();
        committed -= released;
        return released > 0;
    }

    /** Hands out a block of zeros. */
    long allocateZeroed(final int length) {
        final long address = allocate(length);
        memory.clear(address, length);
        return address;
    }

    /** What a block of that length would take. */
    static int rounded(final int length) {
        if (length <= SizeClasses.MAX_SMALL) {
            return SizeClasses.size(SizeClasses.classOf(length));
        }
        return length <= MAX_RUN_LENGTH
                ? (length + Chunk.PAGE_LENGTH - 1) & -Chunk.PAGE_LENGTH
                : ExtentCache.size(length);
    }

    /** Bytes that the block has, at least what was asked for. */
    int usable(final long address) {
        final Chunk chunk = chunk(Memory.region(address));
        if (chunk.extent) {
            return chunk.buffer.capacity();
        }
        final int page = Memory.offset(address) >>> Chunk.PAGE_SHIFT;
        final byte kind = chunk.kind[page];
        return kind == Chunk.KIND_RUN ? chunk.used[page] << Chunk.PAGE_SHIFT : SizeClasses.size(kind);
    }

    /**
     * Takes a block back.
     *
     * @param address that {@link #allocate} returned; {@link Memory#NULL} does nothing
     */
    void free(final long address) {
        if (address == Memory.NULL) {
            return;
        }
        final Chunk chunk = chunk(Memory.region(address));
        if (chunk.extent) {
            leave(chunk);
            if (chunk.pins == 0) {
                freeExtent(chunk);
            }
            return;
        }
        final int offset = Memory.offset(address);
        final int page = offset >>> Chunk.PAGE_SHIFT;
        final byte kind = chunk.kind[page];
        if (kind == Chunk.KIND_RUN) {
            final int pages = chunk.used[page];
            used -= (long) pages << Chunk.PAGE_SHIFT;
            returnPages(chunk, page, pages);
            return;
        }
        if (kind == Chunk.KIND_NONE) {
            throw new IllegalStateException("block " + Long.toHexString(address) + " is not allocated");
        }
        used -= SizeClasses.size(kind);
        final boolean wasFull = chunk.used[page] == Chunk.capacity(kind);
        chunk.give(page, offset);
        if (wasFull) {
            linkPage(chunk, page, kind);
        }
        // The last page with room of a class is kept, lest a value that comes and goes moves a page each time.
        if (chunk.used[page] == 0) {
            if (chunk.nextPage[page] != NONE || chunk.previousPage[page] != NONE) {
                unlinkPage(chunk, page, kind);
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
                || bins[BINS - 1] != NONE
                || committed == 0
                || Chunk.LENGTH > budget - committed) {
            return false;
        }
        try {
            spare = newChunk(Chunk.LENGTH, false);
            return true;
        } catch (final AllocationFailedException e) {
            return false;
        }
    }

    /** Gives back what holds no block: empty pages, then empty chunks. */
    void trim() {
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            int id = pagesWithRoom[sizeClass];
            while (id != NONE) {
                final Chunk chunk = chunk(id >>> Chunk.PAGE_NUMBER_BITS);
                final int page = id & (Chunk.PAGES - 1);
                id = chunk.nextPage[page];
                if (chunk.used[page] == 0) {
                    emptyPages--;
                    unlinkPage(chunk, page, sizeClass);
                    returnPages(chunk, page, 1);
                }
            }
        }
        if (spare != null) {
            final Chunk chunk = spare;
            spare = null;
            committed -= Chunk.LENGTH;
            BufferUtil.free(chunk.memory);
        }
        releaseExtents();
    }

    private long allocateSmall(final int sizeClass) {
        int id = pagesWithRoom[sizeClass];
        if (id == NONE) {
            final Chunk chunk = chunkWithRun(1);
            final int page = chunk.findRun(1);
            chunk.openPage(page, sizeClass);
            rebin(chunk);
            linkPage(chunk, page, sizeClass);
            emptyPages++;
            id = pagesWithRoom[sizeClass];
        }
        final int region = id >>> Chunk.PAGE_NUMBER_BITS;
        final Chunk chunk = chunk(region);
        final int page = id & (Chunk.PAGES - 1);
        if (chunk.used[page] == 0) {
            emptyPages--;
        }
        final int offset = chunk.take(page);
        if (chunk.used[page] == Chunk.capacity(sizeClass)) {
            unlinkPage(chunk, page, sizeClass);
        }
        used += SizeClasses.size(sizeClass);
        return Memory.address(region, offset);
    }

    private long allocateRun(final int pages) {
        final Chunk chunk = chunkWithRun(pages);
        final int page = chunk.findRun(pages);
        chunk.freePages &= ~Chunk.mask(page, pages);
        chunk.kind[page] = Chunk.KIND_RUN;
        chunk.used[page] = pages;
        rebin(chunk);
        used += (long) pages << Chunk.PAGE_SHIFT;
        return Memory.address(chunk.region, page << Chunk.PAGE_SHIFT);
    }

    private Chunk chunkWithRun(final int pages) {
        Chunk chunk = binnedChunk(pages);
        if (chunk == null && emptyPages > 0 && spare == null && retired.isEmpty() && !isAffordable(Chunk.LENGTH)) {
            trim();
            chunk = binnedChunk(pages);
        }
        if (chunk == null) {
            ensureRegion();
            chunk = emptyChunk();
            enter(chunk);
            rebin(chunk);
        }
        return chunk;
    }

    private @Nullable Chunk binnedChunk(final int pages) {
        // A chunk in bin b has a run of at least 2^b pages.
        for (int bin = Integer.SIZE - Integer.numberOfLeadingZeros(pages - 1); bin < BINS; bin++) {
            if (bins[bin] != NONE) {
                return chunk(bins[bin]);
            }
        }
        return null;
    }

    private Chunk emptyChunk() {
        Chunk chunk = spare;
        spare = null;
        if (chunk == null) {
            chunk = retired.pollLast();
            if (chunk == null) {
                return newChunk(Chunk.LENGTH, false);
            }
            chunk.clear();
        }
        return chunk;
    }

    private boolean isAffordable(final int length) {
        return length <= budget - committed;
    }

    /** Gives back what holds no block until so much can be taken; false if that is not enough. */
    private boolean makeAffordable(final int length) {
        while (!isAffordable(length) && releaseRetired(1) > 0) {
            // One chunk after the other.
        }
        if (!isAffordable(length) && (spare != null || emptyPages > 0 || extents.bytes() > 0)) {
            trim();
        }
        return isAffordable(length);
    }

    private Chunk newChunk(final int length, final boolean extent) {
        if (!isAffordable(length) && !makeAffordable(length)) {
            throw new AllocationFailedException(length, committed, budget);
        }
        final Chunk chunk;
        try {
            chunk = new Chunk(length, extent, source);
        } catch (final OutOfMemoryError e) {
            if (releaseExtents()) {
                return newChunk(length, extent);
            }
            // The process has less than the budget. To ask again for as much would stall everybody each time.
            budget = committed + length - 1;
            budgetLowered = true;
            throw new AllocationFailedException(length, committed, budget);
        }
        committed += length;
        return chunk;
    }

    /** Makes sure that {@link #enter} allocates nothing. */
    private void ensureRegion() {
        try {
            final int regions = memory.ensureRegion();
            if (regions > chunks.length) {
                chunks = Arrays.copyOf(chunks, regions);
            }
        } catch (final OutOfMemoryError e) {
            throw new AllocationFailedException(2L * Long.BYTES * chunks.length, committed, budget);
        }
    }

    private void enter(final Chunk chunk) {
        final int region = memory.attach(chunk.buffer, lowestFreeRegion);
        lowestFreeRegion = region + 1;
        chunks[region] = chunk;
        chunk.region = region;
    }

    /** Takes an extent's address, which it may outlive if it is pinned. */
    private void leave(final Chunk extent) {
        detach(extent);
        extent.orphaned = true;
        loose += extent.buffer.capacity();
    }

    /** An extent without an address waits to be given back. To unmap many takes long: they wait as chunks do. */
    private void retireExtent(final Chunk extent) {
        loose -= extent.buffer.capacity();
        extent.orphaned = false;
        retiredExtents.add(extent);
    }

    private void detach(final Chunk chunk) {
        memory.detach(chunk.region);
        chunks[chunk.region] = null;
        lowestFreeRegion = Math.min(lowestFreeRegion, chunk.region);
    }

    private void release(final Chunk chunk) {
        detach(chunk);
        if (spare == null) {
            spare = chunk;
            return;
        }
        committed -= chunk.buffer.capacity();
        BufferUtil.free(chunk.memory);
    }

    private void returnPages(final Chunk chunk, final int first, final int pages) {
        chunk.kind[first] = Chunk.KIND_NONE;
        chunk.freePages |= Chunk.mask(first, pages);
        rebin(chunk);
        if (chunk.freePages == -1L) {
            unbin(chunk);
            release(chunk);
        }
    }

    private Chunk chunk(final int region) {
        final Chunk chunk = chunks[region];
        if (chunk == null) {
            throw new IllegalStateException("region " + region + " is not allocated");
        }
        return chunk;
    }

    private void linkPage(final Chunk chunk, final int page, final int sizeClass) {
        final int id = chunk.region << Chunk.PAGE_NUMBER_BITS | page;
        final int head = pagesWithRoom[sizeClass];
        chunk.nextPage[page] = head;
        chunk.previousPage[page] = NONE;
        if (head != NONE) {
            chunk(head >>> Chunk.PAGE_NUMBER_BITS).previousPage[head & (Chunk.PAGES - 1)] = id;
        }
        pagesWithRoom[sizeClass] = id;
    }

    private void unlinkPage(final Chunk chunk, final int page, final int sizeClass) {
        final int next = chunk.nextPage[page];
        final int previous = chunk.previousPage[page];
        if (previous == NONE) {
            pagesWithRoom[sizeClass] = next;
        } else {
            chunk(previous >>> Chunk.PAGE_NUMBER_BITS).nextPage[previous & (Chunk.PAGES - 1)] = next;
        }
        if (next != NONE) {
            chunk(next >>> Chunk.PAGE_NUMBER_BITS).previousPage[next & (Chunk.PAGES - 1)] = previous;
        }
    }

    private void rebin(final Chunk chunk) {
        final int run = chunk.longestRun();
        final int bin = run == 0 ? NONE : Integer.SIZE - 1 - Integer.numberOfLeadingZeros(run);
        if (bin == chunk.bin) {
            return;
        }
        unbin(chunk);
        chunk.bin = bin;
        if (bin != NONE) {
            chunk.previousChunk = NONE;
            chunk.nextChunk = bins[bin];
            if (bins[bin] != NONE) {
                chunk(bins[bin]).previousChunk = chunk.region;
            }
            bins[bin] = chunk.region;
        }
    }

    private void unbin(final Chunk chunk) {
        if (chunk.bin == NONE) {
            return;
        }
        if (chunk.previousChunk == NONE) {
            bins[chunk.bin] = chunk.nextChunk;
        } else {
            chunk(chunk.previousChunk).nextChunk = chunk.nextChunk;
        }
        if (chunk.nextChunk != NONE) {
            chunk(chunk.nextChunk).previousChunk = chunk.previousChunk;
        }
        chunk.bin = NONE;
    }

    /**
     * Takes all blocks back at once; every address is invalid afterwards. Their chunks are reused or given back later,
     * by {@link #releaseRetired}. Extents that are pinned or have no address stay.
     */
    void reset() {
        for (int region = 1; region < chunks.length; region++) {
            final Chunk chunk = chunks[region];
            if (chunk != null) {
                if (chunk.extent) {
                    leave(chunk);
                    if (chunk.pins == 0) {
                        retireExtent(chunk);
                    }
                } else {
                    detach(chunk);
                    retired.add(chunk);
                }
            }
        }
        lowestFreeRegion = 1;
        used = loose;
        emptyPages = 0;
        Arrays.fill(pagesWithRoom, NONE);
        Arrays.fill(bins, NONE);
    }

    /** Gives chunks that {@link #reset} retired back to the process, at most that many; returns how many. */
    int releaseRetired(final int limit) {
        int count = 0;
        while (count < limit) {
            final Chunk chunk = retiredExtents.isEmpty() ? retired.pollLast() : retiredExtents.pollLast();
            if (chunk == null) {
                break;
            }
            committed -= chunk.buffer.capacity();
            BufferUtil.free(chunk.memory);
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
