package io.verbena.papers.palos;

import io.verbena.bench.tenants.MeasuredTenant;
import io.verbena.bench.tenants.Ping;
import io.verbena.bench.tenants.TenantVerb;
import io.verbena.bench.tenants.TenantsResult;
import io.verbena.bench.tenants.TenantsSetting;
import io.verbena.nic.arbiter.ChargedUnit;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.verification.fabric.FabricKind;
import java.util.List;
import java.util.function.Function;

/** Flows beside each other on this machine: how they are measured, and when a measurement says enough to judge by. */
final class RealRuns {
    /** Of the large flows' messages. */
    static final int LARGE = 1 << 20;

    /** Most that a share may be off, of itself. */
    static final double TOLERANCE = 0.03;

    /** Part of the time for which work has to have been queued, if a claim is to hold. */
    static final double MIN_BACKLOGGED = 0.5;

    private final double warmup;
    private final double latencyWarmup; // until the compilers of two processes leave the cores alone
    private final double seconds;
    private final double latencySeconds;
    private final Function<TenantsSetting, TenantsResult> measurement;

    RealRuns(Size size, Function<TenantsSetting, TenantsResult> measurement) {
        warmup = size == Size.FULL ? 0.7 : 0.3;
        latencyWarmup = size == Size.FULL ? 8 : 0.3;
        seconds = size == Size.FULL ? 6 : 0.3; // a hundred large messages of a seventeenth over a socket
        latencySeconds = size == Size.FULL ? 1.5 : 0.3;
        this.measurement = measurement;
    }

    /** How long, for people. */
    String text() {
        return Numbers.text(seconds, "s") + " each, after " + Numbers.text(warmup, "s") + " to warm up, latencies "
                + Numbers.text(latencySeconds, "s") + " after " + Numbers.text(latencyWarmup, "s");
    }

    /** Flows of a group that post WRITEs of which the peer sees each, all with the same weight. */
    static MeasuredTenant group(String name, int weight, int flows, int bytes) {
        return MeasuredTenant.of(name, weight, bytes, TenantVerb.WRITE_IMMEDIATE)
                .on(flows);
    }

    /** Two groups beside each other. */
    TenantsResult beside(FabricKind fabric, Discipline discipline, MeasuredTenant first, MeasuredTenant second) {
        return measure(fabric, discipline, List.of(first, second), Ping.NONE, warmup, seconds);
    }

    /** An urgent WRITE of 64 B at a time beside some large flows of another group. */
    TenantsResult urgent(FabricKind fabric, Discipline discipline, int flows) {
        List<MeasuredTenant> large = flows == 0 ? List.of() : List.of(group("large", 1, flows, LARGE));
        return measure(fabric, discipline, large, Ping.WRITE, latencyWarmup, latencySeconds);
    }

    private TenantsResult measure(
            FabricKind fabric,
            Discipline discipline,
            List<MeasuredTenant> tenants,
            Ping ping,
            double before,
            double counted) {
        boolean twoProcesses = fabric != FabricKind.LOCAL;
        return measurement.apply(new TenantsSetting(
                fabric, twoProcesses, discipline, ChargedUnit.BYTES, tenants, ping, before, counted));
    }

    /** What a group has at the receiver by what it is entitled to: 1 is exact. */
    static double normalised(TenantsResult.Figures group) {
        return group.arrived() / group.entitled();
    }

    /** Farthest that a group is from its entitlement, of that. */
    static double off(TenantsResult result) {
        double farthest = 0;
        for (TenantsResult.Figures each : result.tenants()) {
            farthest = Math.max(farthest, Math.abs(normalised(each) - 1));
        }
        return farthest;
    }

    /** Least part of the time for which all had work in any of some measurements. */
    static double leastContended(List<TenantsResult> results) {
        return results.stream().mapToDouble(TenantsResult::contended).min().orElse(0);
    }

    /**
     * A claim as {@link Claim#judged}, but one that does not hold where work was not queued for long enough to tell.
     *
     * @param backlogged part of the time for which it was
     */
    static Claim judged(
            String id,
            String text,
            double paper,
            String unit,
            double ours,
            boolean holds,
            double backlogged,
            String ifNot) {
        if (backlogged < MIN_BACKLOGGED) {
            String reason = "all had work queued for " + percent(backlogged)
                    + " of the time only: that is too little to tell" + (holds ? "" : "; " + ifNot);
            return Claim.judged(id, text, paper, unit, ours, false, reason);
        }
        return Claim.judged(id, text, paper, unit, ours, holds, ifNot);
    }

    /** Likewise a claim for which the paper prints no number. */
    static Claim judged(
            String id, String text, String unit, double ours, boolean holds, double backlogged, String ifNot) {
        return judged(id, text, Double.NaN, unit, ours, holds, backlogged, ifNot);
    }

    /** Likewise a claim that a part, which is given in percent, is not above a bound. */
    static Claim atMost(String id, String text, double part, double most, double backlogged, String ifNot) {
        return judged(id, text, "%", part * 100, part <= most, backlogged, ifNot)
                .accepting("≤ " + percent(most));
    }

    /** A part, for people. */
    static String percent(double part) {
        return Numbers.text(part * 100, "%");
    }

    /** A fabric, for people. */
    static String where(FabricKind fabric) {
        return fabric == FabricKind.LOCAL ? "in one process" : "over " + fabric.optionName();
    }
}
