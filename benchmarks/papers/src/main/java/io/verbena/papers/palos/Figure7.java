package io.verbena.papers.palos;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
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
    private static final double LOOSELY = 0.02;

    private final Disciplines disciplines;

    Figure7() {
        this(Disciplines.AS_NAMED);
    }

    private Figure7(Disciplines disciplines) {
        super("7", "Figure 7: one large flow and 16 small ones in one group");
        this.disciplines = disciplines;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                Disciplines.mutation(Figure7::new, Discipline.CHUNKS, Discipline.PACKET_ROUND_ROBIN),
                Disciplines.mutation(Figure7::new, Discipline.PACKET_ROUND_ROBIN, Discipline.DEFICIT_ROUND_ROBIN),
                Disciplines.mutation(Figure7::new, Discipline.PACKET_ROUND_ROBIN, Discipline.SOFTWARE_CHUNKING),
                Disciplines.mutation(Figure7::new, Discipline.PALOS_AS_PRINTED, Discipline.PACKET_ROUND_ROBIN));
    }

    /**
     * The large flow's and the small flows' share of the link at each size, and the large flow's share of the payload,
     * all in percent; and packets for as much payload.
     */
    private record Curve(List<Double> large, List<Double> small, List<Double> payload, List<Double> packets) {
        private static double farthest(List<Double> shares, double fair) {
            double farthest = 0;
            for (double share : shares) {
                farthest = Math.max(farthest, Math.abs(share / (fair * 100) - 1));
            }
            return farthest;
        }

        double farthestLarge() {
            return farthest(large, FAIR);
        }

        double farthestSmall() {
            return farthest(small, 1 - FAIR);
        }

        double farthestPayload() {
            return farthest(payload, FAIR);
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("small messages", "256 B to 4 KiB")
                .setting("large messages", "2 MiB")
                .setting("link", "100 Gb/s, PCIe 128 Gb/s")
                .setting("seed", String.valueOf(seed));
        Map<Discipline, Curve> standard = curves(new SizeSweep(seed, size, Frames.STANDARD, disciplines));
        Map<Discipline, Curve> jumbo = curves(new SizeSweep(seed, size, Frames.JUMBO, disciplines));
        ours(report, "7", Frames.STANDARD, standard);
        ours(report, "7.jumbo", Frames.JUMBO, jumbo);
        packetsInTurn(report, standard, jumbo);
        printed(report, "7", Frames.STANDARD, standard);
        printed(report, "7.jumbo", Frames.JUMBO, jumbo);
        report.claim(Claim.atMost(
                "7.whole",
                "Palos on whole packets: each flow gets a seventeenth, largest difference of the large flow, "
                        + Frames.STANDARD.title(),
                Disciplines.of(standard, Discipline.PALOS_ON_WHOLE_PACKETS).farthestLarge(),
                LOOSELY,
                "messages are combined until the chunk of 1500 B is met, and what is sent beyond it is not paid for:"
                        + " small flows overshoot by another part of a message than the large one by packets"));
        tables(report, Frames.STANDARD, standard);
        tables(report, Frames.JUMBO, jumbo);
        report.plot(plot("palos-figure-7", Frames.STANDARD, standard));
        report.plot(plot("palos-figure-7-jumbo", Frames.JUMBO, jumbo)
                .points("paper, packet round robin", List.of(256.0, 4096.0), List.of(47.0, 5.8), 4));
        report.note("All small flows together get the rest of the link.");
        report.note("Palos as printed divides payload, exactly; the share of the link differs, because flows have"
                + " different headers for the same payload.");
        return report;
    }

    private static void packetsInTurn(
            FigureReport report, Map<Discipline, Curve> standard, Map<Discipline, Curve> jumbo) {
        Curve packets = Disciplines.of(jumbo, Discipline.PACKET_ROUND_ROBIN);
        double withFrames =
                Disciplines.of(standard, Discipline.PACKET_ROUND_ROBIN).large.get(0);
        report.claim(Claim.near(
                        "7.rr.256",
                        "packet round robin: the large flow's share beside messages of 256 B",
                        47,
                        "%",
                        packets.large.get(0),
                        0.15,
                        "other packets")
                .but("with packets of 4 KiB; with frames of 1500 B it is " + Numbers.text(withFrames, "%")));
        report.claim(Claim.near(
                        "7.rr.4096",
                        "packet round robin: the large flow's share beside messages of 4 KiB",
                        5.8,
                        "%",
                        packets.large.get(SIZES.length - 1),
                        0.05,
                        "other packets")
                .but("the paper prints 0.058 %, and means 0.058: a seventeenth"));
    }

    private static void ours(FigureReport report, String id, Frames frames, Map<Discipline, Curve> curves) {
        Curve chunks = Disciplines.of(curves, Discipline.CHUNKS);
        report.claim(Claim.atMost(
                id + ".large",
                "the large flow gets 1/17 of its peak whatever the small messages: largest difference, "
                        + frames.title(),
                chunks.farthestLarge(),
                EXACT,
                "not exact"));
        report.claim(Claim.atMost(
                id + ".small",
                "the small flows get 16/17 of theirs: largest difference, " + frames.title(),
                chunks.farthestSmall(),
                EXACT,
                "not exact"));
    }

    private static void printed(FigureReport report, String id, Frames frames, Map<Discipline, Curve> curves) {
        report.claim(Claim.atMost(
                id + ".printed",
                "Palos as printed: the large flow gets a seventeenth of the payload whatever the small messages: "
                        + "largest difference, " + frames.title(),
                Disciplines.of(curves, Discipline.PALOS_AS_PRINTED).farthestPayload(),
                EXACT,
                "slices are not of exactly the chunk"));
    }

    private static void tables(FigureReport report, Frames frames, Map<Discipline, Curve> curves) {
        List<List<String>> rows = new ArrayList<>();
        curves.forEach((discipline, curve) ->
                rows.add(row(Disciplines.title(discipline), curve.large, curve.farthestLarge())));
        report.table(new DataTable(
                "Share of the large flow, " + frames.title() + " (fair: " + Numbers.text(FAIR * 100, "%") + ")",
                List.of("discipline", "256 B", "512 B", "1024 B", "2048 B", "4096 B", "farthest from fair"),
                rows));
        Curve printed = Disciplines.of(curves, Discipline.PALOS_AS_PRINTED);
        Curve quantum = Disciplines.of(curves, Discipline.DEFICIT_ROUND_ROBIN);
        List<String> packets = new ArrayList<>(List.of("packets for as much payload, by deficit round robin's"));
        for (int i = 0; i < SIZES.length; i++) {
            packets.add(Numbers.text(printed.packets.get(i) / quantum.packets.get(i), "x"));
        }
        packets.add("");
        report.table(new DataTable(
                "Palos as printed, " + frames.title(),
                List.of("", "256 B", "512 B", "1024 B", "2048 B", "4096 B", "farthest from fair"),
                List.of(row("share of the payload", printed.payload, printed.farthestPayload()), packets)));
    }

    private static Map<Discipline, Curve> curves(SizeSweep sweep) {
        double largePeak = sweep.largeAlone();
        double[] smallPeaks = new double[SIZES.length];
        for (int i = 0; i < SIZES.length; i++) {
            smallPeaks[i] = sweep.smallAlone(SIZES[i]);
        }
        Map<Discipline, Curve> curves = new EnumMap<>(Discipline.class);
        for (Discipline discipline : Disciplines.ALL) {
            Curve curve = new Curve(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
            for (int i = 0; i < SIZES.length; i++) {
                SizeSweep.Shares shares = sweep.together(discipline, SIZES[i]);
                curve.large.add(shares.large() / largePeak * 100);
                curve.small.add(shares.small() / smallPeaks[i] * 100);
                curve.payload.add(shares.largePayload() * 100);
                curve.packets.add(shares.packets());
            }
            curves.put(discipline, curve);
        }
        return curves;
    }

    private static List<String> row(String name, List<Double> shares, double farthest) {
        List<String> row = new ArrayList<>();
        row.add(name);
        shares.forEach(share -> row.add(Numbers.text(share, "%")));
        row.add(Numbers.text(farthest * 100, "%"));
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
