package io.verbena.verification.simulate;

import io.verbena.nic.sim.LinkCounters;
import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.WcStatus;

/** What happened in one walk, or in many: packets, faults, verbs. Not thread-safe; threads add theirs up at the end. */
final class WalkTally {
    private static final WcStatus[] STATUSES = WcStatus.values();
    private static final PostedVerb[] VERBS = PostedVerb.values();
    private static final AsyncEventType[] EVENTS = AsyncEventType.values();

    final long[][] completions = new long[VERBS.length][STATUSES.length];
    final long[] posted = new long[VERBS.length];
    final long[] receives = new long[STATUSES.length];
    final long[] events = new long[EVENTS.length];
    final long[] faults = new long[Fault.values().length];
    long records;
    long copies;
    long resumes;
    long moves;
    long large;
    long calls;
    long shared;
    long limits;
    long sharedResizes;
    long refusals;
    long queueFull;
    long batches;
    long aborts;
    long resizes;
    long epochs;
    long vanished;
    long direct;
    long merged;
    long holes;
    long virtualNanos;
    long walks;

    long packetsSent;
    long packetsDelivered;
    long packetsLost;
    long packetsCut;
    long packetsCorrupted;
    long packetsDuplicated;
    long packetsReordered;

    void completed(PostedVerb verb, WcStatus status) {
        completions[verb.ordinal()][status.ordinal()]++;
    }

    void received(WcStatus status) {
        receives[status.ordinal()]++;
    }

    void fault(Fault fault) {
        faults[fault.ordinal()]++;
    }

    void event(AsyncEventType type) {
        events[type.ordinal()]++;
    }

    void packets(LinkCounters c) {
        packetsSent += c.sent();
        packetsDelivered += c.delivered();
        packetsLost += c.lost();
        packetsCut += c.cut();
        packetsCorrupted += c.corrupted();
        packetsDuplicated += c.duplicated();
        packetsReordered += c.reordered();
    }

    long count(Fault fault) {
        return faults[fault.ordinal()];
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
        records += t.records;
        copies += t.copies;
        resumes += t.resumes;
        moves += t.moves;
        large += t.large;
        calls += t.calls;
        shared += t.shared;
        limits += t.limits;
        sharedResizes += t.sharedResizes;
        refusals += t.refusals;
        queueFull += t.queueFull;
        batches += t.batches;
        aborts += t.aborts;
        resizes += t.resizes;
        epochs += t.epochs;
        vanished += t.vanished;
        direct += t.direct;
        merged += t.merged;
        holes += t.holes;
        virtualNanos += t.virtualNanos;
        walks += t.walks;
        packetsSent += t.packetsSent;
        packetsDelivered += t.packetsDelivered;
        packetsLost += t.packetsLost;
        packetsCut += t.packetsCut;
        packetsCorrupted += t.packetsCorrupted;
        packetsDuplicated += t.packetsDuplicated;
        packetsReordered += t.packetsReordered;
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
