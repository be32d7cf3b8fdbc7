package io.verbena.nic.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The right to run an engine: a try-lock that is never waited for on the data path. Whoever holds it owns the state of
 * the engine's queue pairs, completion tails and links; taking it (acquire) and letting it go (release) hands that
 * state over.
 */
final class Baton {
    private static final VarHandle HELD;

    static {
        try {
            HELD = MethodHandles.lookup().findVarHandle(Baton.class, "held", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // keeps neighbours off the line
    private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14;

    private volatile int held;

    @SuppressWarnings("unused")
    private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, q10, q11, q12, q13, q14;

    /** Takes it if nobody holds it. */
    boolean tryTake() {
        return held == 0 && HELD.compareAndSet(this, 0, 1);
    }

    /** Lets it go, with a full fence: what others published before they failed to take it is visible afterwards. */
    void release() {
        HELD.setVolatile(this, 0);
    }
}
