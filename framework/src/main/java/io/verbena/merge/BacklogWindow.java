package io.verbena.merge;

import java.util.concurrent.TimeUnit;

/**
 * The rate of delivery times the least round trip and the backlog's time: as much as keeps the path busy, and no more
 * queued on the way than goes in that time. The rate is the greatest of the last intervals of a few round trips. Since
 * more than a round trip's worth is under way, the rate that is seen grows until the path is full.
 *
 * <p>Rate and round trip are forgotten within 10 s, so that the window follows a path that changes. A round trip under
 * load is not the least: at the beginning, and every 5 s for an interval, only the minimum is under way.
 */
public final class BacklogWindow implements Window {
    private static final long MEMORY = TimeUnit.SECONDS.toNanos(10);
    private static final long MIN_INTERVAL = TimeUnit.MICROSECONDS.toNanos(100);
    private static final int ROUND_TRIPS = 4;

    private final long backlog;
    private volatile long window = MIN_BYTES;

    // Of whoever polls.
    private long leastRoundTrip = Long.MAX_VALUE;
    private double rate; // bytes a nanosecond, the greatest
    private long nextLeast = Long.MAX_VALUE; // of this half of the memory
    private double nextRate;
    private long halfBegan;
    private long intervalBegan;
    private long bytes; // in this interval
    private boolean began;

    /** Creates one; the backlog is in nanoseconds. */
    public BacklogWindow(long backlog) {
        this.backlog = backlog;
    }

    @Override
    public long bytes() {
        return window;
    }

    @Override
    public boolean learns() {
        return true;
    }

    @Override
    public void ended(long ended, long roundTrip, long inFlight, long now) {
        if (!began) {
            began = true;
            halfBegan = now;
            intervalBegan = now;
        }
        bytes += ended;
        nextLeast = Math.min(nextLeast, roundTrip);
        leastRoundTrip = Math.min(leastRoundTrip, roundTrip);
        long interval = now - intervalBegan;
        if (interval < Math.max(MIN_INTERVAL, ROUND_TRIPS * leastRoundTrip)) {
            return;
        }
        double seen = (double) bytes / interval;
        rate = Math.max(rate, seen);
        nextRate = Math.max(nextRate, seen);
        bytes = 0;
        intervalBegan = now;
        if (now - halfBegan > MEMORY / 2) {
            rate = nextRate;
            leastRoundTrip = nextLeast;
            nextRate = 0;
            nextLeast = Long.MAX_VALUE;
            halfBegan = now;
            window = MIN_BYTES; // shows the least round trip
            return;
        }
        window = Math.max(MIN_BYTES, (long) (rate * (leastRoundTrip + backlog)));
    }
}
