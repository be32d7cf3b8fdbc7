package io.verbena.dispatch;

import io.verbena.nic.port.LogRateLimiter;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands the messages of an inbox to an executor: a batch at a time, in order, so that one thread at a time is in the
 * handler. The node's turn finds that there are some; the task takes them where they lie.
 *
 * <p>{@link #run} is the executor's, the rest any thread's. {@code busy} goes from the turn to the task and
 * back, and with it the right to take messages.
 */
public final class Handoff implements TurnTask, Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(Handoff.class);
    private static final int BATCHES = 16;
    private static final long REJECTED_DELAY = TimeUnit.MILLISECONDS.toNanos(10);

    private final CallbackSource source;
    private final IntSupplier batch;
    private final Executor executor;
    private final Runnable wake;
    private final BooleanSupplier hasWork = this::hasWork;
    private final AtomicBoolean busy = new AtomicBoolean();
    private final LogRateLimiter rejections = new LogRateLimiter();
    private volatile boolean running;
    private volatile boolean ended;

    private volatile boolean rejected;
    private volatile long rejectedUntil;

    /**
     * Creates it.
     *
     * @param source has the messages
     * @param batch takes some of them, and says how many
     * @param executor runs the handler
     * @param wake wakes the node
     */
    public Handoff(CallbackSource source, IntSupplier batch, Executor executor, Runnable wake) {
        this.source = source;
        this.batch = batch;
        this.executor = executor;
        this.wake = wake;
    }

    /** Whether there is something to hand over; the same object each time. */
    public BooleanSupplier look() {
        return hasWork;
    }

    @Override
    public boolean hasWork() {
        return !busy.get() && !rejected && source.hasWork();
    }

    @Override
    public @Nullable TenantCallbacks callbacks() {
        return null; // the executor's thread runs them
    }

    @Override
    public int doWork(long now) {
        if (busy.get()
                || source.isDrained()
                || (isPaused() && now - nextDeadline() < 0)
                || !busy.compareAndSet(false, true)) {
            return 0;
        }
        try {
            rejected = false;
            executor.execute(this);
            return 1;
        } catch (RejectedExecutionException e) {
            rejected = true;
            rejectedUntil = now + REJECTED_DELAY;
            busy.set(false);
            long leftOut = rejections.ask(now);
            if (leftOut >= 0) {
                LOG.warn(
                        "the executor of {} takes nothing now; its messages wait; {} such lines left out",
                        source,
                        leftOut,
                        e);
            }
            return 0;
        }
    }

    private boolean isPaused() {
        return rejected || source.nextAttempt() != Long.MAX_VALUE;
    }

    @Override
    public long nextDeadline() {
        return busy.get() ? Long.MAX_VALUE : rejected ? rejectedUntil : source.nextAttempt();
    }

    @Override
    public void run() {
        running = true;
        try {
            for (int i = 0; i < BATCHES && !ended && takeBatch() > 0; i++) {}
        } finally {
            running = false;
            busy.set(false);
        }
        if (!source.isDrained()) {
            wake.run();
        }
    }

    private int takeBatch() {
        try {
            return batch.getAsInt();
        } catch (RuntimeException | Error e) {
            source.callbacks().failed(source, "its message counts as taken", e);
            return 1;
        }
    }

    /** Hands nothing over any more. @return whether the handler is not running */
    @Override
    public boolean end() {
        ended = true;
        return !running;
    }

    @Override
    public String toString() {
        return "the callback of " + source;
    }
}
