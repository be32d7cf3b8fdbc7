package io.verbena.bench.path;

import io.verbena.verification.RunException;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The processor's own fetch-and-add on a word of direct memory; its result goes to another word and is polled there, as
 * that of a fetch-and-add request is.
 */
final class AtomicEnd extends LocalEnd {
    private static final int RESULT = 2 * BitUtil.CACHE_LINE_LENGTH;

    private final UnsafeBuffer memory =
            new UnsafeBuffer(BufferUtil.allocateDirectAligned(2 * RESULT, BitUtil.CACHE_LINE_LENGTH));
    private long added;

    AtomicEnd(Rendezvous rendezvous, boolean near, PathSettings settings) {
        super(near, settings);
        rendezvous.meet(() -> {});
    }

    @Override
    public boolean offer(long number) {
        memory.putLongRelease(RESULT, memory.getAndAddLong(0, 1));
        if (memory.getLongVolatile(RESULT) != number) {
            throw new RunException("fetch-and-add " + number + " brought " + memory.getLong(RESULT));
        }
        added++;
        return true;
    }

    @Override
    int complete(int limit) {
        int count = (int) (added - taken());
        while (taken() < added) {
            accept(taken());
        }
        return count;
    }
}
