package io.verbena.merge;

/**
 * TIMELY (SIGCOMM 2015, algorithm 1) on a window in place of a rate: it grows by a step while round trips are below a
 * low one, or do not get longer; shrinks with their gradient while they do, and by their excess above a high one. One
 * step a round trip.
 */
public final class TimelyWindow implements Window {
    private static final long MAX_BYTES = 64 << 20;
    private static final long FIRST_BYTES = 1 << 20;
    private static final long STEP = 32 << 10;
    private static final double NEWEST = 0.125; // weight of the newest difference, alpha
    private static final double SHRINK = 0.8; // beta
    private static final int FAST_AFTER = 5; // steps in a row without a gradient, then as many at a time

    private final long low;
    private final long high;
    private volatile long window = FIRST_BYTES;

    // Of whoever polls.
    private long before;
    private long least = Long.MAX_VALUE;
    private double difference; // smoothed
    private int calm;
    private long nextStep;
    private boolean began;

    /** Creates one between two round trips in nanoseconds. */
    public TimelyWindow(long low, long high) {
        this.low = low;
        this.high = high;
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
    public void ended(long bytes, long roundTrip, long inFlight, long now) {
        least = Math.max(1, Math.min(least, roundTrip));
        if (began && now - nextStep < 0) {
            return;
        }
        difference += began ? NEWEST * (roundTrip - before - difference) : 0;
        began = true;
        before = roundTrip;
        nextStep = now + roundTrip;
        window = Math.min(MAX_BYTES, Math.max(MIN_BYTES, next(roundTrip)));
    }

    private long next(long roundTrip) {
        double gradient = difference / least;
        long now = window;
        if (roundTrip < low) {
            calm = 0;
            return now + STEP;
        }
        if (roundTrip > high) {
            calm = 0;
            return (long) (now * (1 - SHRINK * (1 - (double) high / roundTrip)));
        }
        if (gradient <= 0) {
            calm++;
            return now + (calm >= FAST_AFTER ? FAST_AFTER * STEP : STEP);
        }
        calm = 0;
        return (long) (now * (1 - SHRINK * Math.min(gradient, 1)));
    }
}
