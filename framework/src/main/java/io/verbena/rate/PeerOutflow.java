package io.verbena.rate;

import java.util.Arrays;

/**
 * What this node sends to a peer, by sources here and targets there: parts, and the peer's last prices and grants with
 * their lease. Rates are in millions a second.
 */
final class PeerOutflow {
    /** Targets of the peer. */
    final int targets;

    final double[] price;
    final double[] weight;
    final double[] grant;
    final double[] even;

    /** Step of the prices, the step of the report that they were made with, and the last prices that were used. */
    long step;

    long pricedAt;
    long used;

    /** Whether grants hold now; and whether some ever did since something is sent there. */
    boolean isGoverned;

    boolean wasGoverned;
    long leaseEnd;

    /** Whether anything is sent there. */
    boolean isUsed;

    private double[] part; // of a source, by targets

    PeerOutflow(int sources, int targets) {
        this.targets = targets;
        price = new double[targets];
        weight = new double[targets];
        grant = new double[targets];
        even = new double[targets];
        part = new double[sources * targets];
    }

    /** How much goes from a source to a target, by what the source sends. */
    double part(int source, int target) {
        return part[source * targets + target];
    }

    void part(int source, int target, double share) {
        part[source * targets + target] = share;
    }

    /** Has room for so many sources, of which nothing is known. */
    void resize(int sources) {
        part = new double[sources * targets];
    }

    /** After parts have changed: what is not sent needs no lease. */
    void settle() {
        isUsed = false;
        for (double share : part) {
            isUsed |= share > 0;
        }
        if (!isUsed) {
            forget();
        }
    }

    /** Takes prices of a plausible message that answers a report, which was sent so that the lease ends then. */
    void hear(RateMessage m, long end) {
        if (!isUsed || m.prices != targets || m.priceStep < step) {
            return;
        }
        if (m.priceStep > step) {
            step = m.priceStep;
            pricedAt = m.pricedAt;
            System.arraycopy(m.price, 0, price, 0, targets);
            System.arraycopy(m.weight, 0, weight, 0, targets);
            System.arraycopy(m.even, 0, even, 0, targets);
        }
        System.arraycopy(m.grant, 0, grant, 0, targets);
        leaseEnd = isGoverned && leaseEnd - end > 0 ? leaseEnd : end;
        isGoverned = true;
        wasGoverned = true;
    }

    /** Whether prices have come that no step was made with. */
    boolean isNew() {
        return isGoverned && step > used;
    }

    /** Whether they answer the report of a step. */
    boolean answers(long reportStep) {
        return isNew() && (used == 0 || pricedAt == reportStep);
    }

    /** The lease is over. */
    void end() {
        isGoverned = false;
        step = 0;
        used = 0;
        Arrays.fill(grant, 0);
    }

    /** Nothing is sent there any more, or nothing is known of the peer. */
    void forget() {
        end();
        wasGoverned = false;
    }
}
