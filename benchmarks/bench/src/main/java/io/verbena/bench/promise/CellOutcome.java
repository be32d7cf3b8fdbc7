package io.verbena.bench.promise;

import org.jspecify.annotations.Nullable;

/**
 * What was measured of a cell.
 *
 * @param first bytes that arrived of the first tenant
 * @param second bytes that arrived of the second tenant
 * @param refusals how often the receiver had no room in an inbox
 * @param firstOffered part in which the first tenant certainly offered more than was taken: of the time, in which it
 *     was refused, or of what was sent, which was chosen while it had work queued
 * @param secondOffered part in which the second tenant did
 * @param seconds for which it was counted
 * @param failure why there is nothing, or null
 */
record CellOutcome(
        long first,
        long second,
        long refusals,
        double firstOffered,
        double secondOffered,
        double seconds,
        @Nullable String failure) {
    private static final double ALWAYS = 0.95;

    static CellOutcome failed(String reason) {
        return new CellOutcome(0, 0, 0, 0, 0, 0, reason);
    }

    /** The first tenant's part of what arrived. */
    double share() {
        long sum = first + second;
        return sum == 0 ? 0 : first / (double) sum;
    }

    /** How far off the tenant with the smaller entitlement is, relative to that. */
    double error(Weights weights) {
        double entitled = weights.entitled();
        double share = share();
        return entitled <= 1 - entitled ? share / entitled - 1 : (1 - share) / (1 - entitled) - 1;
    }

    /**
     * Whether both always offered, and the tenant with the smaller entitlement had that. While the other did not offer,
     * all is its; while it did not itself, nothing is.
     *
     * @param tolerance part of its entitlement by which it may be off
     */
    CellVerdict verdict(Weights weights, double tolerance) {
        if (failure != null || first + second == 0) {
            return CellVerdict.FAILED;
        }
        if (firstOffered < ALWAYS || secondOffered < ALWAYS) {
            return CellVerdict.UNCONTESTED;
        }
        boolean firstHasLess = weights.entitled() <= 0.5;
        double entitled = firstHasLess ? weights.entitled() : 1 - weights.entitled();
        double share = firstHasLess ? share() : 1 - share();
        double offered = firstHasLess ? firstOffered : secondOffered;
        double away = 1 - (firstHasLess ? secondOffered : firstOffered);
        boolean kept = share >= entitled * (1 - tolerance) * offered
                && share <= entitled * (1 + tolerance) + away * (1 - entitled);
        return kept ? CellVerdict.KEPT : CellVerdict.BROKEN;
    }
}
