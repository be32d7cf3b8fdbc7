package io.verbena.nic.engine;

import io.verbena.nic.port.PollStrategy;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * How long a thread stays awake before it sleeps: adaptive polling, by the rule of KVM's halt polling. A wait that was
 * over within the longest spin, asleep or awake, doubles what the next one stays awake, for staying awake would have
 * been quicker; a longer one halves it. So a busy thread does not pay for wake-ups, also not one that began asleep, and
 * an idle one does not burn a core that others need.
 *
 * <p>Where the cores are not enough it sleeps at once: {@link CoreShortage}. A thread that was woken and finds nothing
 * sleeps again at once: it was woken for a guest, whose core it would take.
 *
 * <p>For one thread at a time.
 */
public final class AdaptiveIdle implements PollStrategy {
    private static final long MIN = 2_000;
    private static final int LOOK_INTERVAL_POLLS = 4; // a poll may be a system call or two

    /** Longer than a look takes, unless others run meanwhile. */
    private static final long GAP = 50_000;

    private final long longest;
    private final NanoClock clock;
    private final CoreShortage shortage;
    private long budget;
    private long deadline = NO_DEADLINE;
    private boolean bounded; // the wait has a deadline
    private boolean sleeps; // the wait has been told to
    private long idleSince;
    private long lastLook;
    private int polls;

    AdaptiveIdle(long longestNanos) {
        this(longestNanos, SystemNanoClock.INSTANCE, new RunDelay());
    }

    AdaptiveIdle(long longestNanos, NanoClock clock, RunDelay runDelay) {
        this.longest = longestNanos;
        this.clock = clock;
        this.shortage = new CoreShortage(runDelay, clock.nanoTime());
        this.budget = Math.min(MIN, longestNanos);
    }

    /** Makes those that stay awake at most so many nanoseconds, at least 0; 0 sleeps at once. */
    public static Factory upTo(long longestNanos) {
        return who -> new AdaptiveIdle(longestNanos);
    }

    @Override
    public void begin(long deadlineNanos) {
        deadline = deadlineNanos;
        bounded = deadlineNanos != NO_DEADLINE;
        begin();
    }

    private void begin() {
        idleSince = 0;
        polls = 0;
        sleeps = false;
    }

    @Override
    public void worked() {
        if (idleSince != 0) {
            grow();
        }
        begin();
    }

    @Override
    public Step idle() {
        if (sleeps || longest == 0) {
            return sleep();
        }
        if (idleSince == 0) {
            long now = clock.nanoTime();
            idleSince = now;
            lastLook = now;
            return shortage.mayStayAwake(now) && !isOver(now) ? Step.LOOK : sleep();
        }
        if ((++polls & (LOOK_INTERVAL_POLLS - 1)) != 0) {
            return Step.SPIN;
        }
        long now = clock.nanoTime();
        if (now - lastLook > GAP && shortage.isShortAfter(now, now - lastLook)) {
            return sleep();
        }
        lastLook = now;
        return now - idleSince > budget || isOver(now) ? sleep() : Step.SPIN;
    }

    private Step sleep() {
        sleeps = true;
        return Step.SLEEP;
    }

    private boolean isOver(long now) {
        return bounded && now - deadline >= 0;
    }

    @Override
    public long began() {
        return idleSince;
    }

    @Override
    public void slept(long began, boolean found) {
        if (found && began != 0 && clock.nanoTime() - began <= longest) {
            grow();
        } else {
            budget = Math.max(budget / 2, Math.min(MIN, longest));
        }
        begin();
    }

    private void grow() {
        budget = Math.min(budget * 2, longest);
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
