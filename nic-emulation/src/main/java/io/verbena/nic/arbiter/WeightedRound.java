package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * Deficit round robin with weights: members in turn, each as many units (bytes, mostly) a lap as its weight says; what
 * a turn overshoots or leaves over is carried to the next. Shares are therefore exact in the long run, for every mix of
 * sizes: a member that has work throughout is never further from its share than one turn and one message.
 *
 * <pre>
 *   fresh   [came back: has its turn of this lap, or what is left of it] ...              served first
 *   ready   [in turn, credit > 0] [waits] [waits] [waits, came to the tail in this lap] ...
 *                                  └─ credit += weight x unit when its turn comes; owes still: to the tail at once
 * </pre>
 *
 * <p>Who has work only now and then has its turn when it comes, not after a whole lap: its turn of this lap, once, or
 * the rest of it. So it waits for the visit under way, and gets no more than its share for coming and going.
 *
 * <p>A lap ends when the head came to the tail in this lap. Only then is the unit, what a weight of one gets, computed
 * anew, from the weights of the members of that moment: all members see the same sequence of units, however the
 * sum of weights moves, and a change of a weight touches one number. Credit is kept in fractions of a unit
 * ({@link #FRACTION} bits), so that light weights lose nothing to rounding.
 *
 * <p>A member that leaves while it owes is served by staying away: the laps that it misses pay. When all have left,
 * debts end, for nobody is there to be owed. All operations take constant time; {@link #select} does so on the average,
 * for each lap moves some, and where all owe more than a lap's worth, laps are skipped at once.
 */
final class WeightedRound<T extends Share> {
    /** Bits of a unit's fraction in credits. */
    static final int FRACTION = 16;

    /** Newcomers have to wait for the next lap when they would make this one so many times as long. */
    private static final int MAX_LAP = 2;

    private final ShareList<T> fresh = new ShareList<>();
    private final ShareList<T> ready = new ShareList<>();
    private int members; // also those that are stalled, and so in no list of ours
    private long weights; // of the members
    private long lapWeights; // when the lap began
    private long unit = 1L << FRACTION;
    private long pace; // sum of units: what a weight of one has got
    private int lap = 1;
    private int epoch; // counts the times when all had left
    private long steps; // members looked at

    int members() {
        return members;
    }

    boolean hasReady() {
        return !ready.isEmpty() || !fresh.isEmpty();
    }

    /** Members that were looked at so far: the cost of all selections. */
    long steps() {
        return steps;
    }

    /** What a lap gives to a weight, in whole units. */
    long units(long weight) {
        return (weight * unit) >> FRACTION;
    }

    /** A member has work. */
    void join(T share) {
        share.member = true;
        members++;
        weights += share.weight;
        boolean hadTurn = share.turnLap == lap && share.epoch == epoch;
        if (share.epoch != epoch) {
            share.credit = 0;
        } else if (share.credit < 0) {
            long laps = Math.max(0, pace - share.pace); // its pace may be of a round that it was in before
            share.credit = laps >= -share.credit / share.weight + 1 ? 0 : share.credit + laps * share.weight;
        } else if (!hadTurn && !share.keepsCredit) {
            share.credit = 0;
        }
        boolean waits = hadTurn ? share.credit <= 0 : members == 1 || weights > lapWeights * MAX_LAP;
        if (waits) {
            share.lap = lap;
            ready.addLast(share);
        } else {
            share.inTurn = hadTurn;
            share.lap = lap - 1;
            fresh.addLast(share);
        }
    }

    /**
     * A member has no work left, or cannot go on: it keeps what it owes. Of its credit a turn's worth is for this lap
     * alone.
     *
     * @param keepsCredit also for later laps
     */
    void leave(T share, boolean keepsCredit) {
        share.credit = Math.min(share.credit, share.weight * unit);
        share.keepsCredit = keepsCredit;
        unlink(share);
        share.member = false;
        share.inTurn = false;
        share.pace = pace;
        share.epoch = epoch;
        weights -= share.weight;
        if (--members == 0) {
            epoch++;
        }
    }

    /**
     * A member cannot be served for now: it leaves the list, but keeps its turn, its credit, and its part of the sum.
     */
    void stall(T share) {
        unlink(share);
    }

    /** A member that was stalled can be served again: it goes on with its turn, or waits for its next one. */
    void resume(T share) {
        if (share.inTurn) {
            ready.addFirst(share);
        } else {
            share.lap = lap;
            ready.addLast(share);
        }
    }

    /** Changes a weight, from the next turn on. */
    void weigh(Share share, long weight) {
        if (share.member) {
            weights += weight - share.weight;
            if (weight > share.weight && weights > lapWeights * MAX_LAP) {
                share.lap = lap; // its next turn begins a lap, whose unit knows this weight
            }
        }
        share.weight = weight;
    }

    /**
     * The member whose turn it is; it stays where it is.
     *
     * @param lapUnits for all members together, if a lap begins
     * @return null if none is ready
     */
    @Nullable
    T select(long lapUnits) {
        int owing = 0;
        for (T share = first(); share != null; share = first()) {
            steps++;
            if (!share.inTurn) {
                if (share.lap == lap) {
                    lap++;
                    lapWeights = weights;
                    unit = Math.max(1, (lapUnits << FRACTION) / weights);
                    pace += unit;
                }
                if (members == 1) {
                    share.credit = 0; // there is nobody that it could owe
                }
                share.inTurn = true;
                share.turnLap = lap;
                long turn = share.weight * unit;
                if (ready.size() + fresh.size() == 1 && members > 1) {
                    passLaps(share, turn, (lapUnits << FRACTION) / members);
                }
                share.begin(turn);
            }
            if (share.credit > 0) {
                return share;
            }
            endTurn(share);
            if (++owing > ready.size()) {
                skipLaps();
                owing = 0;
            }
        }
        return null;
    }

    /** A member has been served: its turn, if it is in one, ends if its credit is spent. */
    void served(T share) {
        if (share.credit > 0) {
            return;
        }
        if (members == 1) { // there was nobody that it could owe; laps have passed all the same
            pace += -share.credit / (share.weight * unit) * unit;
            share.credit = 0;
        }
        if (share.inTurn && (share.list == ready || share.list == fresh)) {
            endTurn(share);
        }
    }

    private void endTurn(T share) {
        share.inTurn = false;
        share.lap = lap;
        unlink(share);
        ready.addLast(share);
    }

    private @Nullable T first() {
        T share = fresh.first();
        return share == null ? ready.first() : share;
    }

    private static void unlink(Share share) {
        ShareList<?> list = share.list;
        if (list != null) {
            list.remove(share);
        }
    }

    /** None of the others can be served: so many laps pass at once as bring one a turn of the mean length. */
    private void passLaps(T share, long turn, long mean) {
        long lacks = mean - share.credit - turn;
        if (lacks > 0) {
            long laps = lacks / turn;
            share.credit += laps * turn;
            pace += laps * unit;
        }
    }

    /** A whole lap has served nobody: goes on to the lap before the one that does. */
    private void skipLaps() {
        long laps = Long.MAX_VALUE;
        for (Share share = ready.first(); share != null; share = share.next) {
            laps = Math.min(laps, -share.credit / (share.weight * unit));
        }
        for (Share share = ready.first(); share != null; share = share.next) {
            share.credit += laps * share.weight * unit;
        }
        pace += laps * unit;
    }
}
