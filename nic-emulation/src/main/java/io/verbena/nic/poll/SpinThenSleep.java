package io.verbena.nic.poll;

import io.verbena.nic.port.PollStrategy;

/**
 * Stays awake for a fixed number of empty looks or a fixed time, then sleeps: RDMAbox' adaptive polling (algorithm 3).
 * None is the event mode, no bound is busy polling. What is found begins the count anew, which the paper's prototype
 * forgets.
 *
 * <p>A thread that was woken and finds nothing of its own sleeps again at once, unless it was put to sleep only because
 * cores were short: it tries to stay awake again.
 *
 * <p>For one thread at a time.
 */
final class SpinThenSleep implements PollStrategy {
    /** Empty looks, or nanoseconds, without bound. */
    static final long UNBOUNDED = Long.MAX_VALUE;

    private final long maxRetries;
    private final long maxNanos;
    private final AwakeCheck check;
    private long retries; // empty looks of this wait
    private boolean sleeps; // the wait has used up its looks
    private boolean interrupted; // it sleeps before that

    /**
     * Creates it.
     *
     * @param maxRetries empty looks after which it sleeps, at least 0
     * @param maxNanos time after which it sleeps
     */
    SpinThenSleep(long maxRetries, long maxNanos, AwakeCheck check) {
        this.maxRetries = maxRetries;
        this.maxNanos = maxNanos;
        this.check = check;
    }

    @Override
    public void begin(long deadlineNanos) {
        check.begin(deadlineNanos);
        retries = 0;
        sleeps = false;
        interrupted = false;
    }

    @Override
    public Step idle() {
        if (sleeps || retries >= maxRetries) {
            sleeps = true;
            return Step.SLEEP;
        }
        if (interrupted) { // woken meanwhile, and for nothing
            check.begin(NO_DEADLINE);
            interrupted = false;
        }
        retries++;
        if (!check.mayStayAwake()) {
            interrupted = true;
            return Step.SLEEP;
        }
        if (check.awakeNanos() > maxNanos) {
            sleeps = true;
            return Step.SLEEP;
        }
        return Step.SPIN;
    }

    @Override
    public void worked() {
        begin(NO_DEADLINE);
    }

    @Override
    public long began() {
        return 0; // it learns nothing from how long a sleep was
    }

    @Override
    public void slept(long began, boolean found) {
        begin(NO_DEADLINE);
    }

    @Override
    public void close() {
        check.close();
    }
}
