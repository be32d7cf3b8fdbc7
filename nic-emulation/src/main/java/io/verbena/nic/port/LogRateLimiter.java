package io.verbena.nic.port;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Keeps what happens again and again from filling a log: one line in {@value #SECONDS} seconds, which says how many
 * were left out before it.
 *
 * <p>Thread-safe; takes no lock and allocates nothing.
 */
public final class LogRateLimiter {
    private static final int SECONDS = 60;
    private static final long INTERVAL = TimeUnit.SECONDS.toNanos(SECONDS);

    private final AtomicLong last = new AtomicLong(Long.MIN_VALUE); // before the first
    private final AtomicLong leftOut = new AtomicLong();

    /** Creates a limit that permits a line at once. */
    public LogRateLimiter() {}

    /**
     * Asks for a line; one that is refused is counted.
     *
     * @param now in nanoseconds, of any clock that goes on
     * @return how many were refused since the last line, or -1 if this one is
     */
    public long ask(long now) {
        long before = last.get();
        if ((before == Long.MIN_VALUE || now - before >= INTERVAL) && last.compareAndSet(before, now)) {
            return leftOut.getAndSet(0);
        }
        leftOut.incrementAndGet();
        return -1;
    }
}
