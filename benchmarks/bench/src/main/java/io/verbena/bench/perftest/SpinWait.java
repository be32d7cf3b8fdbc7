package io.verbena.bench.perftest;

import io.verbena.nic.engine.Engine;
import io.verbena.verification.RunException;
import java.util.concurrent.TimeUnit;

/**
 * How an end waits: it spins for some tens of microseconds, as a latency test wants; then it yields, so that a peer
 * that shares its core gets on; then it sleeps. Meanwhile it watches the other end, and gives up after the timeout.
 *
 * <p>For one thread.
 */
final class SpinWait {
    private static final long SPIN_NANOS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final int CLOCK_MASK = 15;
    private static final int YIELDS = 20_000;
    private static final int LOOK = 63;
    private static final long NAP = TimeUnit.MILLISECONDS.toNanos(1);

    private final ControlSocket control;
    private final Engine engine;
    private final long timeoutNanos;
    private int idles; // spins, then yields and naps
    private boolean spun;
    private long spinUntil;
    private long deadline;

    SpinWait(ControlSocket control, Engine engine, long timeoutNanos) {
        this.control = control;
        this.engine = engine;
        this.timeoutNanos = timeoutNanos;
    }

    /** There was something. */
    void reset() {
        idles = 0;
        spun = false;
    }

    /** There was nothing. */
    void idle() {
        if (spun) {
            idleLonger();
            return;
        }
        Thread.onSpinWait();
        // The time counts and not the turns: a turn may be some nanoseconds of shared memory, or a system call.
        if ((++idles & CLOCK_MASK) == 0) {
            long now = System.nanoTime();
            if (idles == CLOCK_MASK + 1) {
                spinUntil = now + SPIN_NANOS;
            } else if (now - spinUntil > 0) {
                spun = true;
                idles = 0;
                deadline = now + timeoutNanos;
            }
        }
    }

    private void idleLonger() {
        if ((++idles & LOOK) == 0) {
            control.checkAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new RunException("nothing has come for " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s");
            }
        }
        if (idles < YIELDS) {
            Thread.yield();
        } else {
            idles -= idles >= Integer.MAX_VALUE / 2 ? LOOK + 1 : 0;
            engine.await(NAP);
        }
    }
}
