package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * What takes part in a {@link WeightedRound}: a flow, a group's flows of one output, a group. What a round knows of a
 * member lives here, so that scheduling needs no look-up and no allocation; {@link WeightedRound} alone moves it from
 * lap to lap, and whoever serves a member takes from its credit.
 */
public abstract class Share {
    // A place in one list at most.
    @Nullable
    ShareList<?> list;

    @Nullable
    Share next;

    @Nullable
    Share previous;

    long weight = 1;
    long credit; // what it may send yet, or owes below zero; in WeightedRound's fractions of a unit
    long pace; // the round's, when it left
    int lap; // in which it came to the end of the list
    int epoch; // of the round, when it left
    int turnLap; // in which its last turn began
    boolean keepsCredit; // left over when it left, also for a later lap
    boolean member;
    boolean inTurn;
    boolean parked; // waits in the timing wheel, above its ceiling or rate
    long wakeNanos; // until then

    /** Whether it stands in a list. */
    public final boolean isListed() {
        return list != null;
    }

    /** Whether it stands in this list. */
    public final boolean isIn(ShareList<?> of) {
        return list == of;
    }

    /** Its turn begins: it is given what its weight is worth, in fractions of a unit. */
    void begin(long turn) {
        credit += turn;
    }
}
