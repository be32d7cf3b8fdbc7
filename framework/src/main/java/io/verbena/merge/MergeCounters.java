package io.verbena.merge;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What a queue has done. Whoever drains counts, but for what is refused: its callers count that. Any thread reads. */
final class MergeCounters {
    final AtomicLong operations = new AtomicLong();
    final AtomicLong workRequests = new AtomicLong();
    final AtomicLong doorbells = new AtomicLong();
    final AtomicLong merged = new AtomicLong();
    final AtomicLong chained = new AtomicLong();
    final AtomicLong waited = new AtomicLong();
    final AtomicLong fenced = new AtomicLong();
    final LongAdder refused = new LongAdder();

    /** Counts; by one thread at a time, which needs no atomic operation. */
    static void add(AtomicLong counter, long more) {
        counter.setRelease(counter.getPlain() + more);
    }

    /** Adds what another queue has done; by one thread at a time, and nobody else counts here. */
    void addAll(MergeCounters other) {
        add(operations, other.operations.get());
        add(workRequests, other.workRequests.get());
        add(doorbells, other.doorbells.get());
        add(merged, other.merged.get());
        add(chained, other.chained.get());
        add(waited, other.waited.get());
        add(fenced, other.fenced.get());
        refused.add(other.refused.sum());
    }
}
