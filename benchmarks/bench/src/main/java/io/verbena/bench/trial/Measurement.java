package io.verbena.bench.trial;

/** A loop that measures, and goes on where it stopped when it is run again. */
interface Measurement {
    /** Measures for so long. */
    Figures run(long nanos);

    /** Does the same, and nobody looks at the figures. */
    default void warmUp(long nanos) {
        run(nanos);
    }
}
