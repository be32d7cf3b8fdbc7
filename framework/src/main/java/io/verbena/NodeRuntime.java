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
 * The source of a node's time, random numbers and threads: the system, or a simulation, in which every run is the same.
 * A simulation drives its nodes by one thread, in the mode INVOKER, and connects them by {@code local:}.
 *
 * @param clock of all deadlines and pauses, except those of a user's blocking call over a socket or mapped memory
 * @param random of identities, keys, PSNs and the spread of pauses; anybody who can guess it gets access
 * @param executor runs what must not hold up the node's work: connecting without waiting
 * @param idle runs while the thread that closes a node has nothing to do; a simulation drives its other nodes then
 * @param backgroundThread whether a thread prepares inboxes' memory; otherwise {@link Node#doWork} does
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
     * The same with another clock.
     *
     * @param idle as {@link #idle}: lets the time pass
     */
    public NodeRuntime withClock(NanoClock other, Runnable idle) {
        return new NodeRuntime(other, random, executor, idle, backgroundThread);
    }
}
