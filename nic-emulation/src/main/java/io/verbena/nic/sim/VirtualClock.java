package io.verbena.nic.sim;

import org.agrona.concurrent.NanoClock;

/** The time of a simulation, in nanoseconds since its start. It stands still until the simulation moves it. */
public final class VirtualClock implements NanoClock {
    private long nanos;

    VirtualClock() {}

    @Override
    public long nanoTime() {
        return nanos;
    }

    /** Moves on to a time that is not before the present. */
    void advanceTo(long toNanos) {
        if (toNanos < nanos) {
            throw new IllegalArgumentException("time " + toNanos + " ns is before now, " + nanos + " ns");
        }
        nanos = toNanos;
    }
}
