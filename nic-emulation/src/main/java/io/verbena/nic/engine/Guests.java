package io.verbena.nic.engine;

import io.verbena.nic.memory.ControlBlock;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Application threads that sleep until an engine has something for them, while somebody else drives the engine. They have
 * a park word of their own in the control block, so that a peer which writes here directly wakes them too.
 *
 * <p>Thread-safe. A guest publishes that it sleeps, fences, looks once more, and only then parks.
 */
final class Guests {
    private final ControlBlock control;
    private final int parkWord;
    private final CopyOnWriteArrayList<Thread> sleepers = new CopyOnWriteArrayList<>();
    private volatile int count;

    Guests(ControlBlock control, int parkWord) {
        this.control = control;
        this.parkWord = parkWord;
    }

    /**
     * Sleeps until the condition holds or the time is over. Spurious returns do not happen.
     *
     * @return whether the condition held
     */
    boolean await(long nanos, BooleanSupplier condition) {
        if (condition.getAsBoolean()) {
            return true;
        }
        long deadline = System.nanoTime() + nanos;
        Thread me = Thread.currentThread();
        enter(me);
        try {
            while (true) {
                VarHandle.fullFence();
                if (condition.getAsBoolean()) {
                    return true;
                }
                long left = deadline - System.nanoTime();
                if (left <= 0 || me.isInterrupted()) {
                    return false;
                }
                LockSupport.parkNanos(this, left);
            }
        } finally {
            leave(me);
        }
    }

    /** Wakes all of them; cheap if there are none. */
    void wake() {
        if (count > 0) {
            for (Thread sleeper : sleepers) {
                LockSupport.unpark(sleeper);
            }
        }
    }

    private synchronized void enter(Thread thread) {
        sleepers.add(thread);
        count = sleepers.size();
        control.setParked(parkWord);
    }

    private synchronized void leave(Thread thread) {
        sleepers.remove(thread);
        count = sleepers.size();
        if (count == 0) {
            control.setRunning(parkWord);
        }
    }
}
