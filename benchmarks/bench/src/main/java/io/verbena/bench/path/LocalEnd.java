package io.verbena.bench.path;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * An end whose requests are done where they are made, or by threads of the path's own: the far end's thread has nothing
 * to do and sleeps, so that it takes no core from those that have.
 */
abstract class LocalEnd extends End {
    private static final long SLEEP_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private final boolean near;

    LocalEnd(boolean near, PathSettings settings) {
        super(settings);
        this.near = near;
    }

    @Override
    public final boolean isAnswered() {
        return false;
    }

    @Override
    final int receive(int limit) {
        if (near) {
            return complete(limit);
        }
        LockSupport.parkNanos(SLEEP_NANOS);
        return 0;
    }

    /** Near end: accepts what is complete. @return how many */
    abstract int complete(int limit);
}
