package io.verbena.nic.arbiter;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;

/**
 * A group's account across the engines of a NIC: what each has charged, and what its ceiling and floor still let it
 * send.
 *
 * <pre>
 *   charged   [engine 0 | pad | engine 1 | pad | ...]   a cell an engine, each a cache line
 *   ceiling    its rate, and the time up to which it has used what it may  (generic cell rate algorithm: one CAS)
 *   floor      the same
 * </pre>
 *
 * <p>Concurrency: a cell is written by its engine alone, in order; everything may be read by any thread. Tokens may be
 * taken by any engine, also while another rate is set: what is taken at the old one is not charged at the new.
 * Lock-free; allocates nothing but for a new rate.
 */
public final class GroupLedger {
    /** Charged units that tokens are taken for at a time, at most. */
    public static final int LOT = 64 * 1024;

    private static final int LINE = 16; // longs: two cache lines, for the prefetcher's pairs
    private static final long LOT_NANOS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final AtomicLongArray charged;
    private final int engines;
    private volatile Rate ceiling = new Rate(0);
    private volatile Rate floor = new Rate(0);

    GroupLedger(int engines) {
        this.engines = engines;
        this.charged = new AtomicLongArray((engines + 1) * LINE);
    }

    /** Adds what an engine has charged. By that engine. */
    public void add(int engine, long units) {
        int cell = (engine + 1) * LINE;
        charged.setRelease(cell, charged.getPlain(cell) + units);
    }

    /** What all engines have charged. */
    public long total() {
        long total = 0;
        for (int i = 1; i <= engines; i++) {
            total += charged.getAcquire(i * LINE);
        }
        return total;
    }

    /** What the engines but one have charged. */
    long elsewhere(int engine) {
        long total = 0;
        for (int i = 0; i < engines; i++) {
            total += i == engine ? 0 : of(i);
        }
        return total;
    }

    /** What one engine has charged. */
    public long of(int engine) {
        return charged.getAcquire((engine + 1) * LINE);
    }

    /**
     * Bytes that tokens are to be taken for at a time: {@value #LOT}, or a millisecond of the ceiling if that is less.
     */
    public int lot() {
        return lot(ceiling.unitsPerSecond);
    }

    /**
     * Takes from what the ceiling lets the group send.
     *
     * @param want at most a {@link #lot}
     * @param nowNanos the engine's clock; one clock for all engines
     * @return what was wanted, or 0: then not before {@link #tokensAtNanos}. Without a ceiling all that is wanted
     */
    public long takeTokens(long want, long nowNanos) {
        Rate rate = ceiling;
        return rate.unitsPerSecond == 0 ? want : rate.take(want, nowNanos);
    }

    /** When {@link #takeTokens} gives again. */
    public long tokensAtNanos() {
        return ceiling.usedUntil.get();
    }

    /** Takes from what the floor guarantees, as {@link #takeTokens}; 0 without a floor. */
    public long takeFloor(long want, long nowNanos) {
        Rate rate = floor;
        return rate.unitsPerSecond == 0 ? 0 : rate.take(want, nowNanos);
    }

    /** When {@link #takeFloor} gives again; {@link Long#MAX_VALUE} without a floor. */
    public long floorAtNanos() {
        Rate rate = floor;
        return rate.unitsPerSecond == 0 ? Long.MAX_VALUE : rate.usedUntil.get();
    }

    /** Sets both, bytes a second, 0 for none. What was used at another rate is not waited for at the new one. */
    void rates(long ceilingBytesPerSecond, long floorBytesPerSecond) {
        if (ceilingBytesPerSecond != ceiling.unitsPerSecond) {
            ceiling = new Rate(ceilingBytesPerSecond);
        }
        if (floorBytesPerSecond != floor.unitsPerSecond) {
            floor = new Rate(floorBytesPerSecond);
        }
    }

    private static int lot(long rate) {
        return rate == 0 ? LOT : (int) Math.max(1, Math.min(LOT, rate / (SECOND / LOT_NANOS)));
    }

    /**
     * A rate and what was taken of it, together: who takes while another is set takes of the old one, and harms nobody.
     */
    private static final class Rate {
        final long unitsPerSecond;
        final AtomicLong usedUntil = new AtomicLong(Long.MIN_VALUE); // nothing was ever taken

        Rate(long unitsPerSecond) {
            this.unitsPerSecond = unitsPerSecond;
        }

        /** Who was idle has saved up no more than a millisecond of the rate. */
        long take(long want, long nowNanos) {
            while (true) {
                long until = usedUntil.get();
                if (until > nowNanos) {
                    return 0;
                }
                // From where the last lot ended, if that is not long ago: a refill that is heard late loses nothing.
                long from = Math.max(until, nowNanos - LOT_NANOS);
                long cost = (want * SECOND + unitsPerSecond - 1) / unitsPerSecond;
                if (usedUntil.compareAndSet(until, from + cost)) {
                    return want;
                }
            }
        }
    }
}
