package io.verbena.bench.scale;

import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.EngineMode;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What a connected queue pair holds that does nothing: objects on the heap, and direct memory. */
final class QueuePairMemory {
    private static final int COLLECTIONS = 4;

    /**
     * The rings of a queue pair.
     *
     * @param maxSend sends that may be outstanding
     * @param maxReceive receives that may be outstanding
     * @param maxSge entries of a request
     * @param maxInline bytes of inline data
     */
    record Rings(int maxSend, int maxReceive, int maxSge, int maxInline) {
        /** Those that a queue pair has unless said otherwise. */
        static final Rings DEFAULT = new Rings(256, 256, 4, 64);

        private QueuePairAttributes attributes(CompletionQueue completions) {
            return new QueuePairAttributes()
                    .completionQueue(completions)
                    .maxSend(maxSend)
                    .maxReceive(maxReceive)
                    .maxSge(maxSge)
                    .maxInline(maxInline);
        }
    }

    /**
     * Bytes of one queue pair.
     *
     * @param heap of objects
     * @param direct of direct memory
     */
    record Bytes(double heap, double direct) {
        double total() {
            return heap + direct;
        }
    }

    private QueuePairMemory() {}

    /**
     * Measures: makes pairs of connected queue pairs between two NICs, and divides what was taken.
     *
     * @param count queue pairs, both ends counted
     */
    static Bytes measure(Rings rings, int count) {
        NicContext context = new NicContext().mode(EngineMode.INVOKER);
        try (Nic a = Nic.open(context);
                Nic b = Nic.open(new NicContext().mode(EngineMode.INVOKER))) {
            LocalFabric.connect(a.engine(0).endpoint(), b.engine(0).endpoint());
            ProtectionDomain pdA = a.allocateProtectionDomain();
            ProtectionDomain pdB = b.allocateProtectionDomain();
            CompletionQueue cqA = a.createCompletionQueue(64);
            CompletionQueue cqB = b.createCompletionQueue(64);
            QueuePair[] made = new QueuePair[count & -2];
            connect(
                    made,
                    0,
                    a,
                    b,
                    pdA.createQueuePair(rings.attributes(cqA)),
                    pdB.createQueuePair(rings.attributes(cqB)));
            long heap = heap();
            long direct = direct();
            for (int i = 2; i < made.length; i += 2) { // the first pair has loaded the classes
                connect(
                        made,
                        i,
                        a,
                        b,
                        pdA.createQueuePair(rings.attributes(cqA)),
                        pdB.createQueuePair(rings.attributes(cqB)));
            }
            double n = made.length - 2;
            return new Bytes((heap() - heap) / n, (direct() - direct) / n);
        }
    }

    private static void connect(QueuePair[] made, int at, Nic a, Nic b, QueuePair ofA, QueuePair ofB) {
        ofA.connect(b.id(), ofB.number());
        ofB.connect(a.id(), ofA.number());
        made[at] = ofA;
        made[at + 1] = ofB;
    }

    private static long heap() {
        Runtime runtime = Runtime.getRuntime();
        long least = Long.MAX_VALUE;
        for (int i = 0; i < COLLECTIONS; i++) {
            System.gc();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }

    private static long direct() {
        List<BufferPoolMXBean> pools = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
        return pools.stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
