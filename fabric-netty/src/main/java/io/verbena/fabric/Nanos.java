package io.verbena.fabric;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The nanoseconds of times that an application gives. Stateless; allocates nothing. */
public final class Nanos {
    /**
     * 146 years: longer than anyone waits, and so short that a deadline which is this far away comes after all others.
     */
    public static final long MAX = Long.MAX_VALUE / 2;

    private Nanos() {}

    /**
     * A time in nanoseconds, at most {@link #MAX} and at least as much less than 0: what is longer is taken for that
     * long.
     */
    public static long of(Duration time) {
        return Math.max(-MAX, Math.min(TimeUnit.NANOSECONDS.convert(time), MAX));
    }

    /** The {@link System#nanoTime} at which a time that begins now is over. */
    public static long fromNow(Duration time) {
        return System.nanoTime() + of(time);
    }
}
