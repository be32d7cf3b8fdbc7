package io.verbena.bench.check.nodes;

import io.verbena.Outcome;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLongArray;

/** What happened in one walk over nodes, or in many. Thread-safe. */
final class NodeTally {
    /** What may happen, and over many walks must. */
    enum Event {
        WALKS("walks"),
        THREADED("walks of nodes with threads of their own"),
        LAUNCHED("nodes launched"),
        RESTARTED("nodes closed in the midst"),
        CONNECTED("channels connected"),
        MUTUAL("channels connected by both sides at once"),
        UNREACHABLE("attempts to connect to what was not there"),
        RECONNECTED("channels that were reconnected"),
        CLOSED("channels closed by who had connected"),
        CLOSED_BY_PEER("channels closed by the other side"),
        OPENINGS("inboxes, responders and regions closed"),
        STALLED("nodes that stood still"),
        SENT("messages sent"),
        BACK_PRESSURED("messages refused for want of room"),
        REFUSED_CLOSED("messages refused by closed channels"),
        ABORTED("claims given up"),
        TAKEN("messages taken"),
        LARGE("messages with a mapping of their own taken"),
        LEFT("messages left for later"),
        HELD("messages held"),
        ANSWERS("ways back used"),
        CALLED("calls"),
        DONE("calls done"),
        FAILED("calls whose handler failed"),
        EXPIRED("calls that expired"),
        CALLS_CLOSED("calls that ended with their channel"),
        OPERATIONS("operations on regions"),
        OPERATIONS_CLOSED("operations that ended with their region"),
        RETIRED("walks after which all queue pairs went");

        final String words;

        Event(String words) {
            this.words = words;
        }
    }

    private final AtomicLongArray events = new AtomicLongArray(Event.values().length);

    void event(Event event) {
        events.incrementAndGet(event.ordinal());
    }

    long count(Event event) {
        return events.get(event.ordinal());
    }

    /** A message was taken. */
    void took(int length, int chunk) {
        event(Event.TAKEN);
        if (length > chunk / 4) {
            event(Event.LARGE);
        }
    }

    /** A call has ended. */
    void ended(Outcome outcome) {
        switch (outcome) {
            case DONE:
                event(Event.DONE);
                break;
            case FAILED:
                event(Event.FAILED);
                break;
            case EXPIRED:
                event(Event.EXPIRED);
                break;
            default:
                event(Event.CALLS_CLOSED);
        }
    }

    void add(NodeTally other) {
        for (int i = 0; i < events.length(); i++) {
            events.addAndGet(i, other.events.get(i));
        }
    }

    void print(PrintStream out, double seconds) {
        out.printf(Locale.ROOT, "%,d walks in %.1f s%n", count(Event.WALKS), seconds);
        for (Event event : Event.values()) {
            out.printf(Locale.ROOT, "  %-52s %,12d%n", event.words, count(event));
        }
    }

    /** What many walks must have met, and did not. */
    List<String> missing(boolean real) {
        List<String> missing = new ArrayList<>();
        for (Event event : Event.values()) {
            if (count(event) == 0 && (real || event != Event.THREADED)) {
                missing.add(event.words);
            }
        }
        return missing;
    }
}
