package io.verbena.remote;

import io.verbena.OperationHandler;
import io.verbena.Outcome;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * An operation that a thread waits for. Either it ends, or its thread gives up: whichever comes first decides whether
 * the thread's memory is written. Made by the thread that waits, which is unparked at the end.
 */
public final class BlockingOperation implements OperationHandler {
    private final Thread waiter = Thread.currentThread();
    private final AtomicBoolean taken = new AtomicBoolean();
    private volatile boolean ended;
    private Outcome outcome = Outcome.CLOSED;
    private long value;

    /** Whether the caller is the first to decide: the poller to write the target, the waiting thread to give up. */
    public boolean take() {
        return taken.compareAndSet(false, true);
    }

    @Override
    public void onOperation(long correlationId, Outcome how, long found) {
        outcome = how;
        value = found;
        ended = true;
        if (Thread.currentThread() != waiter) {
            LockSupport.unpark(waiter);
        }
    }

    /** Whether it has ended. */
    public boolean hasEnded() {
        return ended;
    }

    /** How it ended; after {@link #hasEnded}. */
    public Outcome outcome() {
        return outcome;
    }

    /** What an atomic operation found; after {@link #hasEnded}. */
    public long value() {
        return value;
    }
}
