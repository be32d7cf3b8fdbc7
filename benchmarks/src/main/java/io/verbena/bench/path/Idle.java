package io.verbena.bench.path;

/**
 * How both ends of every path wait: they spin, and after {@value #SPINS} turns that found nothing they yield, so that a
 * machine with other work to do slows them down instead of stopping them for a time slice. For one thread.
 */
public final class Idle {
    private static final int SPINS = 200;

    private int spins;

    /** There was something. */
    public void reset() {
        spins = 0;
    }

    /** There was nothing. */
    public void idle() {
        if (++spins < SPINS) {
            Thread.onSpinWait();
        } else {
            Thread.yield();
        }
    }
}
