package io.verbena.bench.check.messages;

import java.util.Arrays;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The numbers of one stream as they arrive: each once, and in order. Where several consumers take them, each consumer's
 * in order. Thread-safe.
 */
final class StreamCheck {
    /** Messages that may come after a gap before what is missing counts as lost. */
    static final int PATIENCE = 256;

    /** Consumers that an inbox may have. */
    static final int CONSUMERS = 2;

    private final boolean ordered;
    private final TreeSet<Long> early = new TreeSet<>();
    private final long[] last = new long[CONSUMERS];
    private long next;
    private long received;
    private @Nullable Object channel;

    /** What is wrong with a number. */
    record Verdict(FlawKind kind, long number, String expected, String got) {}

    /** A stream whose numbers come in order, or one of which several consumers take each a part in order. */
    StreamCheck(boolean ordered) {
        this.ordered = ordered;
        Arrays.fill(last, -1);
    }

    /** The number that comes next if nothing is wrong. */
    synchronized long expected() {
        return next;
    }

    /** Messages that came, each counted once. */
    synchronized long received() {
        return received;
    }

    /** Whether the stream comes by one channel, as it did so far. */
    @SuppressWarnings("ReferenceEquality") // a connection's channel is one object
    synchronized boolean isFrom(Object from) {
        if (channel == null) {
            channel = from;
        }
        return channel == from;
    }

    /** Takes a number. @return what is wrong with it, or null */
    synchronized @Nullable Verdict accept(int consumer, long number) {
        if (number < next || early.contains(number)) {
            return new Verdict(FlawKind.DUPLICATE, number, "number " + next, "number " + number + " again");
        }
        received++;
        if (!ordered && number < last[consumer]) {
            return new Verdict(
                    FlawKind.REORDERED,
                    number,
                    "a number above " + last[consumer] + " at consumer " + consumer,
                    "number " + number);
        }
        last[consumer] = number;
        if (number > next) {
            early.add(number);
            return ordered && early.size() > PATIENCE ? lost("numbers up to " + early.last()) : null;
        }
        Verdict verdict = ordered && !early.isEmpty()
                ? new Verdict(FlawKind.REORDERED, number, "it before number " + early.first(), "it after that")
                : null;
        next++;
        while (!early.isEmpty() && early.first() == next) {
            early.pollFirst();
            next++;
        }
        return verdict;
    }

    private Verdict lost(String got) {
        return new Verdict(FlawKind.LOST, next, "number " + next, got + " without it");
    }

    /**
     * The stream is over.
     *
     * @param sent messages that had to arrive; what was sent before a channel broke may be fewer or more
     * @return what is wrong, or null
     */
    synchronized @Nullable Verdict finish(long sent) {
        if (!early.isEmpty()) {
            return lost("number " + early.first());
        }
        return next < sent ? lost(next + " of " + sent + " messages") : null;
    }
}
