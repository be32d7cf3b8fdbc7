package io.verbena.papers.palos;

import static io.verbena.papers.palos.RealRuns.LARGE;
import static io.verbena.papers.palos.RealRuns.TOLERANCE;
import static io.verbena.papers.palos.RealRuns.group;
import static io.verbena.papers.palos.RealRuns.percent;
import static io.verbena.papers.palos.RealRuns.where;

import io.verbena.bench.tenants.MeasuredTenant;
import io.verbena.bench.tenants.TenantsResult;
import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure.Size;
import io.verbena.verification.fabric.FabricKind;
import java.util.ArrayList;
import java.util.List;

/** Figures 7, 9 and 11 for real: what groups of small and of large flows get beside each other, counted by
 * who receives. For one thread. */
final class RealShares {
    private static final int FLOWS = 16;
    private static final int SMALL = 64;
    private static final double FAIR = 1.0 / (FLOWS + 1);
    private static final int HEAVY = 3;
    private static final double PAPER_LEFT = 0.1;
    private static final List<Discipline> OTHERS =
            List.of(Discipline.PACKET_ROUND_ROBIN, Discipline.PALOS_AS_PRINTED, Discipline.VIRTUAL_LANES);
    private static final List<Discipline> OTHERS_BY_WEIGHT =
            List.of(Discipline.PACKET_ROUND_ROBIN, Discipline.PALOS_AS_PRINTED);

    private final FigureReport report;
    private final RealRuns runs;
    private final boolean full;
    private final List<List<String>> sevenths = new ArrayList<>();
    private final List<List<String>> numbers = new ArrayList<>();
    private final List<List<String>> weights = new ArrayList<>();

    RealShares(FigureReport report, RealRuns runs, Size size) {
        this.report = report;
        this.runs = runs;
        full = size == Size.FULL;
    }

    /** Measures and judges all that is there on a fabric. */
    void run(FabricKind fabric) {
        sevenths(fabric);
        numbers(fabric);
        weights(fabric);
    }

    /** What was measured on all fabrics. */
    void tables() {
        report.table(new DataTable(
                "Figure 7: a large flow of weight 1 beside a group of weight 16 with 16 small flows",
                List.of(
                        "where",
                        "discipline",
                        "small message",
                        "share of the large flow",
                        "by a seventeenth",
                        "in the arbiter",
                        "both had work",
                        "large, MB/s",
                        "small, messages/s"),
                sevenths));
        report.table(new DataTable(
                "Figure 9: 16 flows of 64 B in group A beside large flows in group B, equal weights",
                List.of(
                        "where",
                        "discipline",
                        "large flows",
                        "share of A",
                        "A by beside one",
                        "B by beside one",
                        "A in the arbiter",
                        "both had work",
                        "A, messages/s",
                        "B, MB/s"),
                numbers));
        report.table(new DataTable(
                "Figure 11: a flow of group A beside one of group B",
                List.of(
                        "where",
                        "discipline",
                        "weights",
                        "messages of A and B",
                        "share of A",
                        "entitled",
                        "farthest off",
                        "A in the arbiter",
                        "both had work"),
                weights));
    }

    /**
     * Whether all points are measured. Between two processes each takes twice as long, and what is left out says the
     * same there.
     */
    private boolean all(FabricKind fabric) {
        return full && fabric == FabricKind.LOCAL;
    }

    private void sevenths(FabricKind fabric) {
        List<TenantsResult> ours = new ArrayList<>();
        for (int bytes : all(fabric) ? new int[] {SMALL, 1024} : new int[] {SMALL}) {
            ours.add(seventh(fabric, Discipline.CHUNKS, bytes));
        }
        TenantsResult worst = ours.get(0);
        for (TenantsResult each : ours) {
            worst = Math.abs(large(each).arrived() - FAIR)
                            > Math.abs(large(worst).arrived() - FAIR)
                    ? each
                    : worst;
        }
        double farthest = large(worst).arrived();
        report.claim(RealRuns.judged(
                "real.7." + fabric.optionName(),
                "a large flow beside 16 small ones gets a seventeenth, 5.882 %, " + where(fabric)
                        + ": farthest share, at most 3 % off",
                "%",
                farthest * 100,
                Math.abs(farthest / FAIR - 1) <= TOLERANCE,
                RealRuns.leastContended(ours),
                "not exact where both had work for " + percent(worst.contended()) + " of the time"));
        for (Discipline discipline : all(fabric) ? OTHERS : OTHERS.subList(0, 1)) {
            TenantsResult result = seventh(fabric, discipline, SMALL);
            if (discipline == Discipline.PACKET_ROUND_ROBIN) {
                report.claim(RealRuns.judged(
                        "real.7." + fabric.optionName() + ".rr",
                        "packet round robin gives it more, " + where(fabric) + ": its share by a seventeenth",
                        "x",
                        large(result).arrived() / FAIR,
                        large(result).arrived() / FAIR > 1 + TOLERANCE,
                        result.contended(),
                        "packets in turn are as good here"));
            }
        }
    }

    private TenantsResult seventh(FabricKind fabric, Discipline discipline, int bytes) {
        TenantsResult result =
                runs.beside(fabric, discipline, group("small", FLOWS, FLOWS, bytes), group("large", 1, 1, LARGE));
        sevenths.add(List.of(
                where(fabric),
                Disciplines.title(discipline),
                size(bytes),
                percent(large(result).arrived()),
                Numbers.text(large(result).arrived() / FAIR),
                percent(large(result).share()),
                percent(result.contended()),
                megabytes(large(result)),
                messages(small(result))));
        return result;
    }

    private void numbers(FabricKind fabric) {
        int[] flows = full ? new int[] {1, 2, 4, 8} : new int[] {1, 8};
        List<TenantsResult> ours = numbers(fabric, Discipline.CHUNKS, flows);
        TenantsResult one = ours.get(0);
        double change = 0;
        double fromHalf = 0;
        for (TenantsResult each : ours) {
            change =
                    Math.max(change, Math.abs(small(each).arrived() / small(one).arrived() - 1));
            change =
                    Math.max(change, Math.abs(large(each).arrived() / large(one).arrived() - 1));
            fromHalf = Math.max(fromHalf, RealRuns.off(each));
        }
        double contended = RealRuns.leastContended(ours);
        report.claim(RealRuns.atMost(
                "real.9." + fabric.optionName(),
                "neither group feels whether there are 1 or 8 large flows, " + where(fabric)
                        + ": largest change, at most 3 %",
                change,
                TOLERANCE,
                contended,
                "not isolated"));
        report.claim(RealRuns.atMost(
                "real.9." + fabric.optionName() + ".half",
                "and each has a half, " + where(fabric) + ": largest difference, at most 3 %",
                fromHalf,
                TOLERANCE,
                contended,
                "groups of equal weight do not share equally"));
        List<TenantsResult> packets = numbers(fabric, Discipline.PACKET_ROUND_ROBIN, new int[] {1, 8});
        double left = small(packets.get(1)).arrived() / small(packets.get(0)).arrived();
        report.claim(RealRuns.judged(
                "real.9." + fabric.optionName() + ".rr",
                "packet round robin: 8 large flows take from group A what one leaves it, " + where(fabric)
                        + ": A's share beside 8 by that beside 1, less than 0.97",
                PAPER_LEFT,
                "x",
                left,
                left < 1 - TOLERANCE,
                RealRuns.leastContended(packets),
                "the number of flows is not felt here"));
    }

    private List<TenantsResult> numbers(FabricKind fabric, Discipline discipline, int[] flows) {
        List<TenantsResult> results = new ArrayList<>();
        for (int count : flows) {
            TenantsResult result =
                    runs.beside(fabric, discipline, group("A", 1, FLOWS, SMALL), group("B", 1, count, LARGE));
            results.add(result);
            TenantsResult one = results.get(0);
            numbers.add(List.of(
                    where(fabric),
                    Disciplines.title(discipline),
                    String.valueOf(count),
                    percent(small(result).arrived()),
                    Numbers.text(small(result).arrived() / small(one).arrived()),
                    Numbers.text(large(result).arrived() / large(one).arrived()),
                    percent(small(result).share()),
                    percent(result.contended()),
                    messages(small(result)),
                    megabytes(large(result))));
        }
        return results;
    }

    private void weights(FabricKind fabric) {
        List<int[]> pairs = new ArrayList<>();
        pairs.add(new int[] {1, HEAVY});
        if (full) {
            pairs.add(new int[] {HEAVY, 1});
        }
        if (all(fabric)) {
            pairs.add(new int[] {1, 1});
        }
        List<TenantsResult> ours = new ArrayList<>();
        double off = 0;
        double swapped = 0;
        for (int[] pair : pairs) {
            TenantsResult there = weighed(fabric, Discipline.CHUNKS, pair, SMALL, LARGE);
            TenantsResult back = weighed(fabric, Discipline.CHUNKS, pair, LARGE, SMALL);
            ours.add(there);
            ours.add(back);
            off = Math.max(off, Math.max(RealRuns.off(there), RealRuns.off(back)));
            for (int group = 0; group < 2; group++) {
                double change = back.tenants().get(group).arrived()
                        / there.tenants().get(group).arrived();
                swapped = Math.max(swapped, Math.abs(change - 1));
            }
        }
        double contended = RealRuns.leastContended(ours);
        report.claim(RealRuns.atMost(
                "real.11." + fabric.optionName(),
                "groups get what (1) says of their weights, " + where(fabric) + ": largest difference, at most 3 %",
                off,
                TOLERANCE,
                contended,
                "not exact"));
        report.claim(RealRuns.atMost(
                "real.11." + fabric.optionName() + ".swap",
                "whoever sends the large messages, " + where(fabric)
                        + ": largest change of a share if the sizes are swapped, at most 3 %",
                swapped,
                TOLERANCE,
                contended,
                "it depends on sizes"));
        for (Discipline discipline : all(fabric) ? OTHERS_BY_WEIGHT : OTHERS_BY_WEIGHT.subList(0, 1)) {
            TenantsResult result = weighed(fabric, discipline, new int[] {HEAVY, 1}, SMALL, LARGE);
            if (discipline == Discipline.PACKET_ROUND_ROBIN) {
                report.claim(RealRuns.judged(
                        "real.11." + fabric.optionName() + ".rr",
                        "packet round robin knows no weights, " + where(fabric)
                                + ": a group of weight 3 with 64 B beside one of weight 1 "
                                + "with 1 MiB gets less than its 75 %",
                        "%",
                        small(result).arrived() * 100,
                        RealRuns.normalised(small(result)) < 1 - TOLERANCE,
                        result.contended(),
                        "packets in turn are as good here"));
            }
        }
    }

    private TenantsResult weighed(FabricKind fabric, Discipline discipline, int[] pair, int first, int second) {
        MeasuredTenant a = group("A", pair[0], 1, first);
        MeasuredTenant b = group("B", pair[1], 1, second);
        TenantsResult result = runs.beside(fabric, discipline, a, b);
        TenantsResult.Figures ofA = result.tenants().get(0);
        weights.add(List.of(
                where(fabric),
                Disciplines.title(discipline),
                pair[0] + ":" + pair[1],
                size(first) + " and " + size(second),
                percent(ofA.arrived()),
                percent(ofA.entitled()),
                percent(RealRuns.off(result)),
                percent(ofA.share()),
                percent(result.contended())));
        return result;
    }

    /** Of figures 7 and 9, where the group of small flows is the first. */
    private static TenantsResult.Figures small(TenantsResult result) {
        return result.tenants().get(0);
    }

    private static TenantsResult.Figures large(TenantsResult result) {
        return result.tenants().get(1);
    }

    private static String size(int bytes) {
        return bytes == LARGE ? "1 MiB" : bytes + " B";
    }

    private static String megabytes(TenantsResult.Figures group) {
        return Numbers.text(Math.rint(group.payload() / 1e6));
    }

    private static String messages(TenantsResult.Figures group) {
        return Numbers.text(Math.rint(group.messages()));
    }
}
