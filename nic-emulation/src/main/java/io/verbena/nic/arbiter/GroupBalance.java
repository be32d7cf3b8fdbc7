package io.verbena.nic.arbiter;

/**
 * A group's part in {@link EngineBalance}, whose fields most of these are: what it was entitled to and served in this
 * interval, and how far it is behind.
 */
final class GroupBalance {
    private static final int MIN_PART = 128; // of a turn, left to who is far ahead: its flows never stand still

    private final EngineBalance engine;
    private final GroupLedger ledger;

    int weight;
    int place;
    int epoch = -1;
    boolean listed; // was active in this interval
    boolean isActive;
    double lag; // behind its weight's part of what was compared, negative if ahead
    long correction; // of its turns, yet to be given or taken
    double since; // pace when the following were brought up to date
    double entitled; // in this interval, of what was served here
    private double missed; // likewise, while it was not active
    long here; // charged on this engine
    long elsewhere; // on others, while it was active here beside others
    private long seen; // all that others have charged, when last looked at

    GroupBalance(EngineBalance engine, FlowGroup group) {
        this.engine = engine;
        this.ledger = group.ledger();
        this.weight = group.weight();
    }

    /** It has work that can be served. */
    void enter() {
        if (!isActive) {
            engine.enter(this);
        }
    }

    /** It has none, or it cannot be served now while others can. */
    void leave() {
        if (isActive) {
            engine.leave(this);
        }
    }

    void charge(long units) {
        engine.charge(this, units);
    }

    void reweigh(int now) {
        engine.reweigh(this, now);
    }

    /**
     * What its next turn is longer by, or shorter if negative: never so much that nothing is left of it, or twice.
     * Nothing while nobody else could have the turn.
     *
     * @param turn length of the turn
     */
    long correct(long turn) {
        if (correction == 0 || turn < 1 || !engine.isContended()) {
            return 0;
        }
        long most = turn - Math.max(1, turn / MIN_PART);
        long now = Math.max(-most, Math.min(turn, correction));
        correction -= now;
        return now;
    }

    /** It has a part in nothing yet. */
    void begin(double front) {
        lag = front * weight;
        forget();
    }

    /** It is not in the list any more. */
    void unlist() {
        listed = false;
        correction = 0;
    }

    void settle(double pace) {
        entitled += (pace - since) * weight;
        since = pace;
    }

    void settleAbsence(double pace) {
        missed += (pace - since) * weight;
        since = pace;
    }

    /** Leaves out what other engines have charged it since the last look. */
    void look() {
        seen = ledger.elsewhere(engine.engine());
    }

    /** Counts that. */
    void settleElsewhere() {
        long before = seen;
        look();
        elsewhere += seen - before;
    }

    /**
     * Compares what it was served with what it was entitled to.
     *
     * @param scale all that is compared over what of it was served here; 0 if nothing is
     * @return its lag
     */
    double compare(double scale) {
        lag = scale == 0 ? 0 : lag + entitled * scale - here - elsewhere;
        return lag;
    }

    /** Who is ahead pays by staying away, until it is where the one furthest behind is. */
    void forgive(double front, double scale) {
        if (lag < front) {
            lag = Math.min(front, lag + missed * scale);
        }
    }

    /** Ends its interval. Returns whether it was not active in it, nor is. */
    boolean isOver() {
        boolean over = !isActive && entitled == 0 && here == 0;
        forget();
        return over;
    }

    private void forget() {
        entitled = 0;
        missed = 0;
        here = 0;
        elsewhere = 0;
    }
}
