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
     * Runs I/O that is ready, without blocking. Does nothing where {@link #isRunning}.
     *
     * @return the amount of work done, 0 if there was none
     */
    int poll();

    /**
     * Whether the calling thread is within {@link #poll} or {@link #await}: in a handler of what the waiter runs. A
     * waiter that runs no handlers of others says false.
     */
    default boolean isRunning() {
        return false;
    }

    /**
     * Whether {@link #poll} and {@link #await} may call handlers of the application, and not only those of links. Then
     * only who expects that polls.
     */
    default boolean runsApplication() {
        return false;
    }

    /**
     * Blocks until there is I/O (which is run), {@link #wake} is called, or the time is over. A wake that came since
     * the last await ends the next one at once.
     *
     * @param nanos most nanoseconds to block, at least 0
     * @throws IllegalStateException where {@link #isRunning}
     */
    void await(long nanos);

    /** Ends the current or the next {@link #await}. Any thread; idempotent. */
    void wake();

    /**
     * What makes the thread that is to own the waiter, where an engine has one of its own: some I/O keeps what it uses
     * again with threads of its own kind alone.
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
