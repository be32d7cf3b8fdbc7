package io.verbena.bench.tenants;

import io.verbena.nic.PerformanceGroup;
import java.util.concurrent.atomic.AtomicLong;

/** What a tenant has posted, and whether that kept the NIC busy. One thread posts; another may sample. */
final class PostedRequests {
    /**
     * Requests that are more than a visit takes, in whatever unit it is charged: while it lasts the NIC's numbers are a
     * visit old.
     */
    private static final int MORE_THAN_A_VISIT = 8192;

    private final PerformanceGroup group;
    private final int backlog; // requests that a tenant with work has queued at least
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong shortOf = new AtomicLong(); // times that it posted when less than the backlog was left
    private long shortSeen; // the sampler's

    /** Of a group whose queue pairs take this many requests together. */
    PostedRequests(PerformanceGroup group, int depth) {
        this.group = group;
        backlog = Math.max(1, Math.min(depth / 2, MORE_THAN_A_VISIT));
    }

    /** A batch is about to be posted; returns how many requests were posted before it. */
    long begin() {
        long before = count.getPlain();
        if (before - group.statistics().messages() < backlog) {
            shortOf.setOpaque(shortOf.getPlain() + 1);
        }
        return before;
    }

    /** The batch was posted. */
    void end(int batch) {
        count.setOpaque(count.getPlain() + batch);
    }

    /**
     * Whether the tenant has had half of what it may have posted (or {@value #MORE_THAN_A_VISIT} requests) waiting for
     * the NIC ever since this was asked before. Before a post is when there are fewest, so a look then and one now
     * tell; what the visit under way has sent the NIC has not counted yet, which is why it has to be so many. For one
     * thread that samples.
     */
    boolean hadWork() {
        long now = shortOf.getOpaque();
        boolean had = now == shortSeen && count.getOpaque() - group.statistics().messages() >= backlog;
        shortSeen = now;
        return had;
    }
}
