package io.verbena.nic.sim;

import java.util.ArrayDeque;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread on simulated cores. Its {@link SimTask} tells it what to do; each of these calls adds one thing, and they
 * are carried out in that order, each after what the one before takes. Until then nothing has happened: what depends on
 * an earlier one belongs into {@link #then}, or into the next step.
 *
 * <pre>
 *   ready ──▶ running ──▶ asleep (parked, waits for an event or a mutex) ──▶ waking ──▶ ready
 *     ▲         │  ▲
 *     │         ▼  │ granted
 *     └───── spinning
 *       slice over
 * </pre>
 *
 * <p>Not thread-safe: it belongs to the simulation's thread.
 */
public final class SimThread {
    /** Things done in one instant after which a thread is taken to run in circles. */
    static final int MAX_AT_ONCE = 100_000;

    private enum State {
        READY,
        RUNNING,
        SPINNING,
        ASLEEP,
        WAKING,
        ENDED
    }

    private enum Kind {
        RUN,
        THEN,
        ACQUIRE,
        RELEASE,
        PARK,
        SLEEP,
        AWAIT,
        WAIT,
        END
    }

    private record Action(Kind kind, long nanos, Object subject) {}

    private final SimCores cores;
    private final String name;
    private final SimTask task;
    private final ArrayDeque<Action> script = new ArrayDeque<>();
    private State state = State.READY;
    private int core = SimCores.NO_CORE;
    private long runLeft; // of what it does now
    private long lockLeft; // until the lines of a lock that it has taken are here
    private long since; // ready, or asleep for a lock
    private long due = Actor.NO_DEADLINE;
    private @Nullable BooleanSupplier event;
    private @Nullable SimLock awaited;
    private boolean permit;
    private boolean woken;
    private long runNanos;
    private long callNanos;
    private long coreNanos;
    private long lockNanos;
    private long wakes;
    private long preemptions;

    SimThread(SimCores cores, String name, SimTask task) {
        this.cores = cores;
        this.name = name;
        this.task = task;
        since = cores.now();
    }

    // ---- what it does --------------------------------------------------------------------------------------------

    /** Uses its core for so long, at least 0 nanoseconds. */
    public SimThread run(long nanos) {
        return add(Kind.RUN, notNegative(nanos), this);
    }

    /** Makes so many system calls, at least 0, which take their time and do nothing else. */
    public SimThread systemCalls(int count) {
        return then(() -> owe(calls(count)));
    }

    /** Does something that takes no time itself. */
    public SimThread then(Runnable action) {
        return add(Kind.THEN, 0, action);
    }

    /** Takes a lock, and waits for it as the lock's kind says. */
    public SimThread acquire(SimLock lock) {
        return add(Kind.ACQUIRE, 0, lock);
    }

    /**
     * Releases a lock.
     *
     * @throws IllegalStateException when it comes to that, if the lock is not the thread's
     */
    public SimThread release(SimLock lock) {
        return add(Kind.RELEASE, 0, lock);
    }

    /**
     * Sleeps, by a system call, until it is woken or the time is over; not at all if it was woken since it last slept.
     */
    public SimThread park(long nanos) {
        return add(Kind.PARK, notNegative(nanos), this);
    }

    /**
     * Sleeps, by a system call, until an event of a device, whose interrupt wakes it, or until the time is over.
     *
     * @param raised looked at when it comes to that and whenever something has happened, until it holds
     */
    public SimThread awaitEvent(BooleanSupplier raised, long nanos) {
        return add(Kind.AWAIT, notNegative(nanos), raised);
    }

    /** Wakes another thread, by a system call. */
    public SimThread wake(SimThread other) {
        return then(other::wake);
    }

    /** Does nothing any more. */
    public SimThread end() {
        return add(Kind.END, 0, this);
    }

    private SimThread add(Kind kind, long nanos, Object subject) {
        script.add(new Action(kind, nanos, subject));
        return this;
    }

    private static long notNegative(long nanos) {
        if (nanos < 0) {
            throw new IllegalArgumentException(nanos + " ns < 0");
        }
        return nanos;
    }

    // ---- what others do to it ------------------------------------------------------------------------------------

    /**
     * Wakes it from {@link #park}, or keeps its next one from sleeping. A thread that does this, in {@link #then}, pays
     * for a system call; anything else is a device, and raises an interrupt. Who is awake costs nothing.
     */
    public void wake() {
        if (woken) {
            return;
        }
        if (state != State.ASLEEP || awaited != null) {
            permit = true;
            return;
        }
        SimThread by = cores.running();
        if (by == null) {
            cores.interrupt(this);
        } else {
            by.owe(by.calls(1));
            wakeFrom(cores.host().systemCall);
        }
    }

    /** It is to get a core when a time has passed, and a core is awake. */
    void wakeFrom(long delay) {
        long now = cores.now();
        if (awaited != null) {
            lockNanos += now - since;
            awaited = null;
        }
        event = null;
        woken = true;
        wakes++;
        state = State.WAKING;
        since = now;
        due = now + delay + (cores.hasIdle() ? cores.host().idleWake : 0);
    }

    /** A lock for which it spins is its own; its lines come, and so much later than to a lone thread. */
    void granted(long later) {
        script.remove();
        awaited = null;
        state = State.RUNNING;
        lockLeft += later;
    }

    /** It has done something that takes time by the way. */
    void owe(long nanos) {
        runLeft += nanos;
    }

    /** It makes system calls. @return what they take */
    long calls(int count) {
        long nanos = count * cores.host().systemCall;
        callNanos += nanos;
        return nanos;
    }

    /** What its system calls have taken, or will. */
    long callNanos() {
        return callNanos;
    }

    void oweForLock(long nanos) {
        lockLeft += nanos;
    }

    // ---- on cores ------------------------------------------------------------------------------------------------

    /** Looks whether it is woken now. */
    int look(long now) {
        if (state == State.WAKING && due <= now) {
            state = State.READY;
            due = Actor.NO_DEADLINE;
            cores.ready(this);
            return 1;
        }
        if (state == State.ASLEEP && (due <= now || (event != null && event.getAsBoolean()))) {
            cores.interrupt(this);
            return 1;
        }
        return 0;
    }

    void dispatched(int on, long now) {
        coreNanos += now - since;
        core = on;
        woken = false;
        state = State.RUNNING;
    }

    /** Its slice is over; if it spins it begins anew when it has a core again. */
    void preempted(long now) {
        if (awaited != null) {
            awaited.leave(this);
            awaited = null;
        }
        preemptions++;
        state = State.READY;
        since = now;
    }

    /** A time has passed on its core. */
    void pass(long nanos) {
        if (state == State.SPINNING) {
            lockNanos += nanos;
            return;
        }
        long forLock = Math.min(nanos, lockLeft);
        lockLeft -= forLock;
        lockNanos += forLock;
        long run = Math.min(nanos - forLock, runLeft);
        runLeft -= run;
        runNanos += run;
    }

    /** Whether it is to go on now, as nothing it has done takes time any more. */
    boolean goesOn() {
        return state == State.RUNNING && runLeft == 0 && lockLeft == 0;
    }

    /** How long what it does takes; {@link Actor#NO_DEADLINE} if that is for others to say. */
    long left() {
        return state == State.SPINNING ? Actor.NO_DEADLINE : runLeft + lockLeft;
    }

    /** When it wakes by itself. */
    long due() {
        return due;
    }

    /** Goes on until something takes time. */
    void proceed() {
        for (int i = 0; goesOn(); i++) {
            if (i == MAX_AT_ONCE) {
                throw new IllegalStateException(this + " has done " + i + " things that take no time");
            }
            Action next = script.peek();
            if (next != null) {
                carryOut(next);
                continue;
            }
            task.step(this);
            if (script.isEmpty()) {
                throw new IllegalStateException(this + " was told nothing to do");
            }
        }
    }

    private void carryOut(Action next) {
        if (next.kind == Kind.ACQUIRE) {
            acquireNow((SimLock) next.subject);
            return;
        }
        script.remove();
        switch (next.kind) {
            case RUN -> runLeft += next.nanos;
            case THEN -> ((Runnable) next.subject).run();
            case RELEASE -> ((SimLock) next.subject).release(this);
            case PARK -> call(Kind.SLEEP, next);
            case AWAIT -> call(Kind.WAIT, next);
            case SLEEP -> {
                if (!permit) {
                    sleep(next.nanos);
                }
                permit = false;
            }
            case WAIT -> {
                BooleanSupplier raised = (BooleanSupplier) next.subject;
                if (!raised.getAsBoolean()) {
                    event = raised;
                    sleep(next.nanos);
                }
            }
            default -> {
                script.clear();
                state = State.ENDED;
                cores.left(this);
            }
        }
    }

    /** Goes into the kernel first; who has been woken before need not. */
    private void call(Kind then, Action asked) {
        if (then == Kind.SLEEP && permit) {
            permit = false;
            return;
        }
        runLeft += calls(1);
        script.addFirst(new Action(then, asked.nanos, asked.subject));
    }

    private void acquireNow(SimLock lock) {
        if (lock.take(this)) {
            script.remove();
            return;
        }
        awaited = lock;
        if (lock.isSpin()) {
            state = State.SPINNING;
        } else {
            lockLeft += calls(1);
            since = cores.now();
            sleep(Actor.NO_DEADLINE);
        }
    }

    private void sleep(long nanos) {
        long now = cores.now();
        due = nanos > Actor.NO_DEADLINE - now ? Actor.NO_DEADLINE : now + nanos;
        state = State.ASLEEP;
        cores.left(this);
    }

    // ---- what is known of it -------------------------------------------------------------------------------------

    /** Its name in traces. */
    public String name() {
        return name;
    }

    /** The cores that it runs on. */
    public SimCores cores() {
        return cores;
    }

    int core() {
        return core;
    }

    /** Time for which it has used a core for its own work, in nanoseconds. */
    public long runNanos() {
        cores.account();
        return runNanos;
    }

    /** Time from being woken or put off its core to being on one, in nanoseconds. */
    public long waitedForCoreNanos() {
        return coreNanos + (state == State.READY || state == State.WAKING ? cores.now() - since : 0);
    }

    /** Time for which it has spun or slept for locks and waited for their lines, in nanoseconds. */
    public long waitedForLockNanos() {
        cores.account();
        return lockNanos + (state == State.ASLEEP && awaited != null ? cores.now() - since : 0);
    }

    /** Times that it was woken. */
    public long wakes() {
        return wakes;
    }

    /** Times that it was put off its core for another thread. */
    public long preemptions() {
        return preemptions;
    }

    /** Whether it has ended. */
    public boolean hasEnded() {
        return state == State.ENDED;
    }

    @Override
    public String toString() {
        return "thread " + name + ' ' + state;
    }
}
