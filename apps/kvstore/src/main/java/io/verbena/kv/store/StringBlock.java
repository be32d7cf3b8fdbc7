package io.verbena.kv.store;

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

    /** Spare room is given to strings that grow: as much again as they have, up to this. */
    private static final int MAX_SPARE = 1024 * 1024;

    private final Memory memory;
    private final Allocator allocator;

    StringBlock(final Memory memory, final Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    long create(final UnsafeBuffer source, final int offset, final int length) {
        final long block = allocator.allocate(BYTES + length);
        memory.putInt(block, length);
        memory.putBytes(block + BYTES, source, offset, length);
        return block;
    }

    /** A block of some bytes, and zeros behind them up to a length. */
    long createPadded(final UnsafeBuffer source, final int offset, final int bytes, final int length) {
        final int total = Math.max(bytes, length);
        final long block = allocator.allocate(BYTES + total);
        memory.putInt(block, total);
        memory.putBytes(block + BYTES, source, offset, bytes);
        memory.clear(block + BYTES + bytes, total - bytes);
        return block;
    }

    /** A block of zeros. */
    long createZeroed(final int length) {
        final long block = allocator.allocate(BYTES + length);
        memory.putInt(block, length);
        memory.clear(block + BYTES, length);
        return block;
    }

    long copy(final long block) {
        final int length = length(block);
        return create(memory.buffer(block), Memory.offset(block) + BYTES, length);
    }

    int length(final long block) {
        return memory.getInt(block);
    }

    /** Overwrites a block if the bytes fit and waste no more than half of it, else replaces it; returns the block. */
    long set(final long block, final UnsafeBuffer source, final int offset, final int length) {
        if (length == length(block)) {
            // The usual case, which need not ask the allocator.
            memory.putBytes(block + BYTES, source, offset, length);
            return block;
        }
        final int usable = allocator.usable(block);
        final int needed = BYTES + length;
        if (needed <= usable && Allocator.rounded(needed) * 2L > usable) {
            memory.putInt(block, length);
            memory.putBytes(block + BYTES, source, offset, length);
            return block;
        }
        final long fresh = create(source, offset, length);
        allocator.free(block);
        return fresh;
    }

    /** Makes a block longer; the new bytes are zero. Returns the block, which may have moved. */
    long extend(final long block, final int length) {
        final int before = length(block);
        long target = block;
        if (BYTES + length > allocator.usable(block)) {
            final int spare = Math.min(length, MAX_SPARE);
            target = allocator.allocate(BYTES + length + spare);
            memory.copy(block + BYTES, target + BYTES, before);
            allocator.free(block);
        }
        memory.putInt(target, length);
        memory.clear(target + BYTES + before, length - before);
        return target;
    }

    void free(final long block) {
        allocator.free(block);
    }

    int footprint(final long block) {
        return allocator.usable(block);
    }
}
