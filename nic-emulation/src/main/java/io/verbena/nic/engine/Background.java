package io.verbena.nic.engine;

import io.verbena.nic.port.LogRateLimiter;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NIC's background thread: allocates and clears memory off the data path. Starts with its first work, sleeps when
 * there is none.
 */
public final class Background implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Background.class);
    private static final long MAX_SLEEP = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long SHORT_SLEEP = TimeUnit.MILLISECONDS.toNanos(1);

    // When it ends: at most so many rounds, and so many of them without work.
    private static final int LAST_ROUNDS = 10_000;
    private static final int IDLE_ROUNDS = 20;

    private static final long JOIN_TIMEOUT = TimeUnit.SECONDS.toMillis(10);

    private final LogRateLimiter reports = new LogRateLimiter();
    private final String nic;
    private final Thread thread;
    private final IntSupplier agent;
    private final BooleanSupplier active;
    private final boolean threaded;
    private volatile boolean woken;
    private volatile boolean closed;
    private boolean started;

    /**
     * Creates it, asleep.
     *
     * @param nic the NIC's name, for the log and the thread
     * @param agent the work: called again for as long as it returns more than 0
     * @param active whether time alone may make work: it is then looked for each millisecond
     * @param threaded whether it has a thread; without one it runs where {@link #doWork} is called
     */
    public Background(String nic, IntSupplier agent, BooleanSupplier active, boolean threaded) {
        this.nic = nic;
        this.thread = new Thread(this::loop, "verbena-background-" + nic);
        this.agent = agent;
        this.active = active;
        this.threaded = threaded;
        thread.setDaemon(true);
    }

    /** There is work. Any thread; cheap. */
    public void wake() {
        if (!woken) {
            woken = true;
            if (threaded) {
                start();
                LockSupport.unpark(thread);
            }
        }
    }

    /** Whether there is work that {@link #doWork}, or the thread, has not begun to look for. Any thread. */
    public boolean isWanted() {
        return woken;
    }

    /**
     * Runs the work on the calling thread, where there is no thread of its own.
     *
     * @return the amount of work done
     * @throws IllegalStateException if it has a thread
     */
    public int doWork() {
        if (threaded) {
            throw new IllegalStateException("background work of NIC " + nic + " has a thread of its own");
        }
        woken = false; // first: whoever asks meanwhile is heard the next time
        return agent.getAsInt();
    }

    private synchronized void start() {
        if (!started && !closed) {
            started = true;
            thread.start();
        }
    }

    private void loop() {
        while (!closed) {
            woken = false;
            try {
                if (agent.getAsInt() > 0) {
                    continue;
                }
            } catch (RuntimeException | Error e) {
                // Out of memory is the most likely: what gives memory back must not die of that.
                long leftOut = reports.ask(System.nanoTime());
                if (leftOut >= 0) {
                    LOG.error(
                            "background work of NIC {} failed and will be tried again; {} such lines left out",
                            nic,
                            leftOut,
                            e);
                }
            }
            if (!woken && !closed) {
                LockSupport.parkNanos(this, active.getAsBoolean() ? SHORT_SLEEP : MAX_SLEEP);
            }
        }
    }

    /**
     * Stops the thread, and then does what is left of the work, for as long as there is some, and waits a few
     * milliseconds for more at most. Idempotent.
     */
    @Override
    public void close() {
        boolean join;
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
            join = started;
        }
        LockSupport.unpark(thread);
        if (join) {
            try {
                thread.join(JOIN_TIMEOUT);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        if (!thread.isAlive()) {
            try {
                finish();
            } catch (RuntimeException | Error e) {
                LOG.error("background work of NIC {} failed in the end; what is left of it is the collector's", nic, e);
            }
        }
    }

    private void finish() {
        int idle = 0;
        for (int round = 0; round < LAST_ROUNDS && idle < IDLE_ROUNDS; round++) {
            if (agent.getAsInt() > 0) {
                idle = 0;
            } else if (!active.getAsBoolean()) {
                return;
            } else {
                idle++;
                if (threaded) {
                    LockSupport.parkNanos(this, SHORT_SLEEP);
                }
            }
        }
    }
}
