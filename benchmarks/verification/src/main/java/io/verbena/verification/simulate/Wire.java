package io.verbena.verification.simulate;

import io.verbena.nic.sim.SimConnection;

/** A link between two hosts, and since when it may be blamed for silence. */
final class Wire {
    final SimConnection connection;
    final SimulatedHost a;
    final SimulatedHost b;
    /** Whether a packet may arrive twice. */
    final boolean copies;

    private boolean lossy;
    private long outUntil = Long.MIN_VALUE;
    private long deadUntil = Long.MIN_VALUE;
    /** Ends of the last two outages that were short. */
    private long lastShort = Long.MIN_VALUE;

    private long shortBefore = Long.MIN_VALUE;

    Wire(SimConnection connection, SimulatedHost a, SimulatedHost b, boolean lossy, boolean copies) {
        this.connection = connection;
        this.a = a;
        this.b = b;
        this.lossy = lossy;
        this.copies = copies;
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
    }

    /**
     * Nothing passes until a time, for less than any budget. Two such may be too much for one request, however far
     * apart: a receiver that is not ready holds it up without starting its retries again.
     */
    void outShortly(long untilNanos) {
        shortBefore = lastShort;
        lastShort = Math.max(lastShort, untilNanos);
    }

    /** A peer dies. */
    void dead(long untilNanos) {
        deadUntil = Math.max(deadUntil, untilNanos);
        out(untilNanos);
    }

    boolean wasOut(long sinceNanos) {
        return outUntil >= sinceNanos || shortBefore >= sinceNanos;
    }

    boolean wasDead(long sinceNanos) {
        return deadUntil >= sinceNanos;
    }

    boolean touches(SimulatedHost host) {
        return a == host || b == host;
    }
}
