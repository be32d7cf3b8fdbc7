package io.verbena.nic.engine;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.PollStrategy.Step;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Application threads that sleep until an engine has something for them, while somebody else drives the engine. They
 * have a park word of their own in the control block, so that a peer which writes here directly wakes them too.
 *
 * <p>Thread-safe. One of them at a time stays awake for as long as the strategy says, which costs neither side a system
 * call if what it waits for comes soon; a guest that is to sleep publishes that it sleeps, fences, looks once more, and
 * only then parks.
 */
final class Guests {
    private final ControlBlock control;
    private final int parkWord;
    private final CopyOnWriteArrayList<Thread> sleepers = new CopyOnWriteArrayList<>();
    private final AtomicBoolean awake = new AtomicBoolean();
    private final PollStrategy strategy; // of the one that is awake
    private volatile int count;

    /**
     * Creates it, without guests.
     *
     * @param strategy says how long one of them stays awake before it sleeps; the others sleep at once
     */
    Guests(ControlBlock control, int parkWord, PollStrategy strategy) {
        this.control = control;
        this.parkWord = parkWord;
        this.strategy = strategy;
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
        boolean asked = awake.compareAndSet(false, true);
        long began = 0;
        if (asked) {
            try {
                if (stayAwake(deadline, condition)) {
                    return true;
                }
                began = strategy.began();
            } finally {
                awake.set(false);
            }
        }
        boolean came = sleep(deadline, condition);
        if (asked && awake.compareAndSet(false, true)) {
            try {
                strategy.slept(began, came);
            } finally {
                awake.set(false);
            }
        }
        return came;
    }

    private boolean sleep(long deadline, BooleanSupplier condition) {
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

    /** Looks before it sleeps, as the engine's own thread does. */
    private boolean stayAwake(long deadline, BooleanSupplier condition) {
        strategy.begin(deadline);
        for (Step step = strategy.idle(); step != Step.SLEEP; step = strategy.idle()) {
            Pause.of(step);
            if (condition.getAsBoolean()) {
                strategy.worked();
                return true;
            }
        }
        return false;
    }

    /** Wakes all of them; cheap if there are none. */
    void wake() {
        if (count > 0) {
            for (Thread sleeper : sleepers) {
                LockSupport.unpark(sleeper);
            }
        }
    }

    /** Lets go of what it holds; nobody comes any more. */
    void close() {
        strategy.close();
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
