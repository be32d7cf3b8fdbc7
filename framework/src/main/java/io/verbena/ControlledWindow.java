package io.verbena;

import io.verbena.merge.Window;
import io.verbena.nic.port.LogRateLimiter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A window that the application's control finds. Where that fails the last one stays: what has ended is counted back
 * all the same, and what waits goes on.
 */
final class ControlledWindow implements Window {
    private static final Logger LOG = LoggerFactory.getLogger(ControlledWindow.class);

    private final AdmissionControl control;
    private final LogRateLimiter failures = new LogRateLimiter();
    private volatile long window;

    /** Creates one; the first window is in bytes. */
    ControlledWindow(long first, AdmissionControl control) {
        this.window = first;
        this.control = control;
    }

    @Override
    public long bytes() {
        return window;
    }

    @Override
    public boolean learns() {
        return true;
    }

    @Override
    public void ended(long bytes, long roundTrip, long inFlight, long now) {
        try {
            window = Limits.atLeast("window", control.window(bytes, roundTrip, inFlight, now), 1);
        } catch (RuntimeException | Error e) {
            long leftOut = failures.ask(now);
            if (leftOut >= 0) {
                LOG.error(
                        "admission control {} failed, the window stays at {} bytes; {} such lines left out",
                        control,
                        window,
                        leftOut,
                        e);
            }
        }
    }
}
