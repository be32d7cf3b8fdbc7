package io.verbena.merge;

import io.verbena.MergingStatistics;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The accounts of a tenant's bytes in flight, one for each node that its merging regions lead to, and what the queues
 * of all have done. Thread-safe.
 */
public final class Admissions {
    private final Map<Long, Admission> byNic = new HashMap<>();
    private final Set<MergeQueue> queues = new HashSet<>(); // that count
    private final MergeCounters ended = new MergeCounters(); // of queues that count no more

    /** Creates them, without any. */
    public Admissions() {}

    /** The account for a node, of which the queue is a part from now on. */
    synchronized Admission join(long peerNic, MergeQueue queue) {
        Admission account = byNic.computeIfAbsent(peerNic, nic -> new Admission());
        account.add(queue);
        queues.add(queue);
        return account;
    }

    /** The queue is no part of it any more. */
    synchronized void leave(long peerNic, MergeQueue queue) {
        Admission account = byNic.get(peerNic);
        if (account != null && account.remove(queue)) {
            byNic.remove(peerNic);
        }
    }

    /** The queue takes nothing any more: what it has done is kept. Idempotent. */
    synchronized void ended(MergeQueue queue) {
        if (queues.remove(queue)) {
            ended.addAll(queue.counters());
        }
    }

    /** Nodes that there is an account for. */
    synchronized int size() {
        return byNic.size();
    }

    /** What all queues have done, and how much is under way. */
    public synchronized MergingStatistics statistics() {
        MergeCounters sum = new MergeCounters();
        sum.addAll(ended);
        for (MergeQueue queue : queues) {
            sum.addAll(queue.counters());
        }
        long bytes = 0;
        long window = 0;
        for (Admission account : byNic.values()) {
            bytes += account.inFlight();
            window += Math.min(account.window(), Long.MAX_VALUE - window);
        }
        return new MergingStatistics(
                sum.operations.get(),
                sum.workRequests.get(),
                sum.doorbells.get(),
                sum.merged.get(),
                sum.chained.get(),
                sum.waited.get(),
                sum.refused.sum(),
                bytes,
                window);
    }
}
