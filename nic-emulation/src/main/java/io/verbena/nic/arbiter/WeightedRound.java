package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * Deficit round robin with weights: members in turn, each as many bytes a lap as its weight says; what a turn overshoots or
 * leaves over is carried to the next. Shares are therefore exact in the long run, for every mix of sizes: a member that has
 * work throughout is never further from its share than one turn and one message.
 *
 * <pre>
 *   head                                        tail
 *   [in turn, credit > 0] [waits] [waits] [waits, came to the tail in this lap] ...
 *                          └─ credit += weight x unit when its turn comes; owes still: to the tail at once
 * </pre>
 *
 * <p>A lap ends when the head came to the tail in this lap. Only then is the unit, the bytes that a weight of one gets,
 * computed anew, from the weights of the members of that moment: all members see the same sequence of units, however the
 * sum of weights moves, and a change of a weight touches one number. Credit is kept in fractions of a byte
 * ({@link #FRACTION} bits), so that light weights lose nothing to rounding.
 *
 * <p>A member that leaves while it owes is served by staying away: the laps that it misses pay. When all have left, debts
 * end, for nobody is there to be owed. All operations take constant time; {@link #select} does so on the average, for each
 * lap moves bytes, and where all owe more than a lap's worth, laps are skipped at once.
 */
final class WeightedRound<T extends Share> {
    /** Bits of a byte's fraction in credits. */
    static final int FRACTION = 16;

    private final ShareList<T> ready = new ShareList<>();
    private int members; // also those that are stalled, and so in no list of ours
    private long weights; // of the members
    private long unit = 1L << FRACTION;
    private long pace; // sum of units: what a weight of one has got
    private int lap;
    private int epoch; // counts the times when all had left
    private long steps; // members looked at

    int members() {
        return members;
    }

    boolean hasReady() {
        return !ready.isEmpty();
    }

    @Nullable
    T first() {
        return ready.first();
    }

    /** Members that were looked at so far: the cost of all selections. */
    long steps() {
        return steps;
    }

    /** What a lap gives to a weight, in whole bytes. */
    long bytes(long weight) {
        return (weight * unit) >> FRACTION;
    }

    /** A member has work. */
    void join(T share) {
        share.member = true;
        members++;
        weights += share.weight;
        if (share.epoch != epoch) {
            share.credit = 0;
        } else if (share.credit < 0) {
            long laps = pace - share.pace;
            share.credit = laps >= -share.credit / share.weight + 1 ? 0 : share.credit + laps * share.weight;
        }
        share.inTurn = false;
        share.lap = lap;
        ready.addLast(share);
    }

    /** A member has none left. Its credit is the caller's to keep or to drop. */
    void leave(T share) {
        if (share.list != null) {
            share.list.remove(share);
        }
        share.member = false;
        share.inTurn = false;
        share.pace = pace;
        share.epoch = epoch;
        weights -= share.weight;
        if (--members == 0) {
            epoch++;
        }
    }

    /** A member cannot be served for now: it leaves the list, but keeps its turn, its credit, and its part of the sum. */
    void stall(T share) {
        ready.remove(share);
    }

    /** A member that was stalled can be served again: it goes on where it was. */
    void resume(T share) {
        ready.addFirst(share);
    }

    /** Changes a weight, from the next turn on. */
    void weigh(Share share, long weight) {
        if (share.member) {
            weights += weight - share.weight;
            if (weight > share.weight) {
                share.lap = lap; // its next turn begins a lap, whose unit knows this weight
            }
        }
        share.weight = weight;
    }

    /**
     * The member whose turn it is; it stays at the head.
     *
     * @param lapBytes for all members together, if a lap begins
     * @return null if none is ready
     */
    @Nullable
    T select(long lapBytes) {
        int owing = 0;
        for (T share = ready.first(); share != null; share = ready.first()) {
            steps++;
            if (!share.inTurn) {
                if (share.lap == lap) {
                    lap++;
                    unit = Math.max(1, (lapBytes << FRACTION) / weights);
                    pace += unit;
                }
                if (members == 1) {
                    share.credit = 0; // there is nobody that it could owe
                }
                long turn = share.weight * unit;
                share.credit += turn + share.correction(turn);
                share.inTurn = true;
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

    /** A member has been served: its turn ends if its credit is spent. */
    void served(T share) {
        if (share.credit <= 0 && share.list == ready) {
            endTurn(share);
        }
    }

    private void endTurn(T share) {
        share.inTurn = false;
        share.lap = lap;
        ready.remove(share);
        ready.addLast(share);
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
