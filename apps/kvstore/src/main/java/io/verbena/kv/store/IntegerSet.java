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

    IntegerSet(final Memory memory, final Allocator allocator) {
        this.memory = memory;
        this.allocator = allocator;
    }

    long create() {
        final long block = allocator.allocate(INITIAL_LENGTH);
        memory.putInt(block, 0);
        return block;
    }

    long copy(final long block) {
        final int length = NUMBERS + size(block) * Long.BYTES;
        final long copy = allocator.allocate(length);
        memory.copy(block, copy, length);
        return copy;
    }

    void free(final long block) {
        allocator.free(block);
    }

    int footprint(final long block) {
        return allocator.usable(block);
    }

    int size(final long block) {
        return memory.getInt(block);
    }

    long get(final long block, final int index) {
        return memory.getLong(block + NUMBERS + ((long) index << 3));
    }

    /** Index of a number, or -(index where it belongs) - 1. */
    int indexOf(final long block, final long number) {
        int low = 0;
        int high = size(block) - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            final long found = get(block, middle);
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
    long insert(final long block, final int index, final long number) {
        final int size = size(block);
        final int length = NUMBERS + (size + 1) * Long.BYTES;
        long target = block;
        if (length > allocator.usable(block)) {
            target = allocator.allocate(length + length / 2);
            memory.copy(block, target, NUMBERS + size * Long.BYTES);
            allocator.free(block);
        }
        final long at = target + NUMBERS + ((long) index << 3);
        memory.copy(at, at + Long.BYTES, (size - index) * Long.BYTES);
        memory.putLong(at, number);
        memory.putInt(target, size + 1);
        return target;
    }

    void remove(final long block, final int index) {
        final int size = size(block);
        final long at = block + NUMBERS + ((long) index << 3);
        memory.copy(at + Long.BYTES, at, (size - index - 1) * Long.BYTES);
        memory.putInt(block, size - 1);
    }
}
