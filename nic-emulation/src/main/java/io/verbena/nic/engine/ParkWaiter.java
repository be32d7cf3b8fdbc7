package io.verbena.nic.engine;

import io.verbena.nic.port.Waiter;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Sleeps by parking the thread: the waiter of an engine without sockets. Whoever calls {@link #await} is the owner. */
public final class ParkWaiter implements Waiter {
    private volatile @Nullable Thread sleeper;
    private volatile boolean woken;

    /** Creates a waiter that nobody sleeps on. */
    public ParkWaiter() {}

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
        sleeper = Thread.currentThread();
        if (!woken && nanos > 0) {
            LockSupport.parkNanos(this, nanos);
        }
        sleeper = null;
        woken = false;
    }

    @Override
    public void wake() {
        woken = true;
        Thread thread = sleeper;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    @Override
    public void close() {
        wake();
    }
}
