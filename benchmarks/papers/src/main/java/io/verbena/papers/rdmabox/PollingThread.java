package io.verbena.papers.rdmabox;

import io.verbena.nic.CompletionHandler;
import io.verbena.nic.poll.PollLoop;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.port.PollStrategy.Step;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A simulated thread that takes completions by a polling scheme: {@link PollLoop} says what it does, the thread pays
 * for it. Several queues are polled in turn, by a scheme that does not sleep.
 */
final class PollingThread implements SimTask, PollLoop.Source {
    private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

    private final List<HostCompletionQueue> queues;
    private final CompletionHandler handler;
    private final PollLoop loop;
    private final long restNanos;
    private @Nullable SimThread self;

    /**
     * A thread that has not started.
     *
     * @param queues at least one; one only if the scheme sleeps
     * @param handler of completions; what it tells the thread to do comes after the look
     * @param restNanos rest after a look in vain of a scheme that never sleeps, which has nothing else to do
     */
    PollingThread(
            BoxWorld world,
            List<HostCompletionQueue> queues,
            Polling polling,
            long restNanos,
            CompletionHandler handler) {
        this.queues = List.copyOf(queues);
        this.handler = handler;
        this.restNanos = polling.scheme() == Polling.Scheme.BUSY || polling.scheme() == Polling.Scheme.SHARED_CQ
                ? restNanos
                : 0;
        this.loop = new PollLoop(this, polling.clock(world.simulation.clock()), new WaitCounters());
    }

    @Override
    public void step(SimThread thread) {
        self = thread;
        Step step = loop.step();
        if (step == Step.SLEEP) {
            queues.get(0).sleep(thread, LONGEST_SLEEP);
            thread.then(loop::woken);
        } else if (step == Step.SPIN) {
            thread.run(restNanos);
        }
    }

    @Override
    public int poll(int limit) {
        int taken = 0;
        for (int i = 0; i < queues.size(); i++) {
            taken += queues.get(i).poll(running(), handler, limit);
        }
        return taken;
    }

    @Override
    public void arm() {
        queues.get(0).arm(running());
    }

    private SimThread running() {
        if (self == null) {
            throw new IllegalStateException("it has not been started");
        }
        return self;
    }
}
