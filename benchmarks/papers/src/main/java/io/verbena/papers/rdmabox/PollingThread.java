package io.verbena.papers.rdmabox;

import io.verbena.nic.Completion;
import io.verbena.nic.poll.PollLoop;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.port.PollStrategy.Step;
import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.SimTask;
import io.verbena.nic.sim.SimThread;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A simulated thread that takes completions by a polling scheme: {@link PollLoop} says what it does, the thread pays
 * for it.
 */
final class PollingThread implements SimTask, PollLoop.Source {
    private static final long LONGEST_SLEEP = TimeUnit.SECONDS.toNanos(1);

    private final HostCompletionQueue queue;
    private final BiConsumer<Completion, SimThread> handler;
    private final PollLoop loop;
    private final long restNanos;
    private @Nullable SimThread self;

    /**
     * A thread that has not started.
     *
     * @param handler of completions and of this thread, which can be told what else to do for one
     * @param restNanos rest after a look in vain of a scheme that never sleeps, which has nothing else to do
     */
    PollingThread(
            BoxWorld world,
            HostCompletionQueue queue,
            Polling polling,
            long restNanos,
            BiConsumer<Completion, SimThread> handler) {
        this.queue = queue;
        this.handler = handler;
        this.restNanos =
                polling.scheme() == Polling.Scheme.BUSY || polling.scheme() == Polling.Scheme.SHARED_CQ ? restNanos : 0;
        this.loop = new PollLoop(this, polling.clock(world.simulation.clock()), new WaitCounters());
    }

    @Override
    public void step(SimThread thread) {
        self = thread;
        Step step = loop.step();
        if (step == Step.SLEEP) {
            queue.sleep(thread, LONGEST_SLEEP);
            thread.then(loop::woken);
        } else if (step == Step.SPIN) {
            thread.run(restNanos);
        }
    }

    @Override
    public int poll(int limit) {
        SimThread by = running();
        return queue.poll(by, completion -> handler.accept(completion, by), limit);
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
