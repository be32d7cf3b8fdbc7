package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * What takes part in a {@link WeightedRound}: a flow, a group's flows of one port, a group. The fields are the round's; they
 * live here so that scheduling needs no look-up and no allocation.
 */
abstract class Share {
    // A place in one list at most.
    @Nullable
    ShareList<?> list;

    @Nullable
    Share next;

    @Nullable
    Share previous;

    long weight = 1;
    long credit; // what it may send yet, or owes below zero; in WeightedRound's fractions of a byte
    long pace; // the round's, when it left
    int lap; // in which it came to the end of the list
    int epoch; // of the round, when it left
    boolean member;
    boolean inTurn;

    /** What a turn that begins is longer by, or shorter if negative, both in fractions of a byte. */
    long correction(long turn) {
        return 0;
    }
}
