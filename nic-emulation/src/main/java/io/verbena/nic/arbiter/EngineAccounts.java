package io.verbena.nic.arbiter;

import java.util.ArrayList;
import java.util.List;

/**
 * One engine's books: what each group was entitled to here, and what the other engines' service means for the next turns.
 *
 * <p>Entitled: while groups have work, everything that is charged belongs to them by weight. One number, {@code perWeight},
 * grows by what is charged over the weights that have work; a group's part is its weight times what that number grew by while
 * the group had work. So nothing is done for each group at a visit.
 *
 * <p>Across engines: a group that is served elsewhere too would get more than its weight. Each {@value #INTERVAL} bytes,
 * what the groups that have work here were charged on all engines is compared with their weights; who is behind gets an
 * eighth of that more here in the interval to come, at the expense of those ahead. Only groups that have work here are
 * compared: what a group uses that no other here could have had is not held against it. Where a share cannot be met (all
 * of an engine would not be enough) what it lacks is bounded, so that the next who comes does not pay for it.
 *
 * <pre>
 *   engine 0:  A B        B is behind: it gets A's turns here, and A has engine 1
 *   engine 1:  A
 * </pre>
 *
 * <p>Used under the engine's baton; other engines' part is read from {@link GroupLedger}.
 */
final class EngineAccounts {
    static final int INTERVAL = 256 * 1024;
    private static final int MOST_BEHIND = 4 << 20;
    private static final int GAIN = 8;

    /** After so many intervals without service of these groups elsewhere there is nothing to settle. */
    private static final int FORGOTTEN = 16;

    private final int engine;
    private final boolean alone; // the NIC has no other engine
    private final long interval;
    private final long lot;
    private final double mostBehind;
    private final List<GroupAccount> members = new ArrayList<>(); // that have work here
    private double perWeight;
    private long unaccounted; // charged since perWeight grew
    private long weights; // of members
    private long sinceBalance;
    private int quiet = FORGOTTEN; // intervals since another engine has served a group that has work here
    private int epoch; // counts the times when nobody had work

    /**
     * Creates books without groups.
     *
     * @param engine its number
     * @param engines of the NIC
     * @param shift what is charged is so many bits larger than bytes, and the intervals smaller
     */
    EngineAccounts(int engine, int engines, int shift) {
        this.engine = engine;
        this.alone = engines == 1;
        this.interval = INTERVAL >> shift;
        this.lot = GroupLedger.LOT >> shift;
        this.mostBehind = (double) MOST_BEHIND / (1 << shift);
    }

    /** Units after which a group's account is brought up to date. */
    long lot() {
        return lot;
    }

    /** Units that a group may be behind or ahead at most. */
    double mostBehind() {
        return mostBehind;
    }

    int engine() {
        return engine;
    }

    double perWeight() {
        if (unaccounted != 0 && weights != 0) {
            perWeight += (double) unaccounted / weights;
        }
        unaccounted = 0;
        return perWeight;
    }

    void enter(GroupAccount account) {
        perWeight();
        if (weights == 0) {
            sinceBalance = 0;
        }
        weights += account.weight;
        if (!alone) {
            account.place = members.size();
            members.add(account);
        }
    }

    void leave(GroupAccount account) {
        perWeight();
        weights -= account.weight;
        if (weights == 0) {
            epoch++;
        }
        if (!alone) {
            GroupAccount last = members.remove(members.size() - 1);
            if (last != account) {
                members.set(account.place, last);
                last.place = account.place;
            }
        }
    }

    void reweigh(int change) {
        perWeight();
        weights += change;
    }

    void charge(long units) {
        unaccounted += units;
        if (!alone) {
            sinceBalance += units;
            if (sinceBalance >= interval) {
                sinceBalance = 0;
                balance();
            }
        }
    }

    int epoch() {
        return epoch;
    }

    boolean isAlone() {
        return alone;
    }

    private void balance() {
        if (members.isEmpty()) {
            return;
        }
        boolean elsewhere = false;
        long served = 0;
        for (int i = 0; i < members.size(); i++) {
            GroupAccount account = members.get(i);
            served += account.look();
            elsewhere |= account.wasServedElsewhere();
        }
        quiet = elsewhere ? 0 : quiet + 1;
        double each = (double) served / weights;
        double lags = 0;
        for (int i = 0; i < members.size(); i++) {
            GroupAccount account = members.get(i);
            account.compare(each, quiet < FORGOTTEN);
            lags += account.lag;
        }
        double mean = lags / weights;
        for (int i = 0; i < members.size(); i++) {
            GroupAccount account = members.get(i);
            account.correction = Math.round((account.lag - mean * account.weight) / GAIN);
        }
    }
}
