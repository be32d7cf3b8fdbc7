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

/** Figure 7: one large flow and sixteen small ones in one group, each to get a seventeenth. */
final class Figure7 extends PaperFigure {
    private static final int[] SIZES = {256, 512, 1024, 2048, 4096};
    private static final double FAIR = 1.0 / (SizeSweep.FLOWS + 1);
    private static final double EXACT = 0.01;

    Figure7() {
        super("7", "Figure 7: one large flow and 16 small ones in one group");
    }

    /** The large flow's share at each size, in percent. */
    private record Curve(List<Double> large, List<Double> small, double farthestLarge, double farthestSmall) {}

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("small messages", "256 B to 4 KiB")
                .setting("large messages", "2 MiB")
                .setting("link", "100 Gb/s, PCIe 128 Gb/s")
                .setting("seed", String.valueOf(seed));
        Map<Discipline, Curve> standard = curves(new SizeSweep(seed, size, Frames.STANDARD));
        Map<Discipline, Curve> jumbo = curves(new SizeSweep(seed, size, Frames.JUMBO));
        ours(report, "7", standard);
        ours(report, "7.jumbo", jumbo);
        Curve packets = Disciplines.of(jumbo, Discipline.PACKET_ROUND_ROBIN);
        report.claim(Claim.near(
                        "7.rr.256",
                        "packet round robin: the large flow's share beside messages of 256 B",
                        47,
                        "%",
                        packets.large.get(0),
                        0.15,
                        "other packets")
                .but("with packets of 4 KiB; with frames of 1500 B it is "
                        + Numbers.text(
                                Disciplines.of(standard, Discipline.PACKET_ROUND_ROBIN)
                                        .large
                                        .get(0),
                                "%")));
        report.claim(Claim.near(
                        "7.rr.4096",
                        "packet round robin: the large flow's share beside messages of 4 KiB",
                        5.8,
                        "%",
                        packets.large.get(SIZES.length - 1),
                        0.05,
                        "other packets")
                .but("the paper prints 0.058 %, and means 0.058: a seventeenth"));
        Curve printed = Disciplines.of(standard, Discipline.PALOS_AS_PRINTED);
        report.claim(Claim.atMost(
                "7.printed",
                "Palos as printed: each flow gets a seventeenth, largest difference of the large flow, at most 2 %",
                0,
                printed.farthestLarge,
                0.02,
                "messages are combined until the chunk of 1500 B is met, and what is sent "
                        + "beyond it is not paid for: small flows"
                        + " overshoot by another part of a message than the large one by packets"));
        for (Map<Discipline, Curve> curves : List.of(standard, jumbo)) {
            Frames frames = curves.equals(standard) ? Frames.STANDARD : Frames.JUMBO;
            List<List<String>> rows = new ArrayList<>();
            curves.forEach((discipline, curve) -> rows.add(row(discipline, curve)));
            report.table(new DataTable(
                    "Share of the large flow, " + frames.title() + " (fair: " + Numbers.text(FAIR * 100, "%") + ")",
                    List.of("discipline", "256 B", "512 B", "1024 B", "2048 B", "4096 B", "farthest from fair"),
                    rows));
        }
        report.plot(plot("palos-figure-7", Frames.STANDARD, standard));
        report.plot(plot("palos-figure-7-jumbo", Frames.JUMBO, jumbo)
                .points("paper, packet round robin", List.of(256.0, 4096.0), List.of(47.0, 5.8), 3));
        report.note("All small flows together get the rest of the link.");
        return report;
    }

    private static void ours(FigureReport report, String id, Map<Discipline, Curve> curves) {
        Curve chunks = Disciplines.of(curves, Discipline.CHUNKS);
        Frames frames = id.equals("7") ? Frames.STANDARD : Frames.JUMBO;
        report.claim(Claim.atMost(
                id + ".large",
                "the large flow gets 1/17 of its peak whatever the small messages: largest difference, at most 1 %, "
                        + frames.title(),
                chunks.farthestLarge,
                EXACT,
                "not exact"));
        report.claim(Claim.atMost(
                id + ".small",
                "the small flows get 16/17 of theirs: largest difference, at most 1 %, " + frames.title(),
                chunks.farthestSmall,
                EXACT,
                "not exact"));
    }

    private static Map<Discipline, Curve> curves(SizeSweep sweep) {
        double largePeak = sweep.largeAlone();
        double[] smallPeaks = new double[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            smallPeaks[i] = sweep.smallAlone(SIZES[i]);
        }
        Map<Discipline, Curve> curves = new EnumMap<>(Discipline.class);
        for (Discipline discipline : Disciplines.ALL) {
            List<Double> large = new ArrayList<>();
            List<Double> small = new ArrayList<>();
            double farthestLarge = 0;
            double farthestSmall = 0;
            for (int i = 0; i < SIZES.length; i++) {
                SizeSweep.Shares shares = sweep.together(discipline, SIZES[i]);
                double ofLarge = shares.large() / largePeak;
                double ofSmall = shares.small() / smallPeaks[i];
                large.add(ofLarge * 100);
                small.add(ofSmall * 100);
                farthestLarge = Math.max(farthestLarge, Math.abs(ofLarge / FAIR - 1));
                farthestSmall = Math.max(farthestSmall, Math.abs(ofSmall / (1 - FAIR) - 1));
            }
            curves.put(discipline, new Curve(large, small, farthestLarge, farthestSmall));
        }
        return curves;
    }

    private static List<String> row(Discipline discipline, Curve curve) {
        List<String> row = new ArrayList<>();
        row.add(Disciplines.title(discipline));
        curve.large.forEach(share -> row.add(Numbers.text(share, "%")));
        row.add(Numbers.text(curve.farthestLarge * 100, "%"));
        return row;
    }

    private static PaperPlot plot(String name, Frames frames, Map<Discipline, Curve> curves) {
        List<Double> x = new ArrayList<>();
        for (int bytes : SIZES) {
            x.add((double) bytes);
        }
        PaperPlot plot = new PaperPlot(
                        name,
                        "The large flow beside 16 small ones, " + frames.title(),
                        "bytes of a small message",
                        "% of its peak")
                .logarithmicX();
        curves.forEach(
                (discipline, curve) -> plot.line(Disciplines.title(discipline), x, curve.large, discipline.ordinal()));
        return plot.dashes("a seventeenth", List.of(256.0, 4096.0), List.of(FAIR * 100, FAIR * 100), 7);
    }
}
