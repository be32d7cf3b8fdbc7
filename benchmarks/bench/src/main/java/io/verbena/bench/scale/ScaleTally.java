package io.verbena.bench.scale;

/** What the sides of a measurement have done together. For one thread. */
final class ScaleTally {
    /** Messages that were sent and acknowledged. */
    long acknowledged;

    /** Messages that came and were taken. */
    long taken;
}
