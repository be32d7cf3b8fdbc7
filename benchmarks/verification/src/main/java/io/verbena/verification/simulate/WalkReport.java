package io.verbena.verification.simulate;

import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.WcStatus;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What many walks came to, for people. */
final class WalkReport {
    private final WalkTally tally;
    private final double seconds;

    WalkReport(WalkTally tally, double seconds) {
        this.tally = tally;
        this.seconds = seconds;
    }

    void print(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "%,d seeds in %.1f s, %.1f a second; %.1f s of virtual time%n",
                tally.walks,
                seconds,
                tally.walks / Math.max(seconds, 1e-9),
                tally.virtualNanos / 1e9);
        out.printf(
                Locale.ROOT,
                "packets   sent %,d, delivered %,d, lost %,d, cut off %,d, corrupted "
                        + "%,d, duplicated %,d, reordered %,d%n",
                tally.packetsSent,
                tally.packetsDelivered,
                tally.packetsLost,
                tally.packetsCut,
                tally.packetsCorrupted,
                tally.packetsDuplicated,
                tally.packetsReordered);
        faults(out);
        posted(out);
        verbs(out);
        received(out);
        events(out);
    }

    private void faults(PrintStream out) {
        out.println("faults");
        for (Fault fault : Fault.values()) {
            out.printf(Locale.ROOT, "  %,12d  %s%n", tally.count(fault), fault.words);
        }
    }

    private void posted(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "verbs     posted %,d in %,d connections; %,d directly, %,d merged, %,d "
                        + "refused at post, %,d met a full queue%n",
                tally.verbs(),
                tally.epochs,
                tally.direct,
                tally.merged,
                tally.refusals,
                tally.queueFull);
        out.printf(
                Locale.ROOT,
                "          %,d batches completed, %,d aborted; completion queues resized %,d times%n",
                tally.batches,
                tally.aborts,
                tally.resizes);
    }

    private void received(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "receives  %s%nrecords   %,d appended and taken, %,d holes of dead or stalled initiators closed%n",
                statuses(tally.receives),
                tally.records,
                tally.holes);
        out.printf(
                Locale.ROOT,
                "          %,d receives from shared queues, %,d limits reached, %,d resized%n"
                        + "datagrams %,d came twice; %,d queue pairs taken out of SQE%n",
                tally.shared,
                tally.limits,
                tally.sharedResizes,
                tally.copies,
                tally.resumes);
        out.printf(
                Locale.ROOT,
                "windows   %,d bound by call; %,d regions registered anew in use; %,d requests of more than 16 KiB%n",
                tally.calls,
                tally.moves,
                tally.large);
    }

    private void events(PrintStream out) {
        StringBuilder events = new StringBuilder();
        for (AsyncEventType type : AsyncEventType.values()) {
            long count = tally.events[type.ordinal()];
            if (count > 0) {
                events.append(events.length() == 0 ? "" : ", ")
                        .append(String.format(Locale.ROOT, "%s %,d", type, count));
            }
        }
        out.println("events    " + events);
    }

    private void verbs(PrintStream out) {
        for (PostedVerb verb : PostedVerb.values()) {
            out.printf(
                    Locale.ROOT,
                    "  %-17s %,10d  %s%n",
                    verb,
                    tally.posted[verb.ordinal()],
                    statuses(tally.completions[verb.ordinal()]));
        }
    }

    static String statuses(long[] counts) {
        StringBuilder text = new StringBuilder();
        for (WcStatus status : WcStatus.values()) {
            long count = counts[status.ordinal()];
            if (count > 0) {
                text.append(text.length() == 0 ? "" : ", ").append(String.format(Locale.ROOT, "%s %,d", status, count));
            }
        }
        return text.toString();
    }

    /** Kinds of fault that many walks must have met, and did not. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (Fault fault : Fault.values()) {
            require(missing, fault.words, tally.count(fault));
        }
        require(missing, "packets lost", tally.packetsLost);
        require(missing, "packets cut off", tally.packetsCut);
        require(missing, "packets corrupted", tally.packetsCorrupted);
        require(missing, "packets duplicated", tally.packetsDuplicated);
        require(missing, "packets reordered", tally.packetsReordered);
        require(missing, "operations done directly", tally.direct);
        require(missing, "appends merged", tally.merged);
        require(missing, "batches", tally.batches);
        require(missing, "batches aborted", tally.aborts);
        require(missing, "completion queues resized", tally.resizes);
        require(missing, "receives from shared queues", tally.shared);
        require(missing, "limits of shared queues reached", tally.limits);
        require(missing, "shared queues resized", tally.sharedResizes);
        require(missing, "windows bound by call", tally.calls);
        require(missing, "large messages", tally.large);
        require(missing, "regions registered anew", tally.moves);
        require(missing, "queue pairs taken out of SQE", tally.resumes);
        require(missing, "datagrams that come twice", tally.copies);
        for (PostedVerb verb : PostedVerb.values()) {
            require(missing, verb + " in success", tally.completions[verb.ordinal()][WcStatus.SUCCESS.ordinal()]);
        }
        return missing;
    }

    static void require(List<String> missing, String what, long count) {
        if (count == 0) {
            missing.add(what);
        }
    }
}
