package io.verbena.nic.engine;

import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * How long a thread stays awake before it sleeps: adaptive polling, by the rule of KVM's halt polling. A wait that was
 * over within the longest spin, asleep or awake, doubles what the next one stays awake, for staying awake would have
 * been quicker; a longer one halves it. So a busy thread does not pay for wake-ups, also not one that began asleep, and
 * an idle one does not burn a core that others need.
 *
 * <p>Where the cores are not enough it sleeps at once: {@link CoreShortage}.
 *
 * <p>For one thread at a time.
 */
final class AdaptiveIdle implements AutoCloseable {
    private static final long MIN = 2_000;
    private static final int LOOK_INTERVAL_POLLS = 4; // a poll may be a system call or two

    /** Longer than a look takes, unless others run meanwhile. */
    private static final long GAP = 50_000;

    private final long longest;
    private final NanoClock clock;
    private final CoreShortage shortage;
    private long budget;
    private long idleSince;
    private long lastLook;
    private int polls;

    /** Creates one that stays awake at most so many nanoseconds. */
    AdaptiveIdle(long longestNanos) {
        this(longestNanos, SystemNanoClock.INSTANCE, new RunDelay());
    }

    AdaptiveIdle(long longestNanos, NanoClock clock, RunDelay runDelay) {
        this.longest = longestNanos;
        this.clock = clock;
        this.shortage = new CoreShortage(runDelay, clock.nanoTime());
        this.budget = Math.min(MIN, longestNanos);
    }

    /** A wait begins. */
    void begin() {
        idleSince = 0;
        polls = 0;
    }

    /** There was work. */
    void worked() {
        if (idleSince != 0) {
            grow();
        }
        begin();
    }

    /**
     * There was none.
     *
     * @return whether it is time to sleep
     */
    boolean idle() {
        if (longest == 0) {
            return true;
        }
        if (idleSince == 0) {
            long now = clock.nanoTime();
            idleSince = now;
            lastLook = now;
            return !shortage.mayStayAwake(now);
        }
        Thread.onSpinWait();
        if ((++polls & (LOOK_INTERVAL_POLLS - 1)) != 0) {
            return false;
        }
        long now = clock.nanoTime();
        if (now - lastLook > GAP && shortage.isShortAfter(now, now - lastLook)) {
            return true;
        }
        lastLook = now;
        return now - idleSince > budget;
    }

    /** When the present wait began, by its clock; 0 if none has. */
    long idleSince() {
        return idleSince;
    }

    /**
     * It slept, and is awake again.
     *
     * @param since when the wait began, from {@link #idleSince} before the sleep; 0 if nothing came
     */
    void slept(long since) {
        if (since != 0 && clock.nanoTime() - since <= longest) {
            grow();
        } else {
            budget = Math.max(budget / 2, Math.min(MIN, longest));
        }
        begin();
    }

    private void grow() {
        budget = Math.min(budget * 2, longest);
    }

    /** Whether a time had come at the last look at the clock. */
    boolean isPast(long nanoTime) {
        return lastLook - nanoTime >= 0;
    }

    /** Whether it sleeps at once for now. */
    boolean hasRetreated() {
        return shortage.hasRetreated();
    }

    @Override
    public void close() {
        shortage.close();
    }
}
