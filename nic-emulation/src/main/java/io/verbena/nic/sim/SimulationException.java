package io.verbena.nic.sim;

import java.io.Serial;

/** A simulation did not get where it should; the message says why, and has the seed and the end of the trace. */
public final class SimulationException extends RuntimeException {
    @Serial
    private static final long serialVersionUID = 1L;

    private final long seed;

    SimulationException(String message, long seed) {
        super(message);
        this.seed = seed;
    }

    /** The seed that replays the run. */
    public long seed() {
        return seed;
    }
}
