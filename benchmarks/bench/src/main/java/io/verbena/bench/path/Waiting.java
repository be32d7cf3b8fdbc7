package io.verbena.bench.path;

/** How an end waits when a turn of its path has found nothing. */
public enum Waiting {
    /** Spins forever: for as many cores as ends. */
    SPIN,
    /**
     * Spins for 20 us, then yields: a machine with other work slows the ends down instead of stopping them for a slice.
     */
    SPIN_THEN_YIELD,
    /** Yields at once. */
    YIELD,
    /**
     * Spins and yields a few times, then parks forever longer, at most 1 ms: Agrona's and Aeron's BackoffIdleStrategy.
     */
    BACK_OFF,
    /**
     * As the path's own API waits by default ({@link End#await}): Verbena's engines have their own threads, which the
     * end's thread assists, and it sleeps until there is something. Where a path has no wait of its own, as
     * {@link #BACK_OFF}.
     */
    API
}
