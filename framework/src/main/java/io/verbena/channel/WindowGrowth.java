package io.verbena.channel;

import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.NanoClock;

/**
 * Finds out whether a channel that has its path for itself is short of window: of a path with a long delay, what comes
 * back first is what left first, however much is under way. Where a round trip grows as what is under way does, that
 * only waits, and more of it would wait longer. In between are two threads that wait for each other: with more under
 * way that happens less often, and more goes through although each round trip is longer. That goes on until a window
 * lasts for as long as a thread may be away.
 *
 * <p>A round trip is measured from a refusal to the moment when all that was under way then is acknowledged. For the
 * thread that sends.
 *
 * <p>A processor that comes late lengthens a round trip as a queue does. So a refusal to grow does not last: the
 * window is looked at again after some round trips, twice as many each time.
 */
final class WindowGrowth {
    /** A path that answers sooner carries what a channel begins with fast enough: millions of messages a second. */
    static final long MIN_ROUND_TRIP = TimeUnit.MICROSECONDS.toNanos(50);

    /**
     * A thread may wait that long for a processor, at the least. While it does, a window that is acknowledged sooner
     * leaves the others without work, so it is of use to double one in any case.
     */
    static final long SLICE = TimeUnit.MILLISECONDS.toNanos(1);

    /** Twice the window is of use if a round trip is below so many tenths of the one before: a ninth more is sent. */
    static final int MAX_TENTHS = 18;

    /** Round trips of which the shortest counts: threads wait for processors, too. */
    static final int ROUND_TRIPS = 4;

    /** Round trips that are not measured after the first refusal to grow. */
    static final int MIN_REST = 4;

    /** Round trips that are not measured after one more refusal, at most. */
    static final int MAX_REST = 1024;

    private static final long NONE = -1;

    private final NanoClock clock;
    private long awaited = NONE; // messages that are to be acknowledged
    private long since;
    private int measured; // round trips with this window
    private long least = Long.MAX_VALUE; // of them
    private long before; // the least with half the window, or 0
    private boolean wanted;
    private int rest; // round trips that are not measured
    private int nextRest = MIN_REST;

    /**
     * Creates it, with nothing measured.
     *
     * @param clock measures round trips
     */
    WindowGrowth(NanoClock clock) {
        this.clock = clock;
    }

    /** A message was refused for want of window, and so many were sent before it. */
    void refused(long sent) {
        if (awaited == NONE) {
            awaited = sent;
            since = clock.nanoTime();
        }
    }

    /** Whether a round trip is being measured, which ends with the acknowledgement of a message. */
    boolean ends(long acknowledged) {
        return awaited != NONE && acknowledged >= awaited;
    }

    /** The round trip is over. */
    void end() {
        measure(clock.nanoTime() - since);
    }

    void measure(long roundTrip) {
        awaited = NONE;
        if (rest > 0) {
            rest--;
            return;
        }
        least = Math.min(least, roundTrip);
        if (++measured < ROUND_TRIPS) {
            return;
        }
        wanted = least >= MIN_ROUND_TRIP && (before == 0 || least < SLICE || 10 * least < MAX_TENTHS * before);
        if (!wanted) {
            begin();
            if (before != 0) { // more has hardly done more than wait
                rest = nextRest;
                nextRest = Math.min(2 * nextRest, MAX_REST);
            }
        }
    }

    private void begin() {
        measured = 0;
        least = Long.MAX_VALUE;
    }

    /** Whether the window is to be twice as large. */
    boolean wantsMore() {
        return wanted;
    }

    /** It is. */
    void grown() {
        if (wanted) {
            before = least;
            wanted = false;
            nextRest = MIN_REST;
        }
        begin();
    }
}
