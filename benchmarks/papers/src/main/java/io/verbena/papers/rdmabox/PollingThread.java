package io.verbena.papers.rdmabox;

import io.verbena.nic.poll.PollLoop;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.port.PollStrategy.Step;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A simulated thread that takes completions by a polling scheme: {@link PollLoop} says what it does, the thread pays
 * for it.
 */
final class PollingThread implements SimTask, PollLoop.Source {
    private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

    private final HostCompletionQueue queue;
    private final Taker taker;
    private final PollLoop loop;
    private final long restNanos;
    private @Nullable SimThread self;

    /** Takes completions from the queue. */
    @FunctionalInterface
    interface Taker {
        /**
         * Takes completions, for which the thread pays.
         *
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
     * @param queue slept for
     * @param taker of its completions
     * @param restNanos rest after a look in vain of a scheme that never sleeps, which has nothing else to do
     */
    PollingThread(BoxWorld world, HostCompletionQueue queue, Polling polling, long restNanos, Taker taker) {
        this.queue = queue;
        this.taker = taker;
        this.restNanos =
                polling.scheme() == Polling.Scheme.BUSY || polling.scheme() == Polling.Scheme.SHARED_CQ ? restNanos : 0;
        this.loop = new PollLoop(this, polling.clock(world.simulation.clock()), new WaitCounters());
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

    private SimThread running() {
        if (self == null) {
            throw new IllegalStateException("it has not been started");
        }
        return self;
    }
}
