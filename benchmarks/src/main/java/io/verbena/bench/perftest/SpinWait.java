package io.verbena.bench.perftest;

import io.verbena.nic.engine.Engine;
import java.util.concurrent.TimeUnit;

/**
 * How an end waits: it spins for some tens of microseconds, as a latency test wants; then it yields, so that a peer that
 * shares its core gets on; then it sleeps. Meanwhile it watches the other end, and gives up after the timeout.
 *
 * <p>For one thread.
 */
final class SpinWait {
    private static final int SPINS = 1_000;
    private static final int YIELDS = 20_000;
    private static final int LOOK = 63;
    private static final long NAP = TimeUnit.MILLISECONDS.toNanos(1);

    private final ControlSocket control;
    private final Engine engine;
    private final long timeoutNanos;
    private int idles;
    private long deadline;

    SpinWait(ControlSocket control, Engine engine, long timeoutNanos) {
        this.control = control;
        this.engine = engine;
        this.timeoutNanos = timeoutNanos;
    }

    /** There was something. */
    void reset() {
        idles = 0;
    }

    /** There was nothing. */
    void idle() {
        if (++idles <= SPINS) {
            Thread.onSpinWait();
        } else {
            idleLonger();
        }
    }

    private void idleLonger() {
        if (idles == SPINS + 1) {
            deadline = System.nanoTime() + timeoutNanos;
        }
        if ((idles & LOOK) == 0) {
            control.checkAlive();
            if (System.nanoTime() - deadline > 0) {
                throw new PerftestException(
                        "nothing has come for " + TimeUnit.NANOSECONDS.toSeconds(timeoutNanos) + " s");
            }
        }
        if (idles < SPINS + YIELDS) {
            Thread.yield();
        } else {
            idles -= idles >= Integer.MAX_VALUE / 2 ? LOOK + 1 : 0;
            engine.await(NAP);
        }
    }
}
