package io.verbena.fabric;

import io.verbena.nic.port.LinkListener;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where each rejection goes: it is counted, told to the listener, and logged, but no more than {@value #PER_INTERVAL}
 * lines in {@value #INTERVAL_SECONDS} seconds, so that a hostile peer cannot fill a disk. Thread-safe.
 */
public final class RejectionLog {
    private static final Logger LOG = LoggerFactory.getLogger(RejectionLog.class);
    private static final int PER_INTERVAL = 10;
    private static final int INTERVAL_SECONDS = 10;

    private final FabricCounters counters;
    private final LinkListener listener;
    private final AtomicLong interval = new AtomicLong(Long.MIN_VALUE);
    private final AtomicLong inInterval = new AtomicLong();

    /**
     * Creates the log.
     *
     * @param counters count the rejections
     * @param listener is called for each; the log names it by its text
     */
    public RejectionLog(FabricCounters counters, LinkListener listener) {
        this.counters = counters;
        this.listener = listener;
    }

    /**
     * Takes one rejection.
     *
     * @param remote who it was, as far as known
     * @param reason what was wrong
     */
    public void rejected(String remote, String reason) {
        counters.countRejected();
        long now = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime()) / INTERVAL_SECONDS;
        long before = interval.get();
        if (before != now && interval.compareAndSet(before, now)) {
            long suppressed = inInterval.getAndSet(0) - PER_INTERVAL;
            if (suppressed > 0) {
                LOG.warn("{}: {} more connections were rejected and not logged", listener, suppressed);
            }
        }
        if (inInterval.incrementAndGet() <= PER_INTERVAL) {
            LOG.warn("{}: rejected {}: {}", listener, remote, reason);
        }
        listener.onRejected(remote, reason);
    }
}
