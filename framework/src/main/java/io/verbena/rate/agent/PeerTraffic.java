package io.verbena.rate.agent;

import io.verbena.rate.ExchangePeer;

/** What the tenants of a node have sent to a peer lately. For the agent's thread. */
final class PeerTraffic {
    /** Messages that are as good as none. */
    private static final double NOTHING = 0.5;

    final ExchangePeer peer;
    final FadingCounts delivered = new FadingCounts();
    private long look; // at which it was seen last

    PeerTraffic(ExchangePeer peer) {
        this.peer = peer;
    }

    /** There is a connection to it at a look. */
    void see(long number) {
        if (look != number) {
            look = number;
            delivered.begin();
        }
    }

    boolean wasSeen(long number) {
        return look == number;
    }

    /** Says to the exchange which part of what each of so many tenants sends goes there. */
    void divide(double[] sums) {
        for (int m = 0; m < sums.length; m++) {
            double recent = delivered.recent(m);
            peer.part(m, 0, recent < NOTHING ? 0 : recent / sums[m]);
        }
    }
}
