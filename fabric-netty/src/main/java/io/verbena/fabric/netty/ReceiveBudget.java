package io.verbena.fabric.netty;

import java.util.concurrent.atomic.AtomicLong;

/**
 * The direct memory that a fabric's connections may hold for what they receive: buffers that wait to be polled, and
 * frames that are in pieces. Idle connections hold nothing of it.
 *
 * <p>Where more than half is in use, connections read in small pieces and one at a time; where all is, a frame in
 * pieces gets no more, and a connection ends. Thread-safe.
 */
final class ReceiveBudget {
    private final long limit;
    private final AtomicLong used = new AtomicLong();

    /**
     * Creates a budget.
     *
     * @param limit in bytes
     */
    ReceiveBudget(long limit) {
        this.limit = limit;
    }

    /** Bytes that there are. */
    long limit() {
        return limit;
    }

    /** Bytes in use. */
    long used() {
        return used.get();
    }

    /** Whether so much is in use that connections hold back. */
    boolean isScarce() {
        return used.get() > limit >> 1;
    }

    /** Takes bytes that are in use already, whether they are there or not. */
    void take(int bytes) {
        used.addAndGet(bytes);
    }

    /**
     * Takes bytes if they are there.
     *
     * @return whether they were
     */
    boolean tryTake(int bytes) {
        while (true) {
            long before = used.get();
            if (bytes > limit - before) {
                return false;
            }
            if (used.compareAndSet(before, before + bytes)) {
                return true;
            }
        }
    }

    /** Gives bytes back. */
    void giveBack(int bytes) {
        used.addAndGet(-bytes);
    }
}
