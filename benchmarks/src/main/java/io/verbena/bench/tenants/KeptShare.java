package io.verbena.bench.tenants;

/**
 * What a victim has left beside an adversary.
 *
 * @param alone bytes a second of the victim without others
 * @param beside bytes a second of the victim beside the adversary
 * @param adversary bytes a second of the adversary
 * @param share the victim's part of what the NIC has charged the two
 * @param entitlement the victim's part by weights
 * @param contended part of the time for which both had work, which is what the share is of; all of it if that is 0
 */
record KeptShare(double alone, double beside, double adversary, double share, double entitlement, double contended) {
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
