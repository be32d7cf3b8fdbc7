package io.verbena.verification.simulate;

/** What goes wrong in a walk besides single packets. */
enum Fault {
    /** Nothing passes a link, for less than the retries last. */
    SHORT_CUT("cuts shorter than the retry budget"),
    /** Nothing passes a link, for longer than that. */
    LONG_CUT("cuts longer than the retry budget"),
    /** Nothing passes a link in one direction. */
    ONE_WAY_CUT("cuts of one direction"),
    /** Some NICs hear nothing of the others. */
    PARTITION("partitions"),
    /** A link goes down at both ends, and a new one comes up later. */
    BREAK("link breaks and reconnects"),
    /** A NIC and its application stand still. */
    PAUSE("pauses"),
    /** A NIC dies, and one of the same identity comes up. */
    CRASH("crashes and restarts"),
    /** A NIC dies between two steps of a direct operation. */
    KILLED_DIRECT("deaths between the steps of a direct operation"),
    /** A NIC stands still between two steps of a direct operation while the others go on. */
    FROZEN_DIRECT("stops between the steps of a direct operation"),
    /** A link's rate or delay changes, each direction for itself. */
    WEATHER("changes of a link's rate and delay");

    final String words;

    Fault(String words) {
        this.words = words;
    }
}
