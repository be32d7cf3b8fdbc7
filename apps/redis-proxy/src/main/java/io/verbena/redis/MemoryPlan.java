package io.verbena.redis;

import io.netty.util.internal.PlatformDependent;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/**
 * How the memory of the JVM is divided.
 *
 * <pre>
 *   direct memory (-XX:MaxDirectMemorySize)
 *     reserve   queues between workers and shards, sockets, replies under way, arguments at the limit: a quarter,
 *               64 MiB to 1 GiB
 *     clients   maxmemory-clients: an eighth, at least 32 MiB, unless set
 *     overflow  overflow-resident, if there are overflow-peers
 *     data      the rest: what the shards may hold from the process, free parts included
 *   heap (-Xmx)
 *     queues    commands between MULTI and EXEC: an eighth
 * </pre>
 *
 * <p>Data never takes the last of the direct memory: near its end the JVM collects garbage and sleeps for each
 * allocation, and then throws wherever it is asked.
 *
 * @param heap bytes of the heap
 * @param direct bytes of direct memory
 * @param clients bytes for what clients send and leave unread, 0 for no limit
 * @param data bytes for data
 * @param queues bytes for queued commands of transactions
 * @param queryBuffer bytes that one client may have sent and that wait to be executed
 */
record MemoryPlan(long heap, long direct, long clients, long data, long queues, long queryBuffer) {
    private static final long MIB = 1L << 20;
    private static final long MIN_RESERVE = 64 * MIB;
    private static final long MAX_RESERVE = 1024 * MIB;
    private static final long MIN_CLIENTS = 32 * MIB;
    private static final long MIN_QUEUES = 4 * MIB;
    /** The largest value, and what is around it. */
    private static final long MIN_QUERY_BUFFER = 80 * MIB;
    /** Redis' default. */
    private static final long MAX_QUERY_BUFFER = 1024 * MIB;

    /** The division in this JVM. */
    static MemoryPlan of(ProxyContext context) {
        return of(context, Runtime.getRuntime().maxMemory(), PlatformDependent.maxDirectMemory());
    }

    static MemoryPlan of(ProxyContext context, long heap, long direct) {
        long usual = Math.max(MIN_CLIENTS, direct / 8);
        MemoryShare share = context.maxMemoryClients();
        long clients = share == null ? usual : share.of(direct);
        long reserve = Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, direct / 4));
        long data = Math.max(direct / 4, direct - reserve - (clients == 0 ? usual : clients));
        data = Math.max(data / 4, data - context.overflow().directBytes());
        long queues = context.maxQueuedBytes() > 0 ? context.maxQueuedBytes() : Math.max(MIN_QUEUES, heap / 8);
        long queryBuffer = context.queryBufferLimit() > 0
                ? context.queryBufferLimit()
                : Math.min(MAX_QUERY_BUFFER, Math.max(MIN_QUERY_BUFFER, direct / 4));
        return new MemoryPlan(heap, direct, clients, data, queues, queryBuffer);
    }

    /**
     * Checks that the data may become as large as wanted.
     *
     * @throws IllegalArgumentException that names both values and the way out
     */
    void check(long maxMemory) {
        if (maxMemory > data) {
            throw new IllegalArgumentException("maxmemory " + MemorySize.human(maxMemory) + " > "
                    + MemorySize.human(data) + ", which is what " + MemorySize.human(direct)
                    + " of direct memory leaves for data; lower maxmemory, or start the JVM with"
                    + " -XX:MaxDirectMemorySize=" + (directFor(maxMemory) / MIB + 1) + "m (VERBENA_JAVA_OPTS)");
        }
    }

    /**
     * Direct memory with which so much data has its place; the inverse of {@link #of}, with an eighth for
     * fragmentation.
     */
    private static long directFor(long maxMemory) {
        long data = maxMemory + maxMemory / 8;
        long small = Math.max(data / 5 * 8, data + MIN_RESERVE + MIN_CLIENTS);
        return small <= 4 * MAX_RESERVE ? small : (data + MAX_RESERVE) / 7 * 8;
    }

    /** Direct memory in use, by the JVM's count and Netty's. */
    static long directInUse() {
        long bytes = Math.max(0, PlatformDependent.usedDirectMemory());
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
            if (pool.getName().equals("direct")) {
                bytes += pool.getMemoryUsed();
            }
        }
        return bytes;
    }
}
