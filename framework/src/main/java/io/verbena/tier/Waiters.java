package io.verbena.tier;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Threads that wait for a change and have to be woken when there is one. They look at what they wait for after they
 * were added, and whoever changes it wakes them afterwards: no wake-up is lost. Thread-safe.
 */
final class Waiters {
    private final List<Thread> threads = new ArrayList<>(2);
    private volatile int count;

    synchronized void add() {
        threads.add(Thread.currentThread());
        count = threads.size();
    }

    synchronized void remove() {
        threads.remove(Thread.currentThread());
        count = threads.size();
    }

    /** Wakes all of them; cheap if there are none. */
    void wake() {
        if (count > 0) {
            wakeAll();
        }
    }

    private synchronized void wakeAll() {
        threads.forEach(LockSupport::unpark);
    }
}
