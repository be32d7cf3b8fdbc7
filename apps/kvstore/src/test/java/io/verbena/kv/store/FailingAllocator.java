package io.verbena.kv.store;

/** Fails at a chosen allocation, or from it on, and else allocates. */
final class FailingAllocator extends Allocator {
    private long failAt = Long.MAX_VALUE;
    private boolean forGood;
    private long count;
    private int failures;
    private int attachesToFail;

    FailingAllocator(Memory memory, long budget) {
        super(memory, budget);
    }

    /** Fails at the n-th allocation from now, the first being 1, and at all behind it if that is wanted. */
    void failAt(long n, boolean alsoAllBehind) {
        count = 0;
        failures = 0;
        failAt = n;
        forGood = alsoAllBehind;
    }

    /** Fails no more; returns how often it has failed. */
    int disarm() {
        failAt = Long.MAX_VALUE;
        return failures;
    }

    /** Fails so many times to give an extent an address. */
    void failAttaches(int times) {
        attachesToFail = times;
    }

    @Override
    long attach(MemoryChunk extent) {
        if (attachesToFail > 0) {
            attachesToFail--;
            throw new AllocationFailedException(1, committed(), budget());
        }
        return super.attach(extent);
    }

    @Override
    long allocate(int length) {
        count++;
        if (count == failAt || (count > failAt && forGood)) {
            failures++;
            throw new AllocationFailedException(length, committed(), budget());
        }
        return super.allocate(length);
    }
}
