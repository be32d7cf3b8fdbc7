package io.verbena.nic.sim;

/** Something that acts in a simulation: a NIC's engine, an application. */
public interface Actor {
    /** There is no deadline. */
    long NO_DEADLINE = Long.MAX_VALUE;

    /**
     * Does what can be done now, without waiting.
     *
     * @return the amount of work done; 0 says that nothing more can be done at this instant
     */
    int step();

    /**
     * When the actor wants to be stepped even if nothing happens: its earliest timer.
     *
     * @return virtual time in nanoseconds, or {@link #NO_DEADLINE}
     */
    default long nextDeadlineNanos() {
        return NO_DEADLINE;
    }
}
