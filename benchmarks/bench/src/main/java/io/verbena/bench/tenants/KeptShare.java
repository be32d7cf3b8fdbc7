package io.verbena.bench.tenants;

import io.verbena.bench.Latency;

/**
 * What a victim has left beside an adversary.
 *
 * @param alone bytes a second of the victim without others
 * @param beside bytes a second of the victim beside the adversary
 * @param adversary bytes a second of the adversary, or what it did a second if it is an {@link Attack}
 * @param share the victim's part of what the NIC has charged the two; of its rate alone where the adversary is to get
 *     nothing
 * @param entitlement the victim's part by weights
 * @param contended part of the time for which both had work, which is what the share is of; all of it if that is 0
 * @param before round trips of the victim without others
 * @param during beside the adversary
 */
record KeptShare(
        double alone,
        double beside,
        double adversary,
        double share,
        double entitlement,
        double contended,
        Latency before,
        Latency during) {
    /** What a share may be below its entitlement. */
    static final double TOLERANCE = 0.03;

    /** Of the rate that it is entitled to, what it had: 1 is all of it, and more what the adversary left. */
    double kept() {
        return beside / (alone * entitlement);
    }

    /** Whether the victim keeps its share of what is charged. */
    boolean isKept() {
        return share >= entitlement * (1 - TOLERANCE);
    }
}
