package io.verbena.bench.perftest;

import io.verbena.nic.CompletionHandler;

/**
 * The target of READs and of streams of WRITEs: it drives its engine, no more. After a stream of WRITEs it looks at
 * what the last ones have left in each slot.
 */
final class Passive extends Traffic {
    private final CompletionHandler handler = Traffic::check;

    Passive(TestEnd end, PerftestSettings settings, SpinWait wait) {
        super(end, settings, wait);
    }

    @Override
    int poll() {
        return end.completions().poll(handler, 16);
    }

    @Override
    boolean isComplete(long messages) {
        if (settings.kind().verb() == TestKind.Verb.WRITE && settings.validate()) {
            int queuePairs = end.queuePairCount();
            for (int i = 0; i < queuePairs; i++) {
                long count =
                        (messages - i + queuePairs - 1) / queuePairs; // message m is m / queuePairs on m % queuePairs
                for (long index = Math.max(0, count - end.slots()); index < count; index++) {
                    end.pattern().verify(end.arrivals(), end.slotOffset(i, index), end.size(), index * queuePairs + i);
                }
            }
        }
        return true;
    }
}
