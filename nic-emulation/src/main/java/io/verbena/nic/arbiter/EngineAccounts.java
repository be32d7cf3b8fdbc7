package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * One engine's books: what each group was entitled to here.
 *
 * <p>While groups have work, everything that is charged belongs to them by weight. One number, {@code perWeight}, grows
 * by what is charged over the weights that have work; a group's part is its weight times what that number grew by while
 * the group had work. So nothing is done for each group at a visit. What other engines' service means for turns here is
 * {@link EngineBalance}'s.
 *
 * <p>Used under the engine's baton.
 */
final class EngineAccounts {
    private final int engine;
    private final long lot;
    private final @Nullable EngineBalance balance; // null where the NIC has no other engine
    private double perWeight;
    private long unaccounted; // charged since perWeight grew
    private long weights; // of groups that have work here

    /**
     * Creates books without groups.
     *
     * @param engine its number
     * @param engines of the NIC
     * @param shift what is charged is so many bits larger than bytes, and the intervals smaller
     */
    EngineAccounts(int engine, int engines, int shift) {
        this.engine = engine;
        this.lot = GroupLedger.LOT >> shift;
        this.balance = engines == 1 ? null : new EngineBalance(engine, engines, shift);
    }

    /** Units after which a group's account is brought up to date. */
    long lot() {
        return lot;
    }

    int engine() {
        return engine;
    }

    /** A group's part in what is compared with other engines; null if there are none. */
    @Nullable
    GroupBalance balance(FlowGroup group) {
        return balance == null ? null : new GroupBalance(balance, group);
    }

    /** A lap over the groups begins, of this many units. */
    void lap(long units) {
        if (balance != null) {
            balance.lap(units);
        }
    }

    double perWeight() {
        if (unaccounted != 0 && weights != 0) {
            perWeight += (double) unaccounted / weights;
        }
        unaccounted = 0;
        return perWeight;
    }

    void enter(int weight) {
        perWeight();
        weights += weight;
    }

    void leave(int weight) {
        perWeight();
        weights -= weight;
        if (weights == 0 && balance != null) {
            balance.end();
        }
    }

    void reweigh(int change) {
        perWeight();
        weights += change;
    }

    void charge(long units) {
        unaccounted += units;
    }
}
