package io.verbena.bench.promise;

import org.jspecify.annotations.Nullable;

/**
 * What was measured of a cell.
 *
 * @param first bytes that arrived of the first tenant
 * @param second bytes that arrived of the second tenant
 * @param refusals how often the receiver had no room in an inbox
 * @param firstOffered part of the time in which the first tenant was refused or had work queued
 * @param secondOffered part of the time in which the second tenant was
 * @param seconds for which it was counted
 * @param failure why there is nothing, or null
 */
record Outcome(
        long first,
        long second,
        long refusals,
        double firstOffered,
        double secondOffered,
        double seconds,
        @Nullable String failure) {
    private static final double ALWAYS = 0.95;

    static Outcome failed(String reason) {
        return new Outcome(0, 0, 0, 0, 0, 0, reason);
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

    Verdict verdict(Weights weights, double tolerance) {
        if (failure != null || first + second == 0) {
            return Verdict.FAILED;
        }
        if (firstOffered < ALWAYS || secondOffered < ALWAYS) {
            return Verdict.UNCONTESTED;
        }
        return Math.abs(error(weights)) <= tolerance ? Verdict.KEPT : Verdict.BROKEN;
    }
}
