package io.verbena.dispatch;

import io.verbena.nic.port.LogRateLimiter;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a node tries again in each of its turns until it can be done, such as what waits for room on a channel. A node
 * that has nothing else to do sleeps between the attempts, longer each time.
 *
 * <p>{@link #add} is for any thread, the rest for the one that does the turns.
 */
final class Retries implements DutyCycleAgent {
    private static final Logger LOG = LoggerFactory.getLogger(Retries.class);
    private static final long MIN_DELAY = TimeUnit.MICROSECONDS.toNanos(10);
    private static final long MAX_DELAY = TimeUnit.MILLISECONDS.toNanos(1);

    private final String node;
    private final ConcurrentLinkedQueue<BooleanSupplier> waiting = new ConcurrentLinkedQueue<>();
    private final LogRateLimiter failures = new LogRateLimiter();
    private volatile boolean added;
    private long delay = MIN_DELAY;
    private long lastAttempt; // of the thread that does the turns

    Retries(String node) {
        this.node = node;
    }

    /** Adds something that says whether it is done. */
    void add(BooleanSupplier attempt) {
        waiting.add(attempt);
        added = true;
    }

    /** Whether something was added that has not been tried by a turn. */
    @Override
    public boolean hasWork() {
        return added;
    }

    /** Tries. @return how many are done */
    @Override
    public int doWork(long now) {
        if (waiting.isEmpty()) {
            return 0;
        }
        boolean isNew = added;
        added = false;
        lastAttempt = now;
        int done = 0;
        for (int i = waiting.size(); i > 0; i--) {
            BooleanSupplier attempt = waiting.poll();
            if (attempt == null || isDone(attempt, now)) {
                done++;
            } else {
                waiting.add(attempt);
            }
        }
        delay = done > 0 || isNew ? MIN_DELAY : Math.min(2 * delay, MAX_DELAY);
        return done;
    }

    private boolean isDone(BooleanSupplier attempt, long now) {
        try {
            return attempt.getAsBoolean();
        } catch (RuntimeException | Error e) {
            long leftOut = failures.ask(now);
            if (leftOut >= 0) {
                LOG.error(
                        "node '{}': what it tried again has failed, and is given up; {} such lines left out",
                        node,
                        leftOut,
                        e);
            }
            return true;
        }
    }

    /** When it is to try again. */
    @Override
    public long nextDeadline() {
        return waiting.isEmpty() ? NEVER : lastAttempt + delay;
    }
}
