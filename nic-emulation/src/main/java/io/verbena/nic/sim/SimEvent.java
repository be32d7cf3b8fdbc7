package io.verbena.nic.sim;

/** Something that happens at a time. Events of one time happen in the order in which they were scheduled. */
abstract class SimEvent {
    long atNanos;
    long sequence;

    abstract void fire();

    final boolean isBefore(SimEvent other) {
        return atNanos < other.atNanos || (atNanos == other.atNanos && sequence < other.sequence);
    }
}
