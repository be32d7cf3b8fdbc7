package io.verbena.verification.simulate;

import io.verbena.nic.append.AppendQueueStatistics;
import io.verbena.nic.sim.LinkCounters;
import io.verbena.nic.verbs.WcStatus;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened in one append walk, or in many. Not thread-safe; threads add theirs up at the end. */
final class AppendTally {
    /** What may happen, and over many walks must. */
    enum Event {
        TAKEN("messages taken"),
        EMPTY("messages of no bytes taken"),
        LARGE("messages with a mapping of their own taken"),
        UNRELIABLE("messages of UC and UD taken"),
        REFUSED_SIZE("appends that were too long"),
        REFUSED_KEY("appends with a wrong key"),
        REFUSED_QUEUE("appends to a queue that is not there"),
        CONNECTIONS("connections made"),
        STALLS("consumers that stood still"),
        CUT("links cut"),
        BREAK("links broken"),
        PAUSE("NICs that stood still"),
        CRASH("senders that died"),
        OWNER_CRASH("owners that died"),
        KILLED_DIRECT("deaths between the steps of an append"),
        FROZEN_DIRECT("stops between the steps of an append"),
        HELD("records held"),
        RELEASED("records released out of order"),
        SEVERAL("messages taken by one of several consumers"),
        MODIFY("queues modified"),
        DESTROY_BUSY("queues not destroyed, since messages were unread or held"),
        DESTROY_EMPTY("queues destroyed when they were empty"),
        DESTROY_FORCED("queues destroyed with messages in them"),
        GIVEN_BACK("times that memory was given back");

        final String words;

        Event(String words) {
            this.words = words;
        }
    }

    private final long[] events = new long[Event.values().length];
    private final long[] completions = new long[WcStatus.values().length];
    long bytes;
    long copies;
    long rnr;
    long holes;
    long allocations;
    long crossings;
    long padding;
    long direct;
    long highWater;
    long virtualNanos;
    long walks;
    private long packetsLost;
    private long packetsDuplicated;
    private long packetsReordered;
    private long packetsCorrupted;

    void event(Event event) {
        events[event.ordinal()]++;
    }

    long count(Event event) {
        return events[event.ordinal()];
    }

    void completed(WcStatus status) {
        completions[status.ordinal()]++;
    }

    void packets(LinkCounters c) {
        packetsLost += c.lost();
        packetsDuplicated += c.duplicated();
        packetsReordered += c.reordered();
        packetsCorrupted += c.corrupted();
    }

    long packetsDuplicated() {
        return packetsDuplicated;
    }

    /** A queue has ended, or is looked at for the last time. */
    void queue(AppendQueueStatistics s) {
        rnr += s.rnr();
        holes += s.holes();
        allocations += s.allocations();
        crossings += s.watermarkCrossings();
        padding += s.paddingBytes();
        highWater = Math.max(highWater, s.highWater());
    }

    void add(AppendTally t) {
        WalkTally.add(events, t.events);
        WalkTally.add(completions, t.completions);
        bytes += t.bytes;
        copies += t.copies;
        rnr += t.rnr;
        holes += t.holes;
        allocations += t.allocations;
        crossings += t.crossings;
        padding += t.padding;
        direct += t.direct;
        highWater = Math.max(highWater, t.highWater);
        virtualNanos += t.virtualNanos;
        walks += t.walks;
        packetsLost += t.packetsLost;
        packetsDuplicated += t.packetsDuplicated;
        packetsReordered += t.packetsReordered;
        packetsCorrupted += t.packetsCorrupted;
    }

    void print(PrintStream out, double seconds) {
        out.printf(Locale.ROOT, "%,d walks, %.1f s of virtual time in %.1f s%n", walks, virtualNanos / 1e9, seconds);
        for (Event event : Event.values()) {
            out.printf(Locale.ROOT, "  %-52s %,12d%n", event.words, count(event));
        }
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "payload bytes taken", bytes);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "answers that the receiver is not ready", rnr);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "holes closed", holes);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "mappings allocated", allocations);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "watermark crossings", crossings);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "bytes of padding", padding);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "appends done directly", direct);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "datagrams that came twice", copies);
        out.printf(Locale.ROOT, "  %-52s %,12d%n", "most bytes mapped at a time", highWater);
        out.printf(
                Locale.ROOT,
                "  packets: %,d lost, %,d duplicated, %,d reordered, %,d corrupted%n",
                packetsLost,
                packetsDuplicated,
                packetsReordered,
                packetsCorrupted);
        out.println("  completions: " + WalkReport.statuses(completions));
    }

    /** What many walks must have met, and did not. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (Event event : Event.values()) {
            WalkReport.require(missing, event.words, count(event));
        }
        WalkReport.require(missing, "answers that the receiver is not ready", rnr);
        WalkReport.require(missing, "holes", holes);
        WalkReport.require(missing, "watermark crossings", crossings);
        WalkReport.require(missing, "appends done directly", direct);
        WalkReport.require(missing, "datagrams that came twice", copies);
        WalkReport.require(missing, "packets lost", packetsLost);
        WalkReport.require(missing, "packets duplicated", packetsDuplicated);
        WalkReport.require(missing, "packets reordered", packetsReordered);
        WalkReport.require(missing, "packets corrupted", packetsCorrupted);
        for (WcStatus status : List.of(
                WcStatus.SUCCESS,
                WcStatus.RETRY_EXC_ERR,
                WcStatus.RNR_RETRY_EXC_ERR,
                WcStatus.REM_ACCESS_ERR,
                WcStatus.REM_INV_REQ_ERR,
                WcStatus.WR_FLUSH_ERR)) {
            WalkReport.require(missing, status.toString(), completions[status.ordinal()]);
        }
        return missing;
    }
}
