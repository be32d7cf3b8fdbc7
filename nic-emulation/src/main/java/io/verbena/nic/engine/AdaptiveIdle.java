package io.verbena.nic.engine;

/**
 * How long an engine's thread spins before it sleeps: adaptive polling. A spin that ended with work doubles the next
 * one's length, one that ended in sleep halves it, within bounds; so a busy engine does not pay for wake-ups and an idle
 * one does not burn a core that others need.
 */
final class AdaptiveIdle {
    private static final long SHORTEST = 2_000;

    private final long longest;
    private long budget;
    private long idleSince;
    private int polls;

    /** Creates one that spins at most so many nanoseconds. */
    AdaptiveIdle(long longestNanos) {
        this.longest = longestNanos;
        this.budget = Math.min(SHORTEST, longestNanos);
    }

    /** There was work. */
    void worked() {
        if (idleSince != 0 && budget > 0) {
            budget = Math.min(budget * 2, longest);
        }
        idleSince = 0;
        polls = 0;
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
            idleSince = System.nanoTime();
            return false;
        }
        Thread.onSpinWait();
        return (++polls & 15) == 0 && System.nanoTime() - idleSince > budget;
    }

    /** It slept. */
    void slept() {
        budget = Math.max(budget / 2, Math.min(SHORTEST, longest));
        idleSince = 0;
        polls = 0;
    }
}
