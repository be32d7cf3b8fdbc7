package io.verbena.papers.etc;

/**
 * When the consumer stalls. Times are those of {@link System#nanoTime}.
 *
 * @param start of the run
 * @param length of the run in nanoseconds
 * @param every nanoseconds from a stall to the next; the first comes after half of it
 * @param stall nanoseconds of a stall, 0 for none
 */
record StallPlan(long start, long length, long every, long stall) {
    /** How many there are in the run. */
    int count() {
        return stall == 0 || length <= every / 2 ? 0 : (int) ((length - every / 2 - 1) / every) + 1;
    }

    /** When one begins. */
    long begin(int index) {
        return start + every / 2 + index * every;
    }

    /**
     * Whether what was scheduled for a time fell into a stall, or into as long after it: what waits is caught up with.
     */
    boolean isDisturbed(long time) {
        long at = time - start - every / 2;
        return stall > 0 && at >= 0 && at % every < 2 * stall && at / every < count();
    }
}
