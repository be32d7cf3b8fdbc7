package io.verbena.dispatch;

/** Something that a node does in each of its turns, such as looking after its connections. */
public interface TurnWork {
    /**
     * Does a bounded amount of work.
     *
     * @param now nanoseconds of {@link System#nanoTime}
     * @return the amount of work done
     */
    int doWork(long now);

    /** Whether {@link #doWork} would find something. Any thread. */
    boolean hasWork();

    /** When {@link #doWork} is needed at the latest, or {@link Long#MAX_VALUE}. */
    long nextDeadline();
}
