package io.verbena.nic.sim;

import io.verbena.nic.port.Waiter;
import org.jspecify.annotations.Nullable;

/**
 * A waiter that never blocks and moves no clock: in a simulation the simulation waits. It counts what it was asked for;
 * where it is of a {@link SimThread}, that thread sleeps and is woken, and pays for both: a wake by another thread is a
 * system call of that one, any other is an interrupt.
 */
public final class SimWaiter implements Waiter {
    private final @Nullable SimThread thread;
    private long awaits;
    private long wakes;

    /** Creates a waiter of nobody, whose waits and wakes cost nothing. */
    public SimWaiter() {
        this.thread = null;
    }

    /**
     * Creates a waiter of a simulated thread.
     *
     * @param thread that calls {@link #await} in its steps: it sleeps when all that it was told before is done
     */
    public SimWaiter(SimThread thread) {
        this.thread = thread;
    }

    @Override
    public boolean isOwner() {
        return true;
    }

    @Override
    public int poll() {
        return 0;
    }

    @Override
    public void await(long nanos) {
        awaits++;
        if (thread != null) {
            thread.park(nanos);
        }
    }

    @Override
    public void wake() {
        wakes++;
        if (thread != null) {
            thread.wake();
        }
    }

    /** Calls of {@link #await} so far. */
    public long awaits() {
        return awaits;
    }

    /** Calls of {@link #wake} so far. */
    public long wakes() {
        return wakes;
    }

    @Override
    public void close() {}
}
