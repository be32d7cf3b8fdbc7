package io.verbena.kv.store;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Memory elsewhere that is there after some tries, by a seed, and of which pages can be lost. */
final class SlowMemory implements OverflowMemory {
    private static final int PAGE = 4096;

    private final UnsafeBuffer bytes;
    private final SplittableRandom random;
    private final int delays;
    private final BitSet lost = new BitSet();
    private boolean silent;
    private int room = Integer.MAX_VALUE;
    int writes;
    long refused;

    /** Creates it; of so many tries all but one are refused. */
    SlowMemory(int length, long seed, int delays) {
        this.bytes = new UnsafeBuffer(new byte[length]);
        this.random = new SplittableRandom(seed);
        this.delays = delays;
    }

    /** Loses all pages that there are. */
    void lose() {
        lost.set(0, bytes.capacity() / PAGE);
    }

    /** Has room for so many bytes from its beginning on. */
    void room(int length) {
        room = length;
    }

    /** Whether nothing is done any more. */
    void silent(boolean value) {
        silent = value;
    }

    private boolean isRefused(long offset, int length) {
        for (long page = offset / PAGE; page <= (offset + length - 1) / PAGE; page++) {
            if (lost.get((int) page)) {
                throw new OverflowException("the value is lost with peer x, which alone had it");
            }
        }
        boolean isRefused = silent || random.nextInt(delays) > 0;
        refused += isRefused ? 1 : 0;
        return isRefused;
    }

    @Override
    public boolean tryRead(long offset, MutableDirectBuffer target, int index, int length) {
        if (isRefused(offset, length)) {
            return false;
        }
        target.putBytes(index, bytes, (int) offset, length);
        return true;
    }

    @Override
    public boolean tryWrite(long offset, DirectBuffer source, int index, int length) {
        writes++;
        boolean isRefused = isRefused(offset, length);
        if (offset + length > room) {
            throw new OverflowFullException("no room for page " + offset / PAGE);
        }
        bytes.putBytes((int) offset, source, index, isRefused ? length / 2 : length);
        return !isRefused;
    }

    @Override
    public void discard(long offset, int length) {
        lost.clear((int) (offset / PAGE), (int) ((offset + length) / PAGE));
    }
}
