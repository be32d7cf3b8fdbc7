package io.verbena.bench.trial;

import io.verbena.bench.path.Idle;
import io.verbena.verification.RunException;
import java.util.concurrent.TimeUnit;

/** The near end's waiting: as the setting says, while the far end is watched, and 10 s without progress at most. */
final class Vigil {
    private static final int LOOK = 1023;
    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(10);

    private final Idle idle;
    private final Runnable check;
    private int idles;
    private boolean counting;
    private long deadline;

    /**
     * Creates one.
     *
     * @param idle how to wait
     * @param check throws if the far end has failed
     */
    Vigil(Idle idle, Runnable check) {
        this.idle = idle;
        this.check = check;
    }

    /** There was something. */
    void worked() {
        idle.reset();
        idles = 0;
        counting = false;
    }

    /** There was nothing. */
    void idle(String awaited) {
        idle.idle();
        if ((++idles & LOOK) == 0) {
            look(awaited);
        }
    }

    private void look(String awaited) {
        check.run();
        long now = System.nanoTime();
        if (!counting) {
            counting = true;
            deadline = now + TIMEOUT;
        } else if (now - deadline > 0) {
            throw new RunException("no " + awaited + " within 10 s");
        }
    }
}
