package io.verbena.papers.palos;

import static io.verbena.papers.palos.RealRuns.where;

import io.verbena.bench.Latency;
import io.verbena.bench.tenants.TenantsResult;
import io.verbena.nic.arbiter.ArbiterSettings;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.verification.fabric.FabricKind;
import java.util.ArrayList;
import java.util.List;

/** Figure 8 for real: what an urgent small WRITE takes beside large flows, by what it takes alone. For one thread. */
final class RealLatency {
    private static final int[] FLOWS = {0, 1, 8};
    private static final int LAST = FLOWS.length - 1;
    private static final double PAPER_GROWTH = 1.79;
    private static final double MAX_BY_ALONE = 2;
    private static final double SAME = 1.25;

    private final FigureReport report;
    private final RealRuns runs;
    private final boolean full;
    private final List<List<String>> rows = new ArrayList<>();

    RealLatency(FigureReport report, RealRuns runs, Size size) {
        this.report = report;
        this.runs = runs;
        full = size == Size.FULL;
    }

    /** Of one discipline, at each number of flows. */
    private record Curve(List<TenantsResult> results) {
        Latency latency(int at) {
            return results.get(at).latency();
        }

        double p50(int at, int by) {
            return ratio(latency(at).p50(), latency(by).p50());
        }

        double p99(int at, int by) {
            return ratio(latency(at).p99(), latency(by).p99());
        }

        /** Least part of the time for which the large flows had work. */
        double backlogged() {
            double least = 1;
            for (TenantsResult each : results) {
                for (TenantsResult.Figures flows : each.tenants()) {
                    least = Math.min(least, flows.backlogged());
                }
            }
            return least;
        }

        /** Twice p99 alone and the time of two chunks, in nanoseconds. */
        double bound(int at) {
            double rate = 0;
            for (TenantsResult.Figures flows : results.get(at).tenants()) {
                rate += flows.payload();
            }
            double chunks = rate == 0 ? 0 : 2.0 * ArbiterSettings.defaults().urgentWindow() / rate * 1e9;
            return MAX_BY_ALONE * latency(0).p99() + chunks;
        }

        private static double ratio(long nanos, long by) {
            return by == 0 ? Double.NaN : nanos / (double) by;
        }
    }

    /** Measures and judges all that is there on a fabric. */
    void run(FabricKind fabric) {
        Curve ours = curve(fabric, Discipline.CHUNKS);
        String id = "real.8." + fabric.optionName();
        report.claim(RealRuns.judged(
                id,
                "an urgent message beside 8 large flows takes not much longer than alone, " + where(fabric)
                        + ": p50, at most the paper's growth beside 16",
                PAPER_GROWTH,
                "x",
                ours.p50(LAST, 0),
                ours.p50(LAST, 0) <= PAPER_GROWTH,
                ours.backlogged(),
                "beside them it waits for the rest of what is being sent, and alone for nothing"));
        report.claim(RealRuns.judged(
                id + ".p99",
                "p99 beside 8 large flows, of p99 alone, " + where(fabric)
                        + ": at most 2 and the time of two chunks of 16 KiB",
                "x",
                ours.p99(LAST, 0),
                ours.latency(LAST).p99() <= ours.bound(LAST),
                ours.backlogged(),
                "longer than " + Numbers.micros(ours.bound(LAST)) + " us"));
        report.claim(RealRuns.judged(
                id + ".flat",
                "8 large flows are felt as one is, " + where(fabric) + ": p99 beside 8 by that beside 1, at most 1.25",
                "x",
                ours.p99(LAST, 1),
                ours.p99(LAST, 1) <= SAME,
                ours.backlogged(),
                "it grows with the number of flows"));
        if (full && fabric == FabricKind.LOCAL) {
            Curve packets = curve(fabric, Discipline.PACKET_ROUND_ROBIN);
            report.claim(RealRuns.judged(
                    id + ".rr",
                    "packet round robin makes it wait longer, " + where(fabric)
                            + ": p50 beside 8 large flows by that under chunks",
                    "x",
                    Curve.ratio(packets.latency(LAST).p50(), ours.latency(LAST).p50()),
                    packets.latency(LAST).p50() > ours.latency(LAST).p50(),
                    Math.min(packets.backlogged(), ours.backlogged()),
                    "a packet of each of 8 flows is not what takes the time here"));
        }
    }

    /** What was measured on all fabrics. */
    void table() {
        report.table(new DataTable(
                "Figure 8: an urgent WRITE of 64 B at a time, from its post to its completion",
                List.of(
                        "where",
                        "discipline",
                        "large flows",
                        "p50, us",
                        "p50 by alone",
                        "p99, us",
                        "p99 by alone",
                        "2 x alone + two chunks, us",
                        "flows had work",
                        "large, MB/s"),
                rows));
    }

    private Curve curve(FabricKind fabric, Discipline discipline) {
        List<TenantsResult> results = new ArrayList<>();
        for (int flows : FLOWS) {
            results.add(runs.urgent(fabric, discipline, flows));
        }
        Curve curve = new Curve(results);
        for (int at = 0; at < FLOWS.length; at++) {
            boolean alone = FLOWS[at] == 0;
            TenantsResult result = results.get(at);
            rows.add(List.of(
                    where(fabric),
                    Disciplines.title(discipline),
                    String.valueOf(FLOWS[at]),
                    Numbers.micros(curve.latency(at).p50()),
                    Numbers.text(curve.p50(at, 0), ""),
                    Numbers.micros(curve.latency(at).p99()),
                    Numbers.text(curve.p99(at, 0), ""),
                    alone ? "-" : Numbers.micros(curve.bound(at)),
                    alone ? "-" : RealRuns.percent(result.tenants().get(0).backlogged()),
                    alone ? "-" : Numbers.text(Math.rint(result.tenants().get(0).payload() / 1e6))));
        }
        return curve;
    }
}
