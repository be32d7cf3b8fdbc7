package io.verbena.nic.engine;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Counts the events of one completion queue that were delivered and are not acknowledged
 * ({@code ibv_ack_cq_events(3)}). Thread-safe; off the data path.
 */
public final class CompletionEvents {
    private static final long LOOK = TimeUnit.MILLISECONDS.toNanos(100);

    private int unacknowledged;

    /** Creates a count of 0. */
    public CompletionEvents() {}

    /** An event was delivered. */
    public synchronized void delivered() {
        unacknowledged++;
    }

    /**
     * Events were acknowledged.
     *
     * @return false if there are not so many; nothing has changed then
     */
    public synchronized boolean acknowledge(int count) {
        if (count < 0 || count > unacknowledged) {
            return false;
        }
        unacknowledged -= count;
        notifyAll();
        return true;
    }

    /** Events that were delivered and are not acknowledged. */
    public synchronized int unacknowledged() {
        return unacknowledged;
    }

    /**
     * Waits until all are acknowledged.
     *
     * @param nanos most nanoseconds to wait; an interrupt ends the wait too
     * @param giveUp looked at now and then: whether to wait no longer
     * @return events that are not acknowledged
     */
    public synchronized int await(long nanos, BooleanSupplier giveUp) {
        long deadline = System.nanoTime() + nanos;
        while (unacknowledged > 0 && !giveUp.getAsBoolean()) {
            long left = deadline - System.nanoTime();
            if (left <= 0) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, Math.min(left, LOOK));
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                break;
            }
        }
        return unacknowledged;
    }
}
