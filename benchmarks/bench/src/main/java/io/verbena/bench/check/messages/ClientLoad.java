package io.verbena.bench.check.messages;

/** Something that a client does beside others: steps that do not block, all by the client's thread. */
interface ClientLoad {
    /** Connects. */
    void open();

    /**
     * Goes on.
     *
     * @param more whether to begin anything new
     * @return how much was done, 0 if there was nothing to do or no room for it
     */
    int step(boolean more);

    /** Whether everything that was begun has ended, as far as it must. */
    boolean isSettled();

    /** Judges what can be judged only at the end, and closes. */
    void close();

    /** What it is doing, for a report. */
    String state();
}
