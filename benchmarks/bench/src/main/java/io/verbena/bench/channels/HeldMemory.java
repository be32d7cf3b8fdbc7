package io.verbena.bench.channels;

import io.verbena.verification.Waits;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What this process holds: objects on the heap, and direct memory. */
final class HeldMemory {
    private static final int COLLECTIONS = 4;
    private static final double SETTLE_SECONDS = 0.2;

    private HeldMemory() {}

    /** Bytes of both, after a few collections. */
    static long bytes() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        Waits.sleep(SETTLE_SECONDS); // direct memory is given back a little after the collection that finds it unused
        List<BufferPoolMXBean> pools = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
        return least
                + pools.stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }
}
