package io.verbena.nic.arbiter;

/**
 * A group's account on one engine: see {@link EngineAccounts}. The arbiter says when the group begins and ceases to have
 * work here, what it was charged, and asks at each turn what the turn is to be corrected by.
 *
 * <p>Used under the engine's baton.
 */
final class GroupAccount {
    private static final int LEAST_PART = 128; // of a turn, left to who is far ahead: its flows never stand still

    private final EngineAccounts engine;
    private final FlowGroup group;
    private final FlowStatistics statistics;

    int weight;
    int place;
    double lag; // behind its weight's part of what all engines have served, negative if ahead
    long correction; // yet to be given or taken

    private boolean member;
    private int epoch;
    private double since; // perWeight when it was settled
    private double unsettled; // below one unit
    private long own; // charged while it stood in no schedule: nobody else had work
    private long unpublished;
    private long seen; // the ledger's total when last looked at
    private long seenHere; // of it, this engine's
    private long served; // since then
    private long servedHere;

    GroupAccount(EngineAccounts engine, FlowGroup group) {
        this.engine = engine;
        this.group = group;
        this.statistics = group.statistics().part(engine.engine());
    }

    /** It has work here. Does nothing if it had already. */
    void enter() {
        if (!member) {
            member = true;
            weight = group.weight();
            engine.enter(this);
            if (epoch != engine.epoch()) {
                epoch = engine.epoch();
                lag = 0;
            }
            since = engine.perWeight();
            if (!engine.isAlone()) {
                look(); // what it was served before is not compared
            }
        }
    }

    /**
     * It has none left. What it was behind is forgotten; what it was ahead is kept until nobody has work here. Does nothing
     * if it had none.
     */
    void leave() {
        if (member) {
            settle();
            engine.leave(this);
            member = false;
            if (!engine.isAlone()) {
                lag = Math.min(lag, 0);
                correction = 0;
            }
        }
    }

    /** What a visit was. */
    void charge(int bytes, int operations, long units) {
        statistics.visit(bytes, operations, units);
        engine.charge(units);
        unpublished += units;
        if (!member) {
            own += units;
        }
        if (unpublished >= engine.lot()) {
            publish();
            reweigh();
            settle();
        }
    }

    /** Its weight may have changed. */
    void reweigh() {
        int now = group.weight();
        if (member && now != weight) {
            settle();
            engine.reweigh(now - weight);
            weight = now;
        }
    }

    /**
     * What its next turn is longer by, or shorter if negative: never so much that nothing is left of it, or twice.
     *
     * @param turn length of the turn
     */
    long correct(long turn) {
        if (correction == 0 || turn < 1) {
            return 0;
        }
        long most = turn - Math.max(1, turn / LEAST_PART);
        long now = Math.max(-most, Math.min(turn, correction));
        correction -= now;
        group.statistics().entitle(engine.engine(), now);
        return now;
    }

    /** Looks at what all engines have charged it since the last look. */
    long look() {
        publish();
        settle();
        GroupLedger ledger = group.ledger();
        long total = ledger.total();
        long here = ledger.of(engine.engine());
        served = total - seen;
        servedHere = here - seenHere;
        seen = total;
        seenHere = here;
        return served;
    }

    boolean wasServedElsewhere() {
        return served != servedHere;
    }

    /** Compares that with what it was entitled to, where engines have something to settle. */
    void compare(double each, boolean shared) {
        double behind = lag + each * weight - served;
        double most = engine.mostBehind();
        lag = shared ? Math.max(-most, Math.min(most, behind)) : 0;
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

    private void publish() {
        if (unpublished != 0) {
            group.ledger().add(engine.engine(), unpublished);
            unpublished = 0;
        }
    }
}
