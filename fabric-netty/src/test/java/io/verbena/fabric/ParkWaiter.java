package io.verbena.fabric;

import io.verbena.nic.port.Waiter;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** A waiter without I/O. */
public final class ParkWaiter implements Waiter {
    private final Semaphore wakes = new Semaphore(0);
    public volatile int woken;

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
        try {
            if (wakes.tryAcquire(nanos, TimeUnit.NANOSECONDS)) {
                wakes.drainPermits();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    @SuppressWarnings("NonAtomicVolatileUpdate")
    public void wake() {
        woken++;
        wakes.release();
    }

    @Override
    public void close() {}
}
