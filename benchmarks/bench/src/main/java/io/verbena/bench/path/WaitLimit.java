package io.verbena.bench.path;

import io.verbena.verification.RunException;
import java.util.concurrent.TimeUnit;

/** Bounds a wait. For one thread. */
public final class WaitLimit implements Runnable {
    private final long end;
    private final long seconds;
    private final String awaited;

    private WaitLimit(long seconds, String awaited) {
        this.seconds = seconds;
        this.awaited = awaited;
        this.end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    }

    /** Starts to wait for something. */
    public static WaitLimit ofSeconds(long seconds, String awaited) {
        return new WaitLimit(seconds, awaited);
    }

    /** Throws if the time is over. */
    public void check() {
        if (System.nanoTime() - end > 0) {
            throw new RunException("no " + awaited + " within " + seconds + " s");
        }
    }

    /** A turn of a wait that is not measured. */
    @Override
    public void run() {
        check();
        Thread.yield();
    }
}
