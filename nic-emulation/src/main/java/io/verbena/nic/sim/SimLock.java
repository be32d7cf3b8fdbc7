package io.verbena.nic.sim;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A lock between simulated threads. Whoever takes it from another core waits for its lines; one that is free and was
 * last held on the same core costs nothing. Not thread-safe.
 */
public final class SimLock {
    /** How a thread waits for a lock. */
    public enum Kind {
        /** On its core; the lock goes to the one that has spun longest of those that are on a core. */
        SPIN,
        /** Asleep; the lock is free meanwhile, and whoever comes before the one that was woken has it. */
        MUTEX
    }

    private static final int LOCK_TRANSFERS = 2; // the request that finds it free, and the swap

    private final SimCores cores;
    private final Kind kind;
    private final long moveNanos;
    private final ArrayDeque<SimThread> waiters = new ArrayDeque<>();
    private @Nullable SimThread owner;
    private int lastCore = -1;
    private long acquisitions;
    private long contended;
    private long moves;

    SimLock(SimCores cores, Kind kind, int dataLines) {
        this.cores = cores;
        this.kind = kind;
        moveNanos = (LOCK_TRANSFERS + dataLines) * cores.host().line;
    }

    /** Times that it was taken. */
    public long acquisitions() {
        return acquisitions;
    }

    /** Tries that found it held. */
    public long contended() {
        return contended;
    }

    /** Times that it was taken on another core than the time before. */
    public long moves() {
        return moves;
    }

    boolean isSpin() {
        return kind == Kind.SPIN;
    }

    /** A thread, which is on a core, takes the lock if it is free; else it is among those that wait. */
    boolean take(SimThread thread) {
        if (owner == null) {
            own(thread);
            return true;
        }
        if (owner == thread) {
            throw new IllegalStateException(thread + " takes a lock that it holds");
        }
        contended++;
        waiters.add(thread);
        return false;
    }

    /** A thread that spins has lost its core. */
    void leave(SimThread thread) {
        waiters.remove(thread);
    }

    void release(SimThread thread) {
        if (owner != thread) {
            throw new IllegalStateException(thread + " releases a lock of " + owner);
        }
        owner = null;
        SimThread next = waiters.poll();
        if (next == null) {
            return;
        }
        if (kind == Kind.SPIN) {
            own(next);
            next.granted(waiters.size() * cores.host().spinner);
        } else {
            thread.owe(thread.calls(1));
            next.wakeFrom(cores.host().systemCall);
        }
    }

    private void own(SimThread thread) {
        owner = thread;
        acquisitions++;
        int core = thread.core();
        if (lastCore >= 0 && lastCore != core) {
            moves++;
            thread.oweForLock(moveNanos);
        }
        lastCore = core;
    }
}
