package io.verbena.merge;

import java.util.concurrent.atomic.AtomicLong;

/** What a queue has done. Whoever drains counts; any thread reads. */
final class MergeCounters {
    final AtomicLong operations = new AtomicLong();
    final AtomicLong workRequests = new AtomicLong();
    final AtomicLong doorbells = new AtomicLong();
    final AtomicLong merged = new AtomicLong();
    final AtomicLong chained = new AtomicLong();
    final AtomicLong waited = new AtomicLong();
    final AtomicLong fenced = new AtomicLong();

    /** Counts; by one thread at a time, which needs no atomic operation. */
    static void add(AtomicLong counter, long more) {
        counter.setRelease(counter.getPlain() + more);
    }
}
