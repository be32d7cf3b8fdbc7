package io.verbena.bench.simulate;

import io.verbena.nic.sim.SimConnection;

/** A link between two hosts, and since when it may be blamed for silence. */
final class Wire {
    final SimConnection connection;
    final Host a;
    final Host b;
    private boolean lossy;
    private long outUntil = Long.MIN_VALUE;
    private long deadUntil = Long.MIN_VALUE;
    private long lastOutage = Long.MIN_VALUE;

    Wire(SimConnection connection, Host a, Host b, boolean lossy) {
        this.connection = connection;
        this.a = a;
        this.b = b;
        this.lossy = lossy;
    }

    /** Whether packets are lost by chance. */
    boolean isLossy() {
        return lossy;
    }

    /** From now on nothing is lost by chance; what was lost before may still be felt. */
    void heal(long nowNanos) {
        if (lossy) {
            lossy = false;
            out(nowNanos);
        }
    }

    /** Nothing passes until a time, long enough to be noticed. */
    void out(long untilNanos) {
        outUntil = Math.max(outUntil, untilNanos);
        lastOutage = Math.max(lastOutage, untilNanos);
    }

    /** Nothing passes until a time, for less than any budget; several such in a row do count. */
    void outShortly(long nowNanos, long untilNanos, long budgetNanos) {
        if (lastOutage != Long.MIN_VALUE && lastOutage + budgetNanos > nowNanos) {
            out(untilNanos);
        }
        lastOutage = Math.max(lastOutage, untilNanos);
    }

    /** A peer dies. */
    void dead(long untilNanos) {
        deadUntil = Math.max(deadUntil, untilNanos);
        out(untilNanos);
    }

    boolean wasOut(long sinceNanos) {
        return outUntil >= sinceNanos;
    }

    boolean wasDead(long sinceNanos) {
        return deadUntil >= sinceNanos;
    }

    boolean touches(Host host) {
        return a == host || b == host;
    }
}
