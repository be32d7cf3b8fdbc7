package io.verbena.nic;

import io.verbena.nic.engine.Engine;
import io.verbena.nic.engine.GuestWaits;
import io.verbena.nic.poll.PollLoop;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.poll.Polling.Scheme;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.poll.WaitStatistics;
import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.port.PollStrategy.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Threads that poll completion queues by a {@link Polling} scheme and hand each completion to a handler: one a queue,
 * or with {@link Polling#sharedCq} as many as it says for all queues, each of which one thread polls.
 *
 * <p>From {@link #start} to {@link #close} the queues are polled by nobody else. The handler is called by several
 * threads where there are several, each with its own queues. An exception of its is logged, and the thread goes on.
 */
public final class CompletionPollers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionPollers.class);
    private static final long MAX_BLOCK = TimeUnit.SECONDS.toNanos(1);
    private static final long JOIN_MILLIS = TimeUnit.SECONDS.toMillis(10);

    private final Engine engine;
    private final WaitCounters counters = new WaitCounters();
    private final GuestWaits waits = new GuestWaits(Polling.hybrid().evenIfCoresAreShort()); // block at once
    private final List<Thread> threads = new ArrayList<>();
    private final List<Poller> pollers = new ArrayList<>();
    private volatile boolean closed;

    private CompletionPollers(Engine engine) {
        this.engine = engine;
    }

    /**
     * Starts the threads.
     *
     * @param polling how they poll
     * @param queues at least one; of one engine, which has a thread of its own or is driven by another than these
     * @param handler takes each completion; its cursor is valid during the call only
     * @param factory makes the threads
     * @throws IllegalArgumentException if there are no queues, or they are of several engines
     */
    public static CompletionPollers start(
            Polling polling, List<CompletionQueue> queues, CompletionHandler handler, ThreadFactory factory) {
        if (queues.isEmpty()) {
            throw new IllegalArgumentException("no completion queues to poll, minimum 1");
        }
        Engine engine = queues.get(0).engine();
        for (CompletionQueue queue : queues) {
            queue.checkOpen();
            if (queue.engine() != engine) {
                throw new IllegalArgumentException(queue + " belongs to " + queue.engine() + ", " + queues.get(0)
                        + " to " + engine + "; pollers are for one");
            }
        }
        CompletionPollers all = new CompletionPollers(engine);
        int count = polling.scheme() == Scheme.SHARED_CQ ? Math.min(polling.maxAwake(), queues.size()) : queues.size();
        for (int i = 0; i < count; i++) {
            List<CompletionQueue> own = new ArrayList<>();
            for (int j = i; j < queues.size(); j += count) {
                own.add(queues.get(j));
            }
            Poller poller = all.new Poller(polling, own.toArray(CompletionQueue[]::new), handler);
            all.pollers.add(poller);
            all.threads.add(factory.newThread(poller));
        }
        all.threads.forEach(Thread::start);
        return all;
    }

    /** Threads that poll. */
    public int threads() {
        return threads.size();
    }

    /** What their waits have cost so far. Any thread. */
    public WaitStatistics statistics() {
        return counters.statistics();
    }

    /**
     * Ends the threads, after the completion that each is handling, and waits for them, at most 10 s. Completions that
     * were not taken stay in their queues. Idempotent.
     *
     * @throws IllegalStateException if a handler does not return in that time
     */
    @Override
    public void close() {
        closed = true;
        engine.wake();
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_MILLIS);
        boolean interrupted = false;
        for (Thread thread : threads) {
            long left = JOIN_MILLIS;
            while (thread.isAlive() && thread != Thread.currentThread() && left > 0) {
                try {
                    thread.join(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
                left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            }
            if (thread.isAlive() && thread != Thread.currentThread()) {
                throw new IllegalStateException(thread.getName() + " has not ended within " + JOIN_MILLIS + " ms");
            }
        }
        waits.close();
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** One thread's queues. */
    private final class Poller implements Runnable, PollLoop.Source {
        private final CompletionQueue[] queues;
        private final CompletionHandler handler;
        private final long[] tokens;
        private final PollLoop loop;
        private final LogRateLimiter reports = new LogRateLimiter();
        private final BooleanSupplier hasEvent = this::hasEvent; // made once: blocking allocates nothing
        private int next;

        Poller(Polling polling, CompletionQueue[] queues, CompletionHandler handler) {
            this.queues = queues;
            this.handler = handler;
            this.tokens = new long[queues.length];
            this.loop = new PollLoop(this, polling, counters);
        }

        @Override
        public void run() {
            try {
                while (!closed) {
                    Step step = step();
                    if (step == Step.SLEEP) {
                        engine.awaitAsGuest(waits, MAX_BLOCK, hasEvent);
                        loop.woken();
                    } else if (step == Step.SPIN) {
                        Thread.onSpinWait();
                    } else if (step == Step.YIELD) {
                        Thread.yield();
                    }
                }
            } finally {
                loop.close();
            }
        }

        private Step step() {
            try {
                return loop.step();
            } catch (RuntimeException | Error e) {
                long leftOut = reports.ask(System.nanoTime());
                if (leftOut >= 0) {
                    LOG.error("a handler of {} failed; {} such lines left out", queues[0], leftOut, e);
                }
                return Step.LOOK;
            }
        }

        /** Each queue in its turn, so that none starves: the first that has something is behind the others next. */
        @Override
        public int poll(int limit) {
            int taken = 0;
            for (int i = 0; i < queues.length && taken < limit; i++) {
                CompletionQueue queue = queues[next];
                next = next + 1 == queues.length ? 0 : next + 1;
                taken += queue.poll(handler, limit - taken);
            }
            return taken;
        }

        @Override
        public void arm() {
            for (int i = 0; i < queues.length; i++) {
                tokens[i] = queues[i].requestNotify(false);
            }
        }

        private boolean hasEvent() {
            for (int i = 0; i < queues.length; i++) {
                if (queues[i].hasEventSince(tokens[i])) {
                    return true;
                }
            }
            return closed;
        }
    }
}
