package io.verbena;

import org.jspecify.annotations.Nullable;

/** Something that a node does in each of its turns, such as looking for calls that are overdue. */
interface TurnTask {
    /**
     * Does a bounded amount of work.
     *
     * @param now nanoseconds of {@link System#nanoTime}
     * @return the amount of work done
     */
    int doWork(long now);

    /** Whether {@link #doWork} would find something. Any thread. */
    boolean hasWork();

    /**
     * Whose callbacks it runs, by whoever runs those: the node's thread mostly.
     *
     * @return null if it runs none; any thread may do it then
     */
    @Nullable
    Tenant tenant();

    /**
     * The node ends: nothing begins any more. Any thread, after the last {@link #doWork}.
     *
     * @return whether nothing of the task is under way on another thread
     */
    default boolean end() {
        return true;
    }

    /** When {@link #doWork} is needed at the latest, or {@link Long#MAX_VALUE}. */
    long nextDeadline();
}
