package io.verbena.nic.arbiter;

import org.jspecify.annotations.Nullable;

/**
 * A group's account on one engine: see {@link EngineAccounts}. The arbiter says when the group begins and ceases to
 * have work here, what it was charged, and asks at each turn what the turn is to be corrected by.
 *
 * <p>Used under the engine's baton.
 */
final class GroupAccount {
    private final EngineAccounts engine;
    private final FlowGroup group;
    private final FlowStatistics statistics;
    private final @Nullable GroupBalance balance; // null where the NIC has no other engine

    private int weight;
    private boolean member;
    private double since; // perWeight when it was settled
    private double unsettled; // below one unit
    private long own; // charged while it stood in no schedule: nobody else had work
    private long unpublished;

    GroupAccount(EngineAccounts engine, FlowGroup group) {
        this.engine = engine;
        this.group = group;
        this.statistics = group.statistics().part(engine.engine());
        this.balance = engine.balance(group);
    }

    /** It has work here. Does nothing if it had already. */
    void enter() {
        if (!member) {
            member = true;
            weight = group.weight();
            engine.enter(weight);
            since = engine.perWeight();
            if (balance != null) {
                balance.reweigh(weight);
            }
            resume();
        }
    }

    /** It has none left. Does nothing if it had none. */
    void leave() {
        if (member) {
            settle();
            pause();
            engine.leave(weight);
            member = false;
        }
    }

    /** It has work, but others are served because it cannot be: behind full outputs, or above its ceiling. */
    void pause() {
        if (balance != null) {
            balance.leave();
        }
    }

    /** It can be served again. */
    void resume() {
        if (balance != null) {
            balance.enter();
        }
    }

    /** What a visit was. */
    void charge(int bytes, int operations, long units) {
        statistics.visit(bytes, operations, units);
        engine.charge(units);
        unpublished += units;
        if (!member) {
            own += units;
        } else if (balance != null) {
            balance.charge(units);
        }
        if (unpublished >= engine.lot()) {
            group.ledger().add(engine.engine(), unpublished);
            unpublished = 0;
            reweigh();
            settle();
        }
    }

    /** It has work, and its rate of operations lets it send none now. */
    void held() {
        group.statistics().held(engine.engine());
    }

    /** Its weight may have changed. */
    void reweigh() {
        int now = group.weight();
        if (member && now != weight) {
            settle();
            engine.reweigh(now - weight);
            weight = now;
            if (balance != null) {
                balance.reweigh(now);
            }
        }
    }

    /** A lap over the groups begins with its turn, of this many units for all. */
    void lap(long units) {
        engine.lap(units);
    }

    /**
     * What its next turn is longer by, or shorter if negative.
     *
     * @param turn length of the turn
     */
    long correct(long turn) {
        if (balance == null) {
            return 0;
        }
        long now = balance.correct(turn);
        if (now != 0) {
            group.statistics().entitle(engine.engine(), now);
        }
        return now;
    }

    private void settle() {
        long units = own;
        own = 0;
        if (member) {
            double now = engine.perWeight();
            double part = (now - since) * weight + unsettled;
            since = now;
            long whole = (long) part;
            unsettled = part - whole;
            units += whole;
        }
        group.statistics().entitle(engine.engine(), units);
    }
}
