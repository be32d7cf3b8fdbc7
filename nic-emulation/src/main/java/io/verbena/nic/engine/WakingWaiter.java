package io.verbena.nic.engine;

import io.verbena.nic.port.Waiter;

/** An engine's waiter as fabrics see it: a wake is also for the guests. */
final class WakingWaiter implements Waiter {
    private final Waiter waiter;
    private final Guests guests;

    WakingWaiter(Waiter waiter, Guests guests) {
        this.waiter = waiter;
        this.guests = guests;
    }

    @Override
    public boolean isOwner() {
        return waiter.isOwner();
    }

    @Override
    public int poll() {
        return waiter.poll();
    }

    @Override
    public boolean isRunning() {
        return waiter.isRunning();
    }

    @Override
    public boolean runsApplication() {
        return waiter.runsApplication();
    }

    @Override
    public void await(long nanos) {
        waiter.await(nanos);
    }

    @Override
    public void wake() {
        waiter.wake();
        guests.wake();
    }

    @Override
    public void close() {
        waiter.close();
    }
}
