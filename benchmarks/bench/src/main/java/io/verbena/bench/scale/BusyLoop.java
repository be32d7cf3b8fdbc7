package io.verbena.bench.scale;

import io.verbena.bench.path.WaitLimit;

/**
 * Sends windows of messages, in bursts, and waits for each window until all of it has been taken and acknowledged. One
 * thread does the work of all sides.
 */
abstract class BusyLoop implements AutoCloseable {
    /** Messages under way, at most. */
    static final int WINDOW = 256;

    private static final int CHECK_MASK = 0xFFF;

    /** What was taken and acknowledged. */
    final ScaleTally tally = new ScaleTally();

    private final int burst;
    private long posted;

    /**
     * Creates it.
     *
     * @param burst messages of a turn, a power of two up to {@value #WINDOW}
     */
    BusyLoop(int burst) {
        this.burst = burst;
    }

    /** Posts a burst on the queue pair whose turn it is. */
    abstract void post(int messages);

    /** A turn of every side that has something to do. */
    abstract void turn();

    /** A window begins. */
    void beginWindow() {}

    private void window() {
        beginWindow();
        for (int sent = 0; sent < WINDOW; sent += burst) {
            post(burst);
        }
        posted += WINDOW;
        WaitLimit deadline = WaitLimit.ofSeconds(10, "acknowledgement");
        for (int turns = 1; tally.taken < posted || tally.acknowledged < posted; turns++) {
            turn();
            if ((turns & CHECK_MASK) == 0) {
                deadline.check();
            }
        }
    }

    /** Queue pairs that send. */
    abstract int senders();

    /** Sends for a time at least, and until each queue pair has sent twice: the first request allocates its ring. */
    final void warmUp(long nanos) {
        long wanted = posted + 2L * senders() * burst;
        long deadline = System.nanoTime() + nanos;
        do {
            window();
        } while (posted < wanted || System.nanoTime() - deadline < 0);
    }

    /**
     * Nanoseconds of the work that is measured: of this thread's processor time, so what else runs takes none of it.
     */
    long worked() {
        return ProcessorTime.ofThread();
    }

    /**
     * Sends for a time.
     *
     * @return messages a second of the work that is measured
     */
    final double run(long nanos) {
        long before = posted;
        long begin = worked();
        long deadline = System.nanoTime() + nanos;
        do {
            window();
        } while (System.nanoTime() - deadline < 0);
        return (posted - before) * 1e9 / Math.max(1, worked() - begin);
    }

    /** Messages sent so far. */
    final long posted() {
        return posted;
    }

    @Override
    public abstract void close();
}
