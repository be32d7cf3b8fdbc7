package io.verbena;

/** Something that a node does in each of its turns, such as looking for calls that are overdue. */
interface TurnTask {
    /**
     * Does a bounded amount of work.
     *
     * @param now nanoseconds of {@link System#nanoTime}
     * @return the amount of work done
     */
    int doWork(long now);

    /** When {@link #doWork} is needed at the latest, or {@link Long#MAX_VALUE}. */
    long nextDeadline();
}
