package io.verbena.papers.palos;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Figure 9: sixteen small flows in a group, and more and more large ones in another. */
final class Figure9 extends PaperFigure {
    private static final int[] LARGE_FLOWS = {1, 2, 4, 6, 8};
    private static final int SMALL_FLOWS = 16;
    private static final double FLAT = 0.01;

    Figure9() {
        super("9", "Figure 9: 16 small flows in group A, 1 to 8 large ones in group B");
    }

    /** Of both groups, relative to what they get beside one large flow; and what that is. */
    private record Curve(List<Double> small, List<Double> large, double smallAtOne) {
        double lastSmall() {
            return small.get(small.size() - 1);
        }

        double lastLarge() {
            return large.get(large.size() - 1);
        }

        /** Farthest that either group comes from what it got beside one large flow. */
        double farthest() {
            double farthest = 0;
            for (int i = 0; i < small.size(); i++) {
                farthest = Math.max(farthest, Math.abs(small.get(i) - 1));
                farthest = Math.max(farthest, Math.abs(large.get(i) - 1));
            }
            return farthest;
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("small messages", "64 B")
                .setting("large messages", "2 MiB")
                .setting("groups", "equal weights")
                .setting("link", "100 Gb/s, PCIe 128 Gb/s, packets of 4 KiB")
                .setting("seed", String.valueOf(seed));
        Map<Discipline, Curve> curves = new EnumMap<>(Discipline.class);
        for (Discipline discipline : Disciplines.ALL) {
            curves.put(discipline, curve(seed, size, discipline));
        }
        claims(report, curves);
        List<List<String>> rows = new ArrayList<>();
        List<Double> x = new ArrayList<>();
        for (int flows : LARGE_FLOWS) {
            x.add((double) flows);
        }
        PaperPlot small = plot("palos-figure-9-a", "Message rate of 16 small flows in group A");
        PaperPlot large = plot("palos-figure-9-b", "Bandwidth of large flows in group B");
        curves.forEach((discipline, curve) -> {
            rows.add(row(discipline, "A", curve.small, curve));
            rows.add(row(discipline, "B", curve.large, curve));
            small.line(Disciplines.title(discipline), x, curve.small, discipline.ordinal());
            large.line(Disciplines.title(discipline), x, curve.large, discipline.ordinal());
        });
        report.table(new DataTable(
                "Relative to one large flow",
                List.of("discipline", "group", "1", "2", "4", "6", "8", "share of A at 1"),
                rows));
        report.plot(small.points("paper, no QoS", List.of(8.0), List.of(0.1), 3));
        report.plot(large.points("paper, no QoS", List.of(8.0), List.of(1.55), 3));
        report.note(
                "Virtual lanes have 255 units of 64 B each; a table of fewer units lets large packets overshoot more.");
        return report;
    }

    private static void claims(FigureReport report, Map<Discipline, Curve> curves) {
        Curve ours = Disciplines.of(curves, Discipline.CHUNKS);
        report.claim(Claim.atMost(
                "9.ours",
                "neither group feels how many large flows there are: largest change, at most 1 %",
                ours.farthest(),
                FLAT,
                "not isolated"));
        report.claim(Claim.judged(
                "9.ours.half",
                "and each has half of the link: share of group A",
                50,
                "%",
                ours.smallAtOne * 100,
                Math.abs(ours.smallAtOne - 0.5) <= 0.005,
                "groups of equal weight do not share equally"));
        Curve printed = Disciplines.of(curves, Discipline.PALOS_AS_PRINTED);
        report.claim(Claim.atMost(
                "9.printed",
                "Palos as printed: the same, largest change, at most 3 %",
                0,
                printed.farthest(),
                0.03,
                "chunks shrink with the number of queue pairs in a group, and what "
                        + "a packet overshoots is not paid for"));
        Curve none = Disciplines.of(curves, Discipline.PACKET_ROUND_ROBIN);
        report.claim(Claim.near(
                "9.rr.small",
                "packet round robin: what is left of group A's message rate beside 8 large flows",
                0.1,
                "",
                none.lastSmall(),
                0.25,
                "packets in turn leave 16 x 154 B of 16 x 154 + 8 x 4170 B: 6.9 % of the "
                        + "link, beside one large flow it is 37 %;"
                        + " a ConnectX-5 gives large flows yet more"));
        report.claim(Claim.near(
                "9.rr.large",
                "packet round robin: group B's bandwidth at 8 large flows",
                1.55,
                "x",
                none.lastLarge(),
                0.1,
                "other packets"));
        double lanes = Disciplines.of(curves, Discipline.VIRTUAL_LANES).farthest();
        double software = Disciplines.of(curves, Discipline.SOFTWARE_CHUNKING).farthest();
        report.claim(Claim.judged(
                "9.lanes",
                "virtual lanes protect the small flows, but not optimally: largest change",
                "%",
                lanes * 100,
                lanes > ours.farthest() && lanes < none.farthest(),
                "two groups that have a lane each are as isolated by lanes as by "
                        + "chunks: what lanes lack is more than eight"
                        + " levels, and shares within a lane"));
        report.claim(Claim.judged(
                "9.software",
                "software chunking protects the small flows, but not optimally: largest change",
                "%",
                software * 100,
                software > ours.farthest() && software < none.farthest(),
                "one large flow waits for each of its chunks and gets little; eight "
                        + "get what packets in turn give them"));
    }

    private static Curve curve(long seed, Size size, Discipline discipline) {
        List<Double> small = new ArrayList<>();
        List<Double> large = new ArrayList<>();
        double smallAtOne = 0;
        double largeAtOne = 0;
        for (int flows : LARGE_FLOWS) {
            SharesRun run = new SharesRun(
                    seed, size, Disciplines.settings(discipline, Frames.JUMBO, SMALL_FLOWS + flows), Frames.JUMBO);
            double[] shares = run.flows(SMALL_FLOWS, run.tenant("A", 1), 1, PalosWorld.SMALL)
                    .flows(flows, run.tenant("B", 1), 1, PalosWorld.LARGE)
                    .shares();
            double ofSmall = SharesRun.sum(shares, 0, SMALL_FLOWS);
            double ofLarge = SharesRun.sum(shares, SMALL_FLOWS, shares.length);
            if (small.isEmpty()) {
                smallAtOne = ofSmall;
                largeAtOne = ofLarge;
            }
            small.add(ofSmall / smallAtOne);
            large.add(ofLarge / largeAtOne);
        }
        return new Curve(small, large, smallAtOne);
    }

    private static List<String> row(Discipline discipline, String group, List<Double> values, Curve curve) {
        List<String> row = new ArrayList<>();
        row.add(Disciplines.title(discipline));
        row.add(group);
        values.forEach(value -> row.add(Numbers.text(value)));
        row.add(Numbers.text(curve.smallAtOne * 100, "%"));
        return row;
    }

    private static PaperPlot plot(String name, String title) {
        return new PaperPlot(name, title, "large flows in group B", "relative to one large flow");
    }
}
