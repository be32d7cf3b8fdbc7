package io.verbena.tier;

import java.util.concurrent.atomic.LongAdder;

/** What {@link PagedStatistics} is made of. Thread-safe. */
final class Counters {
    final LongAdder hits = new LongAdder();
    final LongAdder faults = new LongAdder();
    final LongAdder evictions = new LongAdder();
    final LongAdder writeBacks = new LongAdder();
    final LongAdder readAhead = new LongAdder();
    final LongAdder readAheadUsed = new LongAdder();
    final LongAdder resident = new LongAdder();
    final LongAdder dirty = new LongAdder();
    final LongAdder lost = new LongAdder();
}
