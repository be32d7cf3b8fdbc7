package io.verbena.kv.store;

import io.verbena.kv.protocol.TransferDescriptor;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Blocks of bytes with their length: string values, and the values of hashes.
 *
 * <pre>
 *   0 length (4)
 *   4 bytes, up to the end of the allocation
 * </pre>
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class StringBlock {
    /** Offset of the bytes. */
    static final int BYTES = 4;

    /** A shorter string is never read by a stream, so that its block is not pinned. */
    private static final int MAX_UNPINNED = TransferDescriptor.PIECE_LENGTH;

    /** Spare room is given to strings that grow: as much again as they have, up to this. */
    private static final int MAX_SPARE = 1024 * 1024;

    private final Memory memory;
    private final Allocator allocator;

    StringBlock(Memory memory, Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    long create(UnsafeBuffer source, int offset, int length) {
        long block = allocator.allocate(BYTES + length);
        memory.putInt(block, length);
        memory.putBytes(block + BYTES, source, offset, length);
        return block;
    }

    /** A block of some bytes, and zeros behind them up to a length. */
    long createPadded(UnsafeBuffer source, int offset, int bytes, int length) {
        int total = Math.max(bytes, length);
        long block = allocator.allocate(BYTES + total);
        memory.putInt(block, total);
        memory.putBytes(block + BYTES, source, offset, bytes);
        memory.clear(block + BYTES + bytes, total - bytes);
        return block;
    }

    /** A block of zeros. */
    long createZeroed(int length) {
        long block = allocator.allocate(BYTES + length);
        memory.putInt(block, length);
        memory.clear(block + BYTES, length);
        return block;
    }

    long copy(long block) {
        int length = length(block);
        return create(memory.buffer(block), Memory.offset(block) + BYTES, length);
    }

    int length(long block) {
        return memory.getInt(block);
    }

    private boolean isPinned(long block, int length) {
        return length > MAX_UNPINNED && allocator.isPinned(block);
    }

    /**
     * Overwrites a block if the bytes fit, waste no more than half of it, and no stream reads what is there, else
     * replaces it; returns the block.
     */
    long set(long block, UnsafeBuffer source, int offset, int length) {
        int before = length(block);
        boolean pinned = isPinned(block, before);
        if (length == before && !pinned) {
            // The usual case, which need not ask the allocator.
            memory.putBytes(block + BYTES, source, offset, length);
            return block;
        }
        int usable = allocator.usable(block);
        int needed = BYTES + length;
        if (!pinned && needed <= usable && Allocator.rounded(needed) * 2L > usable) {
            memory.putInt(block, length);
            memory.putBytes(block + BYTES, source, offset, length);
            return block;
        }
        long fresh = create(source, offset, length);
        allocator.free(block);
        return fresh;
    }

    /**
     * Makes a block at least that long, and one whose bytes may be written: what a stream reads is left to it and
     * replaced by a copy. Returns the block, which may have moved.
     */
    long extendToWrite(long block, int length) {
        int before = length(block);
        if (!isPinned(block, before)) {
            return before < length ? extend(block, length) : block;
        }
        int after = Math.max(before, length);
        long fresh = allocator.allocate(BYTES + after);
        memory.putInt(fresh, after);
        memory.copy(block + BYTES, fresh + BYTES, before);
        memory.clear(fresh + BYTES + before, after - before);
        allocator.free(block);
        return fresh;
    }

    /**
     * Makes a block longer; the new bytes are zero. A stream that reads the block does not see them. Returns the block,
     * which may have moved.
     */
    long extend(long block, int length) {
        int before = length(block);
        long target = block;
        if (BYTES + length > allocator.usable(block)) {
            int spare = Math.min(length, MAX_SPARE);
            target = allocator.allocate(BYTES + length + spare);
            memory.copy(block + BYTES, target + BYTES, before);
            allocator.free(block);
        }
        memory.putInt(target, length);
        memory.clear(target + BYTES + before, length - before);
        return target;
    }

    void free(long block) {
        allocator.free(block);
    }

    int footprint(long block) {
        return allocator.usable(block);
    }
}
