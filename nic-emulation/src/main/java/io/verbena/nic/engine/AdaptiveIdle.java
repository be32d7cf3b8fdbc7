package io.verbena.nic.engine;

import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * How long a thread stays awake before it sleeps: adaptive polling, by the rule of KVM's halt polling. A wait that was over
 * within the longest spin, asleep or awake, doubles what the next one stays awake, for staying awake would have been
 * quicker; a longer one halves it. So a busy thread does not pay for wake-ups, also not one that began asleep, and an idle one
 * does not burn a core that others need.
 *
 * <p>Where more threads want to run than there are cores, staying awake loses: the scheduler takes the core away for
 * milliseconds from a thread that has used its share, while one that sleeps is run soon after it is woken. So a thread that
 * finds that it was kept from running (by what the kernel counts, or by a gap between two looks at the clock) retreats:
 * it sleeps at once. After a time it stays awake again; when that is found out again soon, the next retreat is twice as
 * long.
 *
 * <p>For one thread at a time.
 */
final class AdaptiveIdle implements AutoCloseable {
    private static final long SHORTEST = 2_000;
    private static final int POLLS_A_LOOK = 4; // a poll may be a system call or two

    /** Longer than a look takes, unless others run meanwhile. */
    private static final long GAP = 50_000;

    /** Waiting to run for so long since the last look says that the cores are not enough... */
    private static final long DELAY = 100_000;

    /** ...unless it was in shorter waits than this, which are what being woken takes. */
    private static final long WAKE_UP = 50_000;

    private static final long DELAY_LOOK_INTERVAL = 1_000_000;
    private static final long SHORTEST_RETREAT = 10_000_000;
    private static final long LONGEST_RETREAT = 1_000_000_000;

    private final long longest;
    private final NanoClock clock;
    private final RunDelay runDelay;
    private long budget;
    private long idleSince;
    private long lastLook;
    private int polls;

    private long delaySeen;
    private long runsSeen;
    private long nextDelayLook;
    private long retreat = SHORTEST_RETREAT;
    private long retreatUntil;
    private boolean retreated;

    /** Creates one that stays awake at most so many nanoseconds. */
    AdaptiveIdle(long longestNanos) {
        this(longestNanos, SystemNanoClock.INSTANCE, new RunDelay());
    }

    AdaptiveIdle(long longestNanos, NanoClock clock, RunDelay runDelay) {
        this.longest = longestNanos;
        this.clock = clock;
        this.runDelay = runDelay;
        this.budget = Math.min(SHORTEST, longestNanos);
        this.nextDelayLook = clock.nanoTime();
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
            return !mayStayAwake(now);
        }
        Thread.onSpinWait();
        if ((++polls & (POLLS_A_LOOK - 1)) != 0) {
            return false;
        }
        long now = clock.nanoTime();
        if (now - lastLook > GAP) {
            retreat(now);
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
            budget = Math.max(budget / 2, Math.min(SHORTEST, longest));
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
        return retreated;
    }

    private boolean mayStayAwake(long now) {
        if (retreated) {
            if (now - retreatUntil < 0) {
                return false;
            }
            retreated = false;
            nextDelayLook = now + DELAY_LOOK_INTERVAL;
            lookAtDelay();
            return true;
        }
        if (now - nextDelayLook < 0) {
            return true;
        }
        nextDelayLook = now + DELAY_LOOK_INTERVAL;
        boolean comparable = runDelay.isOfCurrentThread();
        long delayBefore = delaySeen;
        long runsBefore = runsSeen;
        lookAtDelay();
        if (comparable && isKeptFromRunning(delaySeen - delayBefore, runsSeen - runsBefore)) {
            retreat(now);
        }
        return !retreated;
    }

    private void lookAtDelay() {
        runDelay.look();
        delaySeen = runDelay.nanos();
        runsSeen = runDelay.runs();
    }

    /** Whether a thread that has waited so long to run, so many times, was kept from it by others. */
    static boolean isKeptFromRunning(long nanos, long runs) {
        return nanos > DELAY && nanos > runs * WAKE_UP;
    }

    private void retreat(long now) {
        boolean again = retreatUntil != 0 && now - retreatUntil < LONGEST_RETREAT;
        retreat = again ? Math.min(retreat * 2, LONGEST_RETREAT) : SHORTEST_RETREAT;
        retreatUntil = now + retreat;
        retreated = true;
    }

    @Override
    public void close() {
        runDelay.close();
    }
}
