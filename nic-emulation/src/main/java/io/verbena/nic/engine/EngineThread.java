package io.verbena.nic.engine;

import io.verbena.nic.port.LogRateLimiter;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An engine's own thread: turns while there is work, spins for a while, then sleeps in the waiter. */
final class EngineThread implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(EngineThread.class);

    private final LogRateLimiter reports = new LogRateLimiter();
    private static final long JOIN_TIMEOUT = TimeUnit.SECONDS.toMillis(10);

    private final Engine engine;
    private final AdaptiveIdle idle;
    private final Thread thread;

    EngineThread(Engine engine, long longestSpinNanos) {
        this.engine = engine;
        this.idle = new AdaptiveIdle(longestSpinNanos);
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
        boolean slept = false; // and has found nothing to do since
        long since = 0;
        while (!engine.isClosed()) {
            try {
                int work = engine.doWork();
                work += engine.agentWork();
                if (work > 0) {
                    if (slept) {
                        idle.slept(since);
                        slept = false;
                    } else {
                        idle.worked();
                    }
                } else if (slept) {
                    engine.await(
                            Long.MAX_VALUE); // woken for a guest: to stay awake as well would take the guest's core
                } else if (idle.idle()) {
                    since = idle.idleSince();
                    slept = true;
                    engine.await(Long.MAX_VALUE);
                }
            } catch (RuntimeException | Error e) {
                // An exception of the agent's is the agent's own; one of the NIC's has been told as DEVICE_FATAL.
                long leftOut = reports.ask(System.nanoTime());
                if (leftOut >= 0) {
                    LOG.error("{} met an error and goes on; {} such lines left out", engine, leftOut, e);
                }
            }
        }
        idle.close();
    }

    boolean isCurrent() {
        return Thread.currentThread() == thread;
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
