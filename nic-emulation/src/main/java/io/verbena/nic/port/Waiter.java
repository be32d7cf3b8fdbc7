package io.verbena.nic.port;

import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * How the thread that drives an engine does its I/O and sleeps: one wait for sockets, timers and doorbells.
 *
 * <p>{@link #poll} and {@link #await} are for the owner alone; {@link #wake} is for any thread.
 */
public interface Waiter extends AutoCloseable {
    /** Whether the calling thread is the one that may call {@link #poll} and {@link #await}. */
    boolean isOwner();

    /**
     * Runs I/O that is ready, without blocking.
     *
     * @return the amount of work done, 0 if there was none
     */
    int poll();

    /**
     * Blocks until there is I/O (which is run), {@link #wake} is called, or the time is over. A wake that came since
     * the last await ends the next one at once.
     *
     * @param nanos most nanoseconds to block, at least 0
     */
    void await(long nanos);

    /** Ends the current or the next {@link #await}. Any thread; idempotent. */
    void wake();

    /**
     * What makes the thread that is to own the waiter, where an engine has one of its own: some I/O keeps what it uses again
     * with threads of its own kind alone.
     *
     * @return null if any thread will do
     */
    default @Nullable ThreadFactory threadFactory() {
        return null;
    }

    /** Releases what the waiter holds. Idempotent; any thread, after the owner has stopped. */
    @Override
    void close();
}
