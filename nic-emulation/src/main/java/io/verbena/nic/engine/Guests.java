package io.verbena.nic.engine;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.port.PollStrategy;
import io.verbena.nic.port.PollStrategy.Step;
import java.lang.invoke.VarHandle;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Application threads that sleep until an engine has something for them, while somebody else drives the engine. They
 * have a park word of their own in the control block, so that a peer which writes here directly wakes them too.
 *
 * <p>They are woken by a turn or a command that delivered something, by a fabric in whose memory peers write directly
 * ({@link WakingWaiter}), by {@link Engine#wake}, and by the engine's failure and end; not because the engine's owner
 * has slept, which it does for doorbells and timers of its own.
 *
 * <p>Thread-safe. Of those that share a choice ({@link GuestWaits}) some stay awake for as long as its strategies say,
 * which costs neither side a system call if what they wait for comes soon; a guest that is to sleep publishes that it
 * sleeps, fences, looks once more, and only then parks.
 */
final class Guests {
    private final ControlBlock control;
    private final int parkWord;
    private final CopyOnWriteArrayList<Thread> sleepers = new CopyOnWriteArrayList<>();
    private final GuestWaits waits;
    private volatile int count;

    /**
     * Creates it, without guests.
     *
     * @param waits of those that make no choice of their own how they wait
     */
    Guests(ControlBlock control, int parkWord, GuestWaits waits) {
        this.control = control;
        this.parkWord = parkWord;
        this.waits = waits;
    }

    /** Those of guests that make no choice of their own. */
    GuestWaits waits() {
        return waits;
    }

    /**
     * Stays awake as a choice says, if it has a seat, then sleeps until the condition holds or the time is over.
     * Spurious returns do not happen.
     *
     * @param choice shared by those that wait as this thread does
     * @return whether the condition held
     */
    boolean await(GuestWaits choice, long nanos, BooleanSupplier condition) {
        if (condition.getAsBoolean()) {
            return true;
        }
        long deadline = System.nanoTime() + nanos;
        int seat = choice.takeSeat();
        if (seat == GuestWaits.NO_SEAT) {
            return sleep(deadline, condition, choice.counters());
        }
        long began;
        try {
            PollStrategy strategy = choice.strategy(seat);
            if (stayAwake(strategy, deadline, condition, choice.counters())) {
                return true;
            }
            began = strategy.began();
        } finally {
            choice.releaseSeat(seat);
        }
        boolean came = sleep(deadline, condition, choice.counters());
        if (choice.takeSeat(seat)) {
            try {
                choice.strategy(seat).slept(began, came);
            } finally {
                choice.releaseSeat(seat);
            }
        }
        return came;
    }

    private boolean sleep(long deadline, BooleanSupplier condition, WaitCounters counters) {
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
                counters.sleeps();
                LockSupport.parkNanos(this, left);
                counters.wakesUp();
            }
        } finally {
            leave(me);
        }
    }

    /** Looks before it sleeps, as the engine's own thread does. */
    private static boolean stayAwake(
            PollStrategy strategy, long deadline, BooleanSupplier condition, WaitCounters counters) {
        long looks = 1; // the one before
        try {
            strategy.begin(deadline);
            for (Step step = strategy.idle(); step != Step.SLEEP; step = strategy.idle()) {
                Pause.of(step);
                if (condition.getAsBoolean()) {
                    strategy.worked();
                    return true;
                }
                looks++;
            }
            return false;
        } finally {
            counters.emptyLooks(looks);
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

    /** Lets go of what it holds; nobody comes any more. */
    void close() {
        waits.close();
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
