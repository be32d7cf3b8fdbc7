package io.verbena.dispatch;

/**
 * A mechanism of a node that runs again and again, such as retries, timeouts and pauses. It reads no clock to do its
 * work: the duty cycle that drives it, a node's turn or a simulation, reads the time once and passes it in. So it
 * does the same in real and in virtual time.
 */
public interface DutyCycleAgent {
    /** There is no deadline. */
    long NEVER = Long.MAX_VALUE;

    /**
     * Does a bounded amount of work without blocking.
     *
     * @param nowNanos time of the node's clock
     * @return the amount of work done
     */
    int doWork(long nowNanos);

    /** Whether {@link #doWork} would find something that no deadline tells of. Any thread. */
    default boolean hasWork() {
        return false;
    }

    /** When {@link #doWork} is needed at the latest, in time of the node's clock, or {@link #NEVER}. */
    long nextDeadline();

    /** The earlier one of two deadlines. */
    static long earlier(long one, long other) {
        if (one == NEVER || other == NEVER) {
            return one == NEVER ? other : one;
        }
        return one - other < 0 ? one : other;
    }
}
