package io.verbena.nic.engine;

import io.verbena.nic.port.LogRateLimiter;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.PollStrategy.Step;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An engine's own thread: turns while there is work, then waits as its strategy says, and sleeps in the waiter. */
final class EngineThread implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineThread.class);

    private final LogRateLimiter reports = new LogRateLimiter();
    private static final long JOIN_TIMEOUT = TimeUnit.SECONDS.toMillis(10);

    private final Engine engine;
    private final PollStrategy strategy;
    private final Thread thread;

    EngineThread(Engine engine, PollStrategy strategy) {
        this.engine = engine;
        this.strategy = strategy;
        ThreadFactory factory = engine.waiter().threadFactory();
        this.thread = factory == null ? new Thread(this) : factory.newThread(this);
        this.thread.setDaemon(true);
    }

    void start(String name) {
        thread.setName(name);
        thread.start();
    }

    @Override
    public void run() {
        boolean waits = false;
        boolean slept = false; // in the wait under way
        long looks = 0; // in vain, and not counted yet
        while (!engine.isClosed()) {
            try {
                int work = engine.doWork();
                work += engine.agentWork();
                if (work > 0) {
                    if (waits) {
                        waits = false;
                        engine.waitCounters().emptyLooks(looks);
                        looks = 0;
                        endWait(slept);
                    }
                    continue;
                }
                if (!waits) {
                    waits = true;
                    slept = false;
                    strategy.begin(PollStrategy.NO_DEADLINE);
                }
                looks++;
                Step step = strategy.idle();
                if (step == Step.SLEEP) {
                    slept = true;
                    engine.waitCounters().emptyLooks(looks);
                    looks = 0;
                    engine.await(Long.MAX_VALUE); // arms, and looks again
                } else {
                    Pause.of(step);
                }
            } catch (RuntimeException | Error e) {
                // An exception of the agent's is the agent's own; one of the NIC's has been told as DEVICE_FATAL.
                long leftOut = reports.ask(System.nanoTime());
                if (leftOut >= 0) {
                    LOG.error("{} met an error and goes on; {} such lines left out", engine, leftOut, e);
                }
            }
        }
        strategy.close();
    }

    private void endWait(boolean slept) {
        if (slept) {
            strategy.slept(strategy.began(), true);
        } else {
            strategy.worked();
        }
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
    }

    Thread thread() {
        return thread;
    }

    /** Waits for its end, a bounded time. Returns whether it has ended. */
    boolean join() {
        if (isCurrent()) {
            return false;
        }
        // An interrupt is for the caller's caller: what is freed after this must not be in use.
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(JOIN_TIMEOUT);
        long left = JOIN_TIMEOUT;
        while (thread.isAlive() && left > 0) {
            try {
                thread.join(left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        if (thread.isAlive()) {
            LOG.warn("{} did not stop within {} ms", engine, JOIN_TIMEOUT);
            return false;
        }
        return true;
    }
}
