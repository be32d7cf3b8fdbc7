package io.verbena;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How long an inbox' callback holds its thread: that counts batches, and {@link CallbackWatch} looks now and then whether the
 * count has moved. So nobody reads a clock for it.
 */
final class CallbackMeter {
    /** Looks at the same batch, beyond the first, after which it is slow: one of them may have been late. */
    private static final int SLOW_LOOKS = 2;

    private static final Logger LOG = LoggerFactory.getLogger(CallbackMeter.class);
    private static final long LOG_INTERVAL = TimeUnit.MINUTES.toNanos(1);
    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(CallbackMeter.class, "count", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("UnusedVariable") // reached by its VarHandle
    private volatile long count; // odd within a batch; of whoever takes it

    private final AtomicLong slow = new AtomicLong();

    // The watch's.
    private long seen;
    private int looks;
    private long logged = System.nanoTime() - LOG_INTERVAL;

    /** A message is handed to the callback, or all of a batch have been. */
    void step(boolean inside) {
        long now = (long) COUNT.getOpaque(this);
        long next = inside ? now + 1 | 1 : now + 1 & ~1L;
        COUNT.setRelease(this, next == now ? now + 2 : next);
    }

    long now() {
        return (long) COUNT.getAcquire(this);
    }

    /** Looks at it. @return whether the callback has just become slow */
    boolean look() {
        long now = now();
        if ((now & 1) == 0 || now != seen) {
            seen = now;
            looks = 0;
            return false;
        }
        return ++looks == SLOW_LOOKS;
    }

    /** The callback is slow. */
    void slow(Inbox inbox, long boundNanos) {
        slow.incrementAndGet();
        long now = System.nanoTime();
        if (now - logged >= LOG_INTERVAL) {
            logged = now;
            LOG.warn(
                    "a callback of {} (tenant '{}') holds its thread for more than {} ms, the {}. time;"
                            + " what blocks is for onMessage(handler, executor)",
                    inbox,
                    inbox.tenant().name(),
                    TimeUnit.NANOSECONDS.toMillis(boundNanos) / 2,
                    slow.get());
        }
    }

    /** How often it was slow. */
    long slowCount() {
        return slow.get();
    }
}
