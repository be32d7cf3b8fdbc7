package io.verbena.remote;

import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.memory.Access;
import io.verbena.nic.memory.MemoryRegion;
import java.nio.ByteBuffer;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * From which length on registering a buffer and deregistering it takes no longer than copying its bytes: figure 5 of
 * the RDMAbox paper, where it is 928 KB in user space. Measured once a process, in about a millisecond.
 */
public final class RegistrationCost {
    /** Bounds of what is measured, in bytes. */
    public static final int MIN_CROSSOVER = 4 << 10;

    /** See {@link #MIN_CROSSOVER}. */
    public static final int MAX_CROSSOVER = 4 << 20;

    private static final int ROUNDS = 64;
    private static final int COPIED = 64 << 10;

    private static volatile int measured; // 0: not yet

    private RegistrationCost() {}

    /**
     * The length, a power of two.
     *
     * @param pd in which to try it
     * @param clock what it takes is measured by
     * @return {@link #MAX_CROSSOVER} if the tenant may have no more regions
     */
    public static int crossover(ProtectionDomain pd, NanoClock clock) {
        int known = measured;
        if (known != 0) {
            return known;
        }
        int found = measure(pd, clock);
        if (found == 0) {
            return MAX_CROSSOVER; // another tenant may find out
        }
        measured = found;
        return found;
    }

    /** Returns 0 if the tenant may have no more regions. */
    private static int measure(ProtectionDomain pd, NanoClock clock) {
        ByteBuffer from = ByteBuffer.allocateDirect(COPIED);
        ByteBuffer to = ByteBuffer.allocateDirect(COPIED);
        try {
            long registering = Long.MAX_VALUE;
            long copying = Long.MAX_VALUE;
            UnsafeBuffer target = new UnsafeBuffer(to);
            UnsafeBuffer source = new UnsafeBuffer(from);
            for (int i = 0; i < ROUNDS; i++) { // the least: whoever came between does not count
                long begin = clock.nanoTime();
                MemoryRegion region = pd.tryRegister(from, Access.LOCAL_WRITE);
                if (region == null) {
                    return 0;
                }
                pd.deregister(region);
                long middle = clock.nanoTime();
                target.putBytes(0, source, 0, COPIED);
                registering = Math.min(registering, middle - begin);
                copying = Math.min(copying, clock.nanoTime() - middle);
            }
            return crossover(registering, copying / (double) COPIED);
        } finally {
            BufferUtil.free(from);
            BufferUtil.free(to);
        }
    }

    /** The power of two from which so many nanoseconds are no more than a copy at so many a byte. */
    static int crossover(long nanos, double nanosPerByte) {
        double bytes = nanosPerByte <= 0 ? MAX_CROSSOVER : nanos / nanosPerByte;
        return BitUtil.findNextPositivePowerOfTwo((int) Math.max(MIN_CROSSOVER, Math.min(bytes, MAX_CROSSOVER)));
    }
}
