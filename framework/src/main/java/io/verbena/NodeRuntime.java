package io.verbena;

import java.security.SecureRandom;
import java.util.concurrent.Executor;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.ForkJoinWorkerThread;
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

    /**
     * Threads by which all nodes of the process connect, daemons that end when there is nothing to do. Not the common
     * pool: on a machine with two cores that has one thread, and a {@link java.util.concurrent.CompletableFuture} then
     * starts a thread for each of its steps instead.
     */
    private static final class Connects {
        static final int MIN_THREADS = 4; // one that looks up a host's name does not hold up the others
        static final ForkJoinPool POOL = new ForkJoinPool(
                Math.max(MIN_THREADS, Runtime.getRuntime().availableProcessors()),
                Connects::newThread,
                null,
                true,
                0,
                256,
                1,
                null,
                1,
                TimeUnit.SECONDS);

        private static ForkJoinWorkerThread newThread(ForkJoinPool pool) {
            ForkJoinWorkerThread thread = ForkJoinPool.defaultForkJoinWorkerThreadFactory.newThread(pool);
            thread.setName("verbena-connect-" + thread.getPoolIndex());
            return thread;
        }
    }

    /** The system's time, secure random numbers, and threads. */
    public static NodeRuntime system() {
        return new NodeRuntime(
                SystemNanoClock.INSTANCE,
                new SecureRandom()::nextLong,
                Connects.POOL,
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
