package io.verbena;

import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

/**
 * Where a node takes time, chance and help from: the system, or a simulation, in which the same happens each time. A
 * simulation drives its nodes by one thread, in the mode INVOKER, and connects them by {@code local:}.
 *
 * @param clock of all deadlines and pauses but those that a user waits for in a blocking call over a socket or mapped
 *     memory
 * @param random of identities, keys, PSNs and the spread of pauses; anybody who can guess it gets access
 * @param executor runs what must not hold up the node's work: what is connected without waiting
 * @param idle what whoever closes a node does while there is nothing to do for it; a simulation drives the others
 * @param backgroundThread whether a thread makes memory of inboxes ready; else {@link Node#doWork} does
 */
public record NodeRuntime(
        NanoClock clock, LongSupplier random, Executor executor, Runnable idle, boolean backgroundThread) {
    private static final long CLOSE_LOOK = TimeUnit.MICROSECONDS.toNanos(100);

    /** The system's time, secure random numbers, the common pool, and threads. */
    public static NodeRuntime system() {
        return new NodeRuntime(
                SystemNanoClock.INSTANCE,
                new SecureRandom()::nextLong,
                ForkJoinPool.commonPool(),
                () -> LockSupport.parkNanos(CLOSE_LOOK),
                true);
    }

    /**
     * The same by another clock.
     *
     * @param idle as {@link #idle}: lets the time pass
     */
    public NodeRuntime withClock(NanoClock other, Runnable idle) {
        return new NodeRuntime(other, random, executor, idle, backgroundThread);
    }
}
