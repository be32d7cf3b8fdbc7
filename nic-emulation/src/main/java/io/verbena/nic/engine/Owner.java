package io.verbena.nic.engine;

import io.verbena.nic.memory.ControlBlock;
import io.verbena.nic.poll.WaitCounters;
import io.verbena.nic.port.Waiter;
import io.verbena.nic.transport.QpContext;
import io.verbena.nic.verbs.QpType;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.agrona.concurrent.NanoClock;
import org.jspecify.annotations.Nullable;

/**
 * The one thread that does an engine's I/O and sleeps in its waiter: the engine's own, or in the mode INVOKER the
 * application's. Knows what that waits for besides the engine's work, and until when it sleeps.
 *
 * <p>Concurrency: {@link #sleep} by the owner, everything else by any thread. A sleeper is not left asleep: it
 * publishes PARKED, fences, looks at everything once more, and only then blocks; whoever writes something for it does
 * so, fences, and then looks at its park word.
 */
final class Owner {
    private static final long MAX_SLEEP = TimeUnit.SECONDS.toNanos(1);

    private final int index;
    private final ControlBlock control;
    private final Waiter waiter;
    private final NanoClock clock;
    private final Datapath datapath;
    private final @Nullable Thread thread; // the engine's own: at hand, for this is asked with each poll
    private final WaitCounters counters = new WaitCounters();
    private volatile @Nullable EngineAgent agent;
    private volatile BooleanSupplier[] parkChecks = {}; // copied on write; a list would make an iterator for each look
    private volatile long sleepsUntil = Long.MIN_VALUE; // when the owner, asleep, will look again

    /**
     * Creates it.
     *
     * @param thread the engine's own, or null if the waiter says whose it is
     */
    Owner(
            int index,
            ControlBlock control,
            Waiter waiter,
            NanoClock clock,
            Datapath datapath,
            @Nullable EngineThread thread) {
        this.index = index;
        this.control = control;
        this.waiter = waiter;
        this.clock = clock;
        this.datapath = datapath;
        this.thread = thread == null ? null : thread.thread();
    }

    /** Whether it is the calling thread. */
    boolean isCurrent() {
        return thread == null ? waiter.isOwner() : Thread.currentThread() == thread;
    }

    /** Wakes it if it sleeps. */
    void wake() {
        if (isParked()) {
            waiter.wake();
        }
    }

    /** Whether it sleeps; what was written before is seen by it otherwise. */
    boolean isParked() {
        return control.isParkedFenced(index);
    }

    /**
     * Whether it sleeps, as far as can be seen, and no answer to a queue pair is about to wake it: whoever posts there
     * writes to the socket himself, which spares both the wake-up. While an answer is due, requests go by the owner,
     * who sends with one system call what was posted until he wakes. So does what is never answered.
     */
    boolean sleepsThrough(QpContext qp) {
        return qp.type() == QpType.RC
                && control.isParked(index)
                && !qp.sendRing().awaitsAnswers();
    }

    /** Whether it sleeps for longer than timers may wait. */
    boolean sleepsPastDeadline() {
        long until = sleepsUntil;
        return until != Long.MIN_VALUE && datapath.nextDeadline() < until;
    }

    /** What its waits cost. */
    WaitCounters counters() {
        return counters;
    }

    // ---- what it does besides ------------------------------------------------------------------------------------

    void agent(EngineAgent work) {
        agent = work;
    }

    /** The agent's share of a turn. */
    int agentWork() {
        EngineAgent work = agent;
        return work == null ? 0 : work.doWork();
    }

    /** When the agent needs its next turn. */
    private long agentDeadline() {
        EngineAgent work = agent;
        return work == null ? Long.MAX_VALUE : work.nextDeadline();
    }

    /** Whether something has come that its application consumes. */
    boolean isAwaited() {
        EngineAgent work = agent;
        if (work != null && work.hasWork()) {
            return true;
        }
        for (BooleanSupplier check : parkChecks) {
            if (check.getAsBoolean()) {
                return true;
            }
        }
        return false;
    }

    synchronized void addParkCheck(BooleanSupplier check) {
        BooleanSupplier[] now = Arrays.copyOf(parkChecks, parkChecks.length + 1);
        now[now.length - 1] = check;
        parkChecks = now;
        wake(); // it may sleep without looking at this
    }

    synchronized void removeParkCheck(BooleanSupplier check) {
        parkChecks = Arrays.stream(parkChecks).filter(c -> c != check).toArray(BooleanSupplier[]::new);
    }

    // ---- sleeping ------------------------------------------------------------------------------------------------

    /**
     * Blocks until there is something to do, somebody wakes it, a timer is due, or the time is over.
     *
     * @param hasWork looked at once more before it blocks
     */
    void sleep(long nanos, BooleanSupplier hasWork) {
        long now = clock.nanoTime();
        long deadline = datapath.nextDeadline();
        long next = Math.min(deadline, agentDeadline());
        long wait = Math.min(nanos, Math.min(next == Long.MAX_VALUE ? MAX_SLEEP : next - now, MAX_SLEEP));
        if (wait <= 0) {
            return;
        }
        sleepsUntil = now + wait;
        if (thread != null && parkChecks.length == 0) {
            control.setParkedForPackets(index); // whoever polls what peers write here directly is awake, or a guest
            if (parkChecks.length > 0) {
                control.setParked(index); // added meanwhile, by somebody who saw this engine run
            }
        } else {
            control.setParked(index);
        }
        try {
            if (!hasWork.getAsBoolean() && datapath.nextDeadline() >= deadline) {
                counters.sleeps();
                waiter.await(wait);
                counters.wakesUp();
            }
        } finally {
            control.setRunning(index);
            sleepsUntil = Long.MIN_VALUE;
        }
    }
}
