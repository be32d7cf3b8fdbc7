package io.verbena.nic.sim;

import io.verbena.nic.poll.PollLoop;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.Polling.Scheme;
import io.verbena.nic.poll.RunDelay;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.PollStrategy.Step;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread of a simulated host that takes completions by a polling scheme: {@link PollLoop} says what it does, the
 * thread pays for it. The scheme reads the simulation's clock, and learns from the cores how long the thread has waited
 * for one. Not thread-safe.
 */
public final class HostPoller implements SimTask, PollLoop.Source, RunDelay.Counts {
    private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

    private final HostCompletionQueue queue;
    private final Taker taker;
    private final WaitCounters counters = new WaitCounters();
    private final PollLoop loop;
    private final long restNanos;
    private @Nullable SimThread self;

    /** Takes completions from the queue. */
    @FunctionalInterface
    public interface Taker {
        /**
         * Takes completions, for which the thread pays.
         *
         * @param limit most completions, at least 1
         * @return how many, as {@link PollLoop.Source} counts
         */
        int take(SimThread by, int limit);

        /** Whether it has something else to do, which is to wake the thread. */
        default boolean isAsked() {
            return false;
        }
    }

    /**
     * A thread that has not started.
     *
     * @param cores that it is to run on
     * @param queue slept for
     * @param polling the scheme
     * @param restNanos rest after a look in vain of a scheme that never sleeps, which has nothing else to do
     * @param taker of its completions
     */
    public HostPoller(SimCores cores, HostCompletionQueue queue, Polling polling, long restNanos, Taker taker) {
        this.queue = queue;
        this.taker = taker;
        this.restNanos = polling.scheme() == Scheme.BUSY || polling.scheme() == Scheme.SHARED_CQ ? restNanos : 0;
        this.loop = new PollLoop(this, polling.clock(cores::now, this), counters);
    }

    @Override
    public void step(SimThread thread) {
        self = thread;
        Step step = loop.step();
        if (step == Step.SLEEP) {
            queue.sleep(thread, LONGEST_SLEEP, taker::isAsked);
            thread.then(loop::woken);
        } else if (step == Step.SPIN) {
            thread.run(restNanos);
        }
    }

    @Override
    public int poll(int limit) {
        return taker.take(running(), limit);
    }

    @Override
    public void arm() {
        queue.arm(running());
    }

    @Override
    public long nanos() {
        return running().waitedForCoreNanos();
    }

    @Override
    public long runs() {
        SimThread thread = running(); // on a core, so each of these was followed by one
        return 1 + thread.wakes() + thread.preemptions();
    }

    /** What it has looked, slept and been woken so far. */
    public WaitStatistics waits() {
        return counters.statistics();
    }

    /** How often it has armed. */
    public long arms() {
        return loop.arms();
    }

    private SimThread running() {
        if (self == null) {
            throw new IllegalStateException("it has not been started");
        }
        return self;
    }
}
