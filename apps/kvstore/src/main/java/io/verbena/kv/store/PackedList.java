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

    PackedList(Memory memory, Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    long create() {
        long block = allocator.allocate(INITIAL_LENGTH);
        memory.putInt(block + COUNT, 0);
        memory.putInt(block + END, FIRST);
        return block;
    }

    long copy(long block) {
        int end = end(block);
        long copy = allocator.allocate(end);
        memory.copy(block, copy, end);
        return copy;
    }

    void free(long block) {
        allocator.free(block);
    }

    int footprint(long block) {
        return allocator.usable(block);
    }

    int size(long block) {
        return memory.getInt(block + COUNT);
    }

    /** Position behind the last element. */
    int end(long block) {
        return memory.getInt(block + END);
    }

    int next(long block, int at) {
        return Packed.next(memory.buffer(block), Memory.offset(block) + at) - Memory.offset(block);
    }

    int previous(long block, int at) {
        return Packed.previous(memory.buffer(block), Memory.offset(block) + at) - Memory.offset(block);
    }

    int length(long block, int at) {
        return Packed.length(memory.buffer(block), Memory.offset(block) + at);
    }

    /** Address of the bytes of an element. */
    long bytes(long block, int at) {
        return block + Packed.bytes(at, length(block, at));
    }

    boolean equals(long block, int at, UnsafeBuffer other, int offset, int length) {
        return length(block, at) == length
                && Bytes.equal(
                        memory.buffer(block), Packed.bytes(Memory.offset(block) + at, length), other, offset, length);
    }

    /** Position of the first element that equals some bytes, looking at every stride-th; -1 if there is none. */
    int find(long block, int stride, UnsafeBuffer other, int offset, int length) {
        int end = end(block);
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
    long insert(long block, int at, UnsafeBuffer source, int offset, int length) {
        int needed = Packed.size(length);
        long target = ensure(block, needed);
        int end = end(target);
        memory.copy(target + at, target + at + needed, end - at);
        Packed.write(memory.buffer(target), Memory.offset(target) + at, source, offset, length);
        memory.putInt(target + END, end + needed);
        memory.putInt(target + COUNT, size(target) + 1);
        return target;
    }

    /** Gives the run room for more bytes at its end; returns the block, which may have moved. */
    long ensure(long block, int more) {
        int end = end(block);
        if (end + more <= allocator.usable(block)) {
            return block;
        }
        long target = allocator.allocate(end + more + (end >> 1));
        memory.copy(block, target, end);
        allocator.free(block);
        return target;
    }

    /** Replaces the element at a position; returns the block, which may have moved. */
    long replace(long block, int at, UnsafeBuffer source, int offset, int length) {
        if (length(block, at) == length) {
            memory.putBytes(bytes(block, at), source, offset, length);
            return block;
        }
        long target = ensure(block, Packed.size(length));
        remove(target, at, 1);
        return insert(target, at, source, offset, length);
    }

    /** Removes elements from a position on; the block stays. */
    void remove(long block, int at, int elements) {
        int end = end(block);
        int behind = at;
        for (int i = 0; i < elements; i++) {
            behind = next(block, behind);
        }
        memory.copy(block + behind, block + at, end - behind);
        memory.putInt(block + END, end - (behind - at));
        memory.putInt(block + COUNT, size(block) - elements);
    }
}
