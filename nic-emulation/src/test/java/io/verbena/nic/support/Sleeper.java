package io.verbena.nic.support;

import io.verbena.nic.port.Waiter;
import org.jspecify.annotations.Nullable;

/** Does something while its owner sleeps, and counts. One thread. */
public final class Sleeper implements Waiter {
    /** What happens while the owner sleeps. */
    public @Nullable Runnable meanwhile;

    /** Whether the calling thread is the owner. */
    public boolean owned = true;

    /** How often the owner was woken. */
    public int wakes;

    /** How often the owner went to sleep. */
    public int awaits;

    /** Creates a waiter whose owner calls, and that does nothing meanwhile. */
    public Sleeper() {}

    @Override
    public boolean isOwner() {
        return owned;
    }

    @Override
    public int poll() {
        return 0;
    }

    @Override
    public void await(long nanos) {
        awaits++;
        if (meanwhile != null) {
            meanwhile.run();
        }
    }

    @Override
    public void wake() {
        wakes++;
    }

    @Override
    public void close() {}
}
