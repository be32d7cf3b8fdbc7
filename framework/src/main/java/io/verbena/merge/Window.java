package io.verbena.merge;

/**
 * How many bytes may be under way, by a policy that learns from what ends.
 *
 * <p>{@link #bytes} is for any thread, {@link #ended} for whoever polls.
 */
public interface Window {
    /** Least that a policy that learns lets be under way: one full work request would wait for the other else. */
    long MIN_BYTES = 64 << 10;

    /** Bytes that may be under way now. */
    long bytes();

    /** Whether it learns: {@link #ended} is to be called. */
    boolean learns();

    /**
     * Work requests have ended.
     *
     * @param bytes of them
     * @param roundTrip nanoseconds from post to end, of the last of them
     * @param inFlight bytes that are still under way to the node, of all regions that share the account
     * @param now nanoseconds of the node's clock
     */
    void ended(long bytes, long roundTrip, long inFlight, long now);

    /** One that never changes. */
    static Window fixed(long bytes) {
        return new Window() {
            @Override
            public long bytes() {
                return bytes;
            }

            @Override
            public boolean learns() {
                return false;
            }

            @Override
            public void ended(long ended, long roundTrip, long inFlight, long now) {}
        };
    }
}
