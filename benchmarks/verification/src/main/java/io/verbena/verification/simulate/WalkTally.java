package io.verbena.verification.simulate;

import io.verbena.nic.sim.LinkCounters;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.WcStatus;

/** What happened in one walk, or in many: packets, faults, verbs. Not thread-safe; threads add theirs up at the end. */
final class WalkTally {
    private static final WcStatus[] STATUSES = WcStatus.values();
    private static final PostedVerb[] VERBS = PostedVerb.values();
    private static final AsyncEventType[] EVENTS = AsyncEventType.values();

    /** What is counted besides requests, receives, faults and asynchronous events. */
    enum Event {
        PACKETS_LOST("packets lost"),
        PACKETS_CUT("packets cut off"),
        PACKETS_CORRUPTED("packets corrupted"),
        PACKETS_DUPLICATED("packets duplicated"),
        PACKETS_REORDERED("packets reordered"),
        DIRECT("operations done directly"),
        MERGED("appends merged"),
        BATCHES("batches"),
        ABORTS("batches aborted"),
        RESIZES("completion queues resized"),
        SHARED("receives from shared queues"),
        LIMITS("limits of shared queues reached"),
        SHARED_RESIZES("shared queues resized"),
        CALLS("windows bound by call"),
        LARGE("large messages"),
        MOVES("regions registered anew"),
        RESUMES("queue pairs taken out of SQE"),
        COPIES("datagrams that come twice"),
        PACKETS_SENT(""),
        PACKETS_DELIVERED(""),
        RECORDS(""),
        HOLES(""),
        REFUSALS(""),
        QUEUE_FULL(""),
        CONNECTIONS("");

        final String words;

        Event(String words) {
            this.words = words;
        }

        /** Whether many walks must meet it. */
        boolean isRequired() {
            return !words.isEmpty();
        }
    }

    final long[][] completions = new long[VERBS.length][STATUSES.length];
    final long[] posted = new long[VERBS.length];
    final long[] receives = new long[STATUSES.length];
    final long[] events = new long[EVENTS.length];
    private final long[] faults = new long[Fault.values().length];
    private final long[] counts = new long[Event.values().length];
    long virtualNanos;
    long walks;

    void add(Event event) {
        add(event, 1);
    }

    void add(Event event, long times) {
        counts[event.ordinal()] += times;
    }

    long count(Event event) {
        return counts[event.ordinal()];
    }

    void completed(PostedVerb verb, WcStatus status) {
        completions[verb.ordinal()][status.ordinal()]++;
    }

    void received(WcStatus status) {
        receives[status.ordinal()]++;
    }

    void fault(Fault fault) {
        faults[fault.ordinal()]++;
    }

    long count(Fault fault) {
        return faults[fault.ordinal()];
    }

    void event(AsyncEventType type) {
        events[type.ordinal()]++;
    }

    void packets(LinkCounters c) {
        add(Event.PACKETS_SENT, c.sent());
        add(Event.PACKETS_DELIVERED, c.delivered());
        add(Event.PACKETS_LOST, c.lost());
        add(Event.PACKETS_CUT, c.cut());
        add(Event.PACKETS_CORRUPTED, c.corrupted());
        add(Event.PACKETS_DUPLICATED, c.duplicated());
        add(Event.PACKETS_REORDERED, c.reordered());
    }

    /** Requests posted. */
    long verbs() {
        return sum(posted);
    }

    void add(WalkTally t) {
        for (int i = 0; i < VERBS.length; i++) {
            add(completions[i], t.completions[i]);
        }
        add(posted, t.posted);
        add(receives, t.receives);
        add(events, t.events);
        add(faults, t.faults);
        add(counts, t.counts);
        virtualNanos += t.virtualNanos;
        walks += t.walks;
    }

    static long sum(long[] values) {
        long sum = 0;
        for (long v : values) {
            sum += v;
        }
        return sum;
    }

    static void add(long[] to, long[] from) {
        for (int i = 0; i < to.length; i++) {
            to[i] += from[i];
        }
    }
}
