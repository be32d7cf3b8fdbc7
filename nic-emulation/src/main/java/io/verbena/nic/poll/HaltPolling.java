package io.verbena.nic.poll;

import io.verbena.nic.port.PollStrategy;

/**
 * How long a thread stays awake before it sleeps, by the rule of KVM's halt polling. A wait that was over within the
 * longest spin, asleep or awake, doubles what the next one stays awake, for staying awake would have been quicker; a
 * longer one halves it. So a busy thread does not pay for wake-ups, also not one that began asleep, and an idle one
 * does not burn a core that others need.
 *
 * <p>Where the cores are not enough it sleeps at once: {@link CoreShortage}. A thread that was woken and finds nothing
 * sleeps again at once: it was woken for a guest, whose core it would take.
 *
 * <p>For one thread at a time.
 */
final class HaltPolling implements PollStrategy {
    private static final long MIN = 2_000;
    private static final long NOT_BEGUN = 0;

    private final long longest;
    private final AwakeCheck check;
    private long budget;
    private boolean sleeps; // the wait has been told to

    /**
     * Creates it.
     *
     * @param longestNanos the longest spin, at least 0; 0 sleeps at once
     */
    HaltPolling(long longestNanos, AwakeCheck check) {
        this.longest = longestNanos;
        this.check = check;
        this.budget = Math.min(MIN, longestNanos);
    }

    @Override
    public void begin(long deadlineNanos) {
        check.begin(deadlineNanos);
        sleeps = false;
    }

    @Override
    public void worked() {
        if (check.hasBegun()) {
            grow();
        }
        begin(NO_DEADLINE);
    }

    @Override
    public Step idle() {
        if (sleeps || longest == 0) {
            return sleep();
        }
        boolean first = !check.hasBegun();
        if (!check.mayStayAwake() || check.awakeNanos() > budget) {
            return sleep();
        }
        return first ? Step.LOOK : Step.SPIN;
    }

    private Step sleep() {
        sleeps = true;
        return Step.SLEEP;
    }

    @Override
    public long began() {
        return check.hasBegun() ? check.since() : NOT_BEGUN;
    }

    @Override
    public void slept(long began, boolean found) {
        if (found && began != NOT_BEGUN && check.now() - began <= longest) {
            grow();
        } else {
            budget = Math.max(budget / 2, Math.min(MIN, longest));
        }
        begin(NO_DEADLINE);
    }

    private void grow() {
        budget = Math.min(budget * 2, longest);
    }

    @Override
    public void close() {
        check.close();
    }
}
