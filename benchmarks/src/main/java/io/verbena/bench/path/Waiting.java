package io.verbena.bench.path;

/** How an end waits when a turn of its path has found nothing. */
public enum Waiting {
    /** Spins for ever: for as many cores as ends. */
    SPIN,
    /** Spins for 20 us, then yields: a machine with other work slows the ends down instead of stopping them for a slice. */
    SPIN_THEN_YIELD,
    /** Spins, yields, then parks for ever longer, at most 1 ms: as a service that leaves the cores to others would. */
    BACK_OFF
}
