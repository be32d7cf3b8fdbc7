package io.verbena.verification.simulate;

import io.verbena.nic.verbs.AsyncEventType;
import io.verbena.nic.verbs.WcStatus;
import io.verbena.verification.simulate.WalkTally.Event;
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
                tally.count(Event.PACKETS_SENT),
                tally.count(Event.PACKETS_DELIVERED),
                tally.count(Event.PACKETS_LOST),
                tally.count(Event.PACKETS_CUT),
                tally.count(Event.PACKETS_CORRUPTED),
                tally.count(Event.PACKETS_DUPLICATED),
                tally.count(Event.PACKETS_REORDERED));
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
                tally.count(Event.CONNECTIONS),
                tally.count(Event.DIRECT),
                tally.count(Event.MERGED),
                tally.count(Event.REFUSALS),
                tally.count(Event.QUEUE_FULL));
        out.printf(
                Locale.ROOT,
                "          %,d batches completed, %,d aborted; completion queues resized %,d times%n",
                tally.count(Event.BATCHES),
                tally.count(Event.ABORTS),
                tally.count(Event.RESIZES));
    }

    private void received(PrintStream out) {
        out.printf(
                Locale.ROOT,
                "receives  %s%nrecords   %,d appended and taken, %,d holes of dead or stalled initiators closed%n",
                statuses(tally.receives),
                tally.count(Event.RECORDS),
                tally.count(Event.HOLES));
        out.printf(
                Locale.ROOT,
                "          %,d receives from shared queues, %,d limits reached, %,d resized%n"
                        + "datagrams %,d came twice; %,d queue pairs taken out of SQE%n",
                tally.count(Event.SHARED),
                tally.count(Event.LIMITS),
                tally.count(Event.SHARED_RESIZES),
                tally.count(Event.COPIES),
                tally.count(Event.RESUMES));
        out.printf(
                Locale.ROOT,
                "windows   %,d bound by call; %,d regions registered anew in use; %,d requests of more than 16 KiB%n",
                tally.count(Event.CALLS),
                tally.count(Event.MOVES),
                tally.count(Event.LARGE));
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
        for (Event event : Event.values()) {
            if (event.isRequired()) {
                require(missing, event.words, tally.count(event));
            }
        }
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
