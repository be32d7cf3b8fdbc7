package io.verbena.bench.scale;

import io.verbena.bench.path.WaitLimit;
import io.verbena.fabric.shm.LocalFabric;
import io.verbena.nic.CompletionQueue;
import io.verbena.nic.Nic;
import io.verbena.nic.NicContext;
import io.verbena.nic.ProtectionDomain;
import io.verbena.nic.QueuePair;
import io.verbena.nic.QueuePairAttributes;
import io.verbena.nic.SendRequest;
import io.verbena.nic.verbs.EngineMode;
import io.verbena.verification.Waits;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.List;

/** What a connected queue pair holds that does nothing: objects on the heap, and direct memory. */
final class QueuePairMemory {
    private static final int COLLECTIONS = 4;
    private static final double SETTLE_SECONDS = 0.2;

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
     * @param used whether each has sent a message, and received one into its own receive queue
     */
    static Bytes measure(Rings rings, int count, boolean used) {
        try (Nic a = Nic.open(new NicContext().mode(EngineMode.INVOKER));
                Nic b = Nic.open(new NicContext().mode(EngineMode.INVOKER))) {
            LocalFabric.connect(a.engine(0).endpoint(), b.engine(0).endpoint());
            ProtectionDomain pdA = a.allocateProtectionDomain();
            ProtectionDomain pdB = b.allocateProtectionDomain();
            CompletionQueue cqA = a.createCompletionQueue(64);
            CompletionQueue cqB = b.createCompletionQueue(64);
            QueuePair[] made = new QueuePair[count & -2];
            long heap = 0;
            long direct = 0;
            for (int i = 0; i < made.length; i += 2) {
                QueuePair ofA = pdA.createQueuePair(rings.attributes(cqA));
                QueuePair ofB = pdB.createQueuePair(rings.attributes(cqB));
                ofA.connect(b.id(), ofB.number());
                ofB.connect(a.id(), ofA.number());
                made[i] = ofA;
                made[i + 1] = ofB;
                if (used) {
                    use(ofA, ofB, cqA, cqB);
                }
                if (i == 0) { // the first pair has loaded the classes
                    heap = heap();
                    direct = direct();
                }
            }
            double n = made.length - 2;
            return new Bytes((heap() - heap) / n, (direct() - direct) / n);
        }
    }

    /** A message each way. */
    private static void use(QueuePair ofA, QueuePair ofB, CompletionQueue cqA, CompletionQueue cqB) {
        ofA.postReceive(0, 0, 0, 0);
        ofB.postReceive(0, 0, 0, 0);
        ofA.postSend(new SendRequest().send());
        ofB.postSend(new SendRequest().send());
        WaitLimit deadline = WaitLimit.ofSeconds(10, "message");
        int[] done = new int[1];
        while (done[0] < 4) {
            cqA.poll(completion -> done[0]++, 4);
            cqB.poll(completion -> done[0]++, 4);
            deadline.check();
        }
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

    /** Direct memory is given back a little after the collection that finds it unused. */
    private static long direct() {
        Waits.sleep(SETTLE_SECONDS);
        List<BufferPoolMXBean> pools = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class);
        return pools.stream()
                .filter(pool -> pool.getName().equals("direct"))
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
    }
}
