package io.verbena.kv.store;

/**
 * Small sets of integers: one block with the numbers in order.
 *
 * <pre>
 *   0 members (4)
 *   8 numbers, 8 bytes each, least first
 * </pre>
 *
 * <p>Single-threaded, as the shard that owns it.
 */
final class IntegerSet {
    private static final int NUMBERS = 8;
    private static final int INITIAL_LENGTH = 64;

    private final Memory memory;
    private final Allocator allocator;

    IntegerSet(Memory memory, Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    long create() {
        long block = allocator.allocate(INITIAL_LENGTH);
        memory.putInt(block, 0);
        return block;
    }

    /** Bytes of a block in use. */
    int length(long block) {
        return NUMBERS + size(block) * Long.BYTES;
    }

    long copy(long block) {
        int length = length(block);
        long copy = allocator.allocate(length);
        memory.copy(block, copy, length);
        return copy;
    }

    void free(long block) {
        allocator.free(block);
    }

    int footprint(long block) {
        return allocator.usable(block);
    }

    int size(long block) {
        return memory.getInt(block);
    }

    long get(long block, int index) {
        return memory.getLong(block + NUMBERS + ((long) index << 3));
    }

    /** Index of a number, or -(index where it belongs) - 1. */
    int indexOf(long block, long number) {
        int low = 0;
        int high = size(block) - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            long found = get(block, middle);
            if (found == number) {
                return middle;
            }
            if (found < number) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -low - 1;
    }

    /** Inserts a number at its index; returns the block, which may have moved. */
    long insert(long block, int index, long number) {
        int size = size(block);
        int length = NUMBERS + (size + 1) * Long.BYTES;
        long target = block;
        if (length > allocator.usable(block)) {
            target = allocator.allocate(length + length / 2);
            memory.copy(block, target, NUMBERS + size * Long.BYTES);
            allocator.free(block);
        }
        long at = target + NUMBERS + ((long) index << 3);
        memory.copy(at, at + Long.BYTES, (size - index) * Long.BYTES);
        memory.putLong(at, number);
        memory.putInt(target, size + 1);
        return target;
    }

    void remove(long block, int index) {
        int size = size(block);
        long at = block + NUMBERS + ((long) index << 3);
        memory.copy(at + Long.BYTES, at, (size - index - 1) * Long.BYTES);
        memory.putInt(block, size - 1);
    }
}
