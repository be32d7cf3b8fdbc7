package io.verbena.dispatch;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * Lets one thread at a time run a tenant's callbacks, and tells how long each batch of them takes: a word counts what
 * begins and ends, and {@link CallbackWatch} looks now and then whether it has moved. So nobody reads a clock for it.
 *
 * <pre>
 *   state   4n: nobody runs any     4n + 1: a thread of the tenant's own does     4n + 3: the node's does
 * </pre>
 *
 * <p>What one thread did in a batch happens before what the next one does there.
 */
final class CallbackMeter {
    /** Looks at the same batch, beyond the first, after which it is slow: one of them may have been late. */
    private static final int SLOW_LOOKS = 2;

    private static final int RUNS = 1;
    private static final int ON_NODE = 2;

    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(CallbackMeter.class, "state", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // keeps neighbours off the line
    private long p0, p1, p2, p3, p4, p5, p6;

    private volatile long state;
    private @Nullable Object what; // written by whoever has begun

    @SuppressWarnings("unused")
    private long q0, q1, q2, q3, q4, q5, q6;

    // The watch's.
    private long seen;
    private int looks;

    /**
     * Begins a batch.
     *
     * @param subject has the callbacks, for the log
     * @param byNode whether the caller is the node's thread
     * @return false if a thread runs one already, this one included
     */
    boolean tryBegin(Object subject, boolean byNode) {
        long now = state;
        if ((now & RUNS) != 0 || !STATE.compareAndSet(this, now, now + (byNode ? RUNS | ON_NODE : RUNS))) {
            return false;
        }
        if (what != subject) { // mostly it is the one of before: no store, and no barrier of the collector's
            what = subject;
        }
        return true;
    }

    /** The batch has ended. By the thread that has begun it. */
    void end() {
        STATE.setRelease(this, ((long) STATE.getOpaque(this) | RUNS | ON_NODE) + 1);
    }

    /** Another number for each batch. Any thread, as what follows. */
    long state() {
        return state;
    }

    /** Whether a batch is under way in a state. */
    static boolean runs(long state) {
        return (state & RUNS) != 0;
    }

    /** Whether the node's thread runs a batch in a state. */
    static boolean runsOnNode(long state) {
        return (state & ON_NODE) != 0;
    }

    /** What runs, or has run last; a moment late. */
    @Nullable
    Object what() {
        return what;
    }

    /** Looks at it. By the watch. @return whether a batch has just become slow */
    boolean look() {
        long now = state;
        if (!runs(now) || now != seen) {
            seen = now;
            looks = 0;
            return false;
        }
        return ++looks == SLOW_LOOKS;
    }
}
