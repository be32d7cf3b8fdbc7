package io.verbena.bench.check.messages;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** What was done over one fabric in one mode. Thread-safe. */
public final class MessageTally {
    /** What is counted. */
    public enum Count {
        /** Messages that were sent; those that callbacks sent back count again. */
        MESSAGES,
        /** Their bytes. */
        BYTES,
        /** Calls that ended. */
        CALLS,
        /** Of these, calls that expired. */
        EXPIRED,
        /** Operations on regions that ended. */
        OPERATIONS,
        /** Messages that were held. */
        HOLDS,
        /** Channels, inboxes, regions and nodes that were closed. */
        CLOSES,
        /** Processes that were killed. */
        KILLS
    }

    private final Map<Count, LongAdder> counts = new EnumMap<>(Count.class);

    MessageTally() {
        for (Count count : Count.values()) {
            counts.put(count, new LongAdder());
        }
    }

    void add(Count count, long number) {
        adder(count).add(number);
    }

    /** How many there were so far. */
    public long get(Count count) {
        return adder(count).sum();
    }

    private LongAdder adder(Count count) {
        LongAdder adder = counts.get(count);
        if (adder == null) {
            throw new IllegalStateException(count + " is not counted");
        }
        return adder;
    }
}
