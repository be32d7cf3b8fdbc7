package io.verbena.bench.check.redis;

import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** What has happened in a run. Thread-safe. */
final class RedisTally {
    final LongAdder commands = new LongAdder();
    final LongAdder replies = new LongAdder();
    final LongAdder refused = new LongAdder();
    final LongAdder bytesOut = new LongAdder();
    final LongAdder bytesIn = new LongAdder();
    final LongAdder connections = new LongAdder();
    final LongAdder reconnects = new LongAdder();
    final LongAdder deaths = new LongAdder();
    final LongAdder halfCloses = new LongAdder();
    final LongAdder inDoubt = new LongAdder();
    final LongAccumulator maxDepth = new LongAccumulator(Math::max, 0);
    private final Map<String, LongAdder> byCommand = new ConcurrentHashMap<>();

    /** The adder of a command; worth keeping. */
    LongAdder of(String command) {
        return byCommand.computeIfAbsent(command, key -> new LongAdder());
    }

    /** Replies by command, sorted. */
    Map<String, Long> byCommand() {
        Map<String, Long> sums = new TreeMap<>();
        byCommand.forEach((command, sum) -> sums.put(command, sum.sum()));
        return sums;
    }
}
