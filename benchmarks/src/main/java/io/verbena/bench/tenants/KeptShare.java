package io.verbena.bench.tenants;

/**
 * What a victim has left beside an adversary.
 *
 * @param alone bytes a second of the victim without others
 * @param beside bytes a second of the victim beside the adversary
 * @param adversary bytes a second of the adversary
 * @param entitlement the victim's part by weights
 */
record KeptShare(double alone, double beside, double adversary, double entitlement) {
    /** What a share may be below its entitlement. */
    static final double TOLERANCE = 0.03;

    /** Of what it is entitled to, what it had: 1 is all of it, and more what the adversary left. */
    double kept() {
        return beside / (alone * entitlement);
    }

    /** Whether the victim keeps its share. */
    boolean isKept() {
        return kept() >= 1 - TOLERANCE;
    }
}
