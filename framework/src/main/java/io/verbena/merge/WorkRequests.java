package io.verbena.merge;

import org.agrona.concurrent.NanoClock;

/**
 * The work requests of a region that are under way, by number: which operations each is for, and since when; and the
 * window that learns from their ends.
 *
 * <p>Concurrency: whoever drains adds; whoever polls takes completions, which come in order, and publishes how many
 * there were, after which their places may be used again. A place goes from one to the other with the request itself.
 */
final class WorkRequests {
    private final int mask;
    private final int[] firsts; // ticket of the first operation
    private final int[] bytes;
    private final long[] times; // of posting, if the window learns
    private final Window window;
    private final NanoClock clock;
    private int posted; // of who drains
    private volatile int ended; // written by who polls

    /**
     * Creates it.
     *
     * @param depth work requests that may be under way, a power of two
     * @param clock the node's
     */
    WorkRequests(int depth, Window window, NanoClock clock) {
        this.times = new long[depth];
        this.window = window;
        this.clock = clock;
        this.mask = depth - 1;
        this.firsts = new int[depth];
        this.bytes = new int[depth];
    }

    /** Whether another one may be posted. Who drains. */
    boolean hasRoom() {
        return posted - ended <= mask;
    }

    /** Number of the next one. Who drains. */
    int next() {
        return posted;
    }

    /** What the next one is for; before it is posted. Who drains. */
    void fill(int firstTicket, int length) {
        firsts[posted & mask] = firstTicket;
        bytes[posted & mask] = length;
        if (window.learns()) {
            times[posted & mask] = clock.nanoTime();
        }
    }

    /** The next one was posted. Who drains. */
    void posted() {
        posted++;
    }

    /** Ticket of the first operation of one. */
    int first(int number) {
        return firsts[number & mask];
    }

    /** Bytes of one. */
    int bytes(int number) {
        return bytes[number & mask];
    }

    /** Those below have ended. Who polls, or the last who drains. */
    void ended(int number) {
        ended = number;
    }

    /**
     * Work requests have ended: the window learns from it. Who polls.
     *
     * @param last of them
     * @param endedBytes of them
     * @param inFlight bytes under way to the node without them
     */
    void learn(int last, long endedBytes, long inFlight) {
        if (window.learns()) {
            long now = clock.nanoTime();
            window.ended(endedBytes, now - times[last & mask], inFlight, now);
        }
    }

    /** Bounds what is under way. */
    Window window() {
        return window;
    }

    /** Those below this number have ended. */
    int ended() {
        return ended;
    }
}
