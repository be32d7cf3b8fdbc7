package io.verbena.kv.store;

import org.agrona.concurrent.UnsafeBuffer;

/**
 * Small hashes and sorted sets: one block of packed elements, searched from the front.
 *
 * <pre>
 *   0 elements (4)
 *   4 end of the run (4), counted from the block's address
 *   8 {@link Packed} elements
 * </pre>
 *
 * <p>Positions count from the block's address. Single-threaded, as the shard that owns it.
 */
final class PackedList {
    /** Position of the first element. */
    static final int FIRST = 8;

    private static final int COUNT = 0;
    private static final int END = 4;
    private static final int INITIAL_LENGTH = 64;

    private final Memory memory;
    private final Allocator allocator;

    PackedList(final Memory memory, final Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    long create() {
        final long block = allocator.allocate(INITIAL_LENGTH);
        memory.putInt(block + COUNT, 0);
        memory.putInt(block + END, FIRST);
        return block;
    }

    long copy(final long block) {
        final int end = end(block);
        final long copy = allocator.allocate(end);
        memory.copy(block, copy, end);
        return copy;
    }

    void free(final long block) {
        allocator.free(block);
    }

    int footprint(final long block) {
        return allocator.usable(block);
    }

    int size(final long block) {
        return memory.getInt(block + COUNT);
    }

    /** Position behind the last element. */
    int end(final long block) {
        return memory.getInt(block + END);
    }

    int next(final long block, final int at) {
        return Packed.next(memory.buffer(block), Memory.offset(block) + at) - Memory.offset(block);
    }

    int previous(final long block, final int at) {
        return Packed.previous(memory.buffer(block), Memory.offset(block) + at) - Memory.offset(block);
    }

    int length(final long block, final int at) {
        return Packed.length(memory.buffer(block), Memory.offset(block) + at);
    }

    /** Address of the bytes of an element. */
    long bytes(final long block, final int at) {
        return block + Packed.bytes(at, length(block, at));
    }

    boolean equals(final long block, final int at, final UnsafeBuffer other, final int offset, final int length) {
        return length(block, at) == length
                && Bytes.equal(
                        memory.buffer(block), Packed.bytes(Memory.offset(block) + at, length), other, offset, length);
    }

    /** Position of the first element that equals some bytes, looking at every stride-th; -1 if there is none. */
    int find(final long block, final int stride, final UnsafeBuffer other, final int offset, final int length) {
        final int end = end(block);
        int at = FIRST;
        while (at < end) {
            if (equals(block, at, other, offset, length)) {
                return at;
            }
            for (int i = 0; i < stride; i++) {
                at = next(block, at);
            }
        }
        return -1;
    }

    /** Inserts an element at a position; returns the block, which may have moved. */
    long insert(final long block, final int at, final UnsafeBuffer source, final int offset, final int length) {
        final int needed = Packed.size(length);
        final long target = ensure(block, needed);
        final int end = end(target);
        memory.copy(target + at, target + at + needed, end - at);
        Packed.write(memory.buffer(target), Memory.offset(target) + at, source, offset, length);
        memory.putInt(target + END, end + needed);
        memory.putInt(target + COUNT, size(target) + 1);
        return target;
    }

    /** Gives the run room for more bytes at its end; returns the block, which may have moved. */
    long ensure(final long block, final int more) {
        final int end = end(block);
        if (end + more <= allocator.usable(block)) {
            return block;
        }
        final long target = allocator.allocate(end + more + (end >> 1));
        memory.copy(block, target, end);
        allocator.free(block);
        return target;
    }

    /** Replaces the element at a position; returns the block, which may have moved. */
    long replace(final long block, final int at, final UnsafeBuffer source, final int offset, final int length) {
        if (length(block, at) == length) {
            memory.putBytes(bytes(block, at), source, offset, length);
            return block;
        }
        final long target = ensure(block, Packed.size(length));
        remove(target, at, 1);
        return insert(target, at, source, offset, length);
    }

    /** Removes elements from a position on; the block stays. */
    void remove(final long block, final int at, final int elements) {
        final int end = end(block);
        int behind = at;
        for (int i = 0; i < elements; i++) {
            behind = next(block, behind);
        }
        memory.copy(block + behind, block + at, end - behind);
        memory.putInt(block + END, end - (behind - at));
        memory.putInt(block + COUNT, size(block) - elements);
    }
}
