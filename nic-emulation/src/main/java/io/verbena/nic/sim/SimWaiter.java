package io.verbena.nic.sim;

import io.verbena.nic.port.Waiter;

/**
 * A waiter that never blocks and moves no clock: in a simulation the simulation waits. It counts what it was asked for.
 */
public final class SimWaiter implements Waiter {
    private long awaits;
    private long wakes;

    /** Creates a waiter. */
    public SimWaiter() {}

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
    }

    @Override
    public void wake() {
        wakes++;
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
