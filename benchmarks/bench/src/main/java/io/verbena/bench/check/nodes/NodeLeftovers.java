package io.verbena.bench.check.nodes;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** What nodes leave in the process when all of them are closed: memory outside the heap, and threads. */
final class NodeLeftovers {
    /** What stays in buffers of threads and pools, however many nodes there were. */
    private static final long SLACK = 16 << 20;

    private static final long MAX = TimeUnit.SECONDS.toNanos(20);
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(50);

    private final long direct;
    private final long mapped;
    private final long threads;

    private NodeLeftovers(long direct, long mapped, long threads) {
        this.direct = direct;
        this.mapped = mapped;
        this.threads = threads;
    }

    /** What there is now, before the nodes. */
    static NodeLeftovers now() {
        return new NodeLeftovers(used("direct"), used("mapped"), threads());
    }

    private static long used(String pool) {
        return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .filter(each -> each.getName().equals(pool))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("verbena"))
                .count();
    }

    /** What all closed nodes have left since, in words, or null; waits for the collector. */
    @Nullable
    String since() {
        long until = System.nanoTime() + MAX;
        while (true) {
            System.gc();
            long moreDirect = used("direct") - direct;
            long moreMapped = used("mapped") - mapped;
            long moreThreads = threads() - threads;
            if (moreDirect <= SLACK && moreMapped <= 0 && moreThreads <= 0) {
                return null;
            }
            if (System.nanoTime() - until > 0) {
                return moreDirect + " bytes of direct memory, " + moreMapped + " of mapped, " + moreThreads
                        + " threads";
            }
            LockSupport.parkNanos(LOOK);
        }
    }
}
