package io.verbena.nic.poll;

import java.util.concurrent.atomic.LongAdder;

/**
 * Counts what waiting costs. Any thread counts and reads. Empty looks are counted by the wait and added when it ends,
 * so that a thread that spins writes nothing that others see.
 */
public final class WaitCounters {
    private final LongAdder emptyLooks = new LongAdder();
    private final LongAdder sleeps = new LongAdder();
    private final LongAdder wakeUps = new LongAdder();

    /** Begins at 0. */
    public WaitCounters() {}

    /** A wait, or a part of one, has looked in vain so often. */
    public void emptyLooks(long count) {
        if (count > 0) {
            emptyLooks.add(count);
        }
    }

    /** A thread is about to block. */
    public void sleeps() {
        sleeps.increment();
    }

    /** A thread that was blocked runs again. */
    public void wakesUp() {
        wakeUps.increment();
    }

    /** What was counted so far. */
    public WaitStatistics statistics() {
        return new WaitStatistics(emptyLooks.sum(), sleeps.sum(), wakeUps.sum());
    }
}
