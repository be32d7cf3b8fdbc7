package io.verbena;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * How long a tenant's callbacks hold their thread: that counts what it begins and ends, and {@link CallbackWatch} looks now and then
 * whether the count has moved. So nobody reads a clock for it.
 */
final class CallbackMeter {
    /** Looks at the same callback, beyond the first, after which it is slow: one of them may have been late. */
    private static final int SLOW_LOOKS = 2;

    private static final VarHandle COUNT;

    static {
        try {
            COUNT = MethodHandles.lookup().findVarHandle(CallbackMeter.class, "count", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // keeps neighbours off the line
    private long p0, p1, p2, p3, p4, p5, p6;

    private volatile long count; // odd within a callback

    // Written before the count.
    private @Nullable Object what;
    private boolean onNode;

    @SuppressWarnings("unused")
    private long q0, q1, q2, q3, q4, q5, q6;

    // The watch's.
    private long seen;
    private int looks;

    /** A batch of callbacks begins. By the thread that runs them, as {@link #end}. */
    void begin(Object subject, boolean byNode) {
        what = subject;
        onNode = byNode;
        COUNT.setRelease(this, (long) COUNT.getOpaque(this) + 1);
    }

    void end() {
        COUNT.setRelease(this, (long) COUNT.getOpaque(this) + 1);
    }

    /** Another number for each batch, odd while it lasts. Any thread, as what follows. */
    long count() {
        return count;
    }

    /** What runs, or has run last. */
    @Nullable
    Object what() {
        return what;
    }

    /** Whether the node's thread runs it. */
    boolean isOnNode() {
        return onNode;
    }

    /** Looks at it. By the watch. @return whether a batch has just become slow */
    boolean look() {
        long now = count;
        if ((now & 1) == 0 || now != seen) {
            seen = now;
            looks = 0;
            return false;
        }
        return ++looks == SLOW_LOOKS;
    }
}
