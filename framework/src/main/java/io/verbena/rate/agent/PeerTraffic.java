package io.verbena.rate.agent;

import io.verbena.rate.ExchangePeer;
import java.util.Arrays;

/**
 * What the tenants of a node have sent to a peer lately: counts of their connections, of which older ones fade. For the
 * agent's thread.
 */
final class PeerTraffic {
    /** What is left of a count after a look: half of it after 11. */
    private static final double FADING = 15.0 / 16;

    /** Messages that are as good as none. */
    private static final double NOTHING = 0.5;

    final ExchangePeer peer;
    private long look; // at which it was seen last
    private double[] recent = {};
    private long[] total = {};
    private long[] before = {};
    private boolean isNew = true;

    PeerTraffic(ExchangePeer peer) {
        this.peer = peer;
    }

    /** Other tenants are counted from here on. */
    void resize(int members) {
        recent = new double[members];
        total = new long[members];
        before = new long[members];
        isNew = true;
    }

    /** A connection to it has sent so much; by no known tenant if the member is below 0. */
    void add(long number, int member, long messages) {
        if (look != number) {
            look = number;
            Arrays.fill(total, 0);
        }
        if (member >= 0) {
            total[member] += messages;
        }
    }

    boolean wasSeen(long number) {
        return look == number;
    }

    /** All connections have been looked at. */
    void fade(double[] sums) {
        for (int m = 0; m < recent.length; m++) {
            long more = isNew ? 0 : Math.max(0, total[m] - before[m]); // fewer where a connection was closed
            before[m] = total[m];
            recent[m] = recent[m] * FADING + more;
            sums[m] += recent[m];
        }
        isNew = false;
    }

    /** Says to the exchange which part of what a tenant sends goes there. */
    void divide(double[] sums) {
        for (int m = 0; m < recent.length; m++) {
            peer.part(m, 0, recent[m] < NOTHING ? 0 : recent[m] / sums[m]);
        }
    }
}
