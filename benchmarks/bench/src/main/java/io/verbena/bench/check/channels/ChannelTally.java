package io.verbena.bench.check.channels;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What happened in one walk over channels, or in many. */
final class ChannelTally {
    /** What may happen, and over many walks must. */
    enum Event {
        WALKS("walks"),
        THOUSANDS("walks with a thousand channels"),
        CHANNELS("channels"),
        SENT("messages sent"),
        AT_ONCE("messages executed as they were posted"),
        LONG("messages of more than a segment"),
        REFUSED("messages refused for want of room"),
        TAKEN("messages taken"),
        TAKEN_BACK("times that requests were taken back"),
        CLOSED("channels closed in the midst"),
        WRONG_KEYS("channels that sent with a wrong key"),
        TOO_LONG("channels that sent too long a message"),
        CLOSED_INBOXES("inboxes closed in the midst"),
        STUCK_INBOXES("inboxes that nobody read for a while"),
        ENDED("channels ended by what the peer refused"),
        BREAKS("links broken"),
        CUTS("links cut"),
        PAUSES("nodes that stood still"),
        RECEIVER_CRASHES("crashes of the node that receives"),
        SENDER_CRASHES("crashes of the node that sends");

        final String words;

        Event(String words) {
            this.words = words;
        }
    }

    private final long[] events = new long[Event.values().length];

    void event(Event event) {
        add(event, 1);
    }

    void add(Event event, long times) {
        events[event.ordinal()] += times;
    }

    long count(Event event) {
        return events[event.ordinal()];
    }

    void add(ChannelTally other) {
        for (Event event : Event.values()) {
            add(event, other.count(event));
        }
    }

    void print(PrintStream out, double seconds) {
        out.printf(Locale.ROOT, "%,d walks in %.1f s%n", count(Event.WALKS), seconds);
        for (Event event : Event.values()) {
            out.printf(Locale.ROOT, "  %-52s %,12d%n", event.words, count(event));
        }
    }

    /** What many walks must have met, and did not. */
    List<String> missing() {
        List<String> missing = new ArrayList<>();
        for (Event event : Event.values()) {
            if (count(event) == 0) {
                missing.add(event.words);
            }
        }
        return missing;
    }
}
