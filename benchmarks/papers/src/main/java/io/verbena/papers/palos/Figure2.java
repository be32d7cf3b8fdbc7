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
import java.util.List;

/** Figure 2: a large flow and sixteen small ones on a NIC that sends a packet of each in turn. */
final class Figure2 extends PaperFigure {
    private static final int[] SIZES = {64, 128, 256, 512, 1024, 2048, 4096};
    private static final double PAPER_SMALL = 45;
    private static final double PAPER_LARGE = 67;

    private final Disciplines disciplines;

    Figure2() {
        this(Disciplines.AS_NAMED);
    }

    private Figure2(Disciplines disciplines) {
        super("2", "Figure 2: one large flow and 16 small ones, a packet of each in turn");
        this.disciplines = disciplines;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                Disciplines.mutation(Figure2::new, Discipline.PACKET_ROUND_ROBIN, Discipline.DEFICIT_ROUND_ROBIN));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("discipline", Disciplines.title(Discipline.PACKET_ROUND_ROBIN))
                .setting("large messages", "2 MiB")
                .setting("link", "100 Gb/s, PCIe 128 Gb/s")
                .setting("seed", String.valueOf(seed));
        List<List<String>> rows = new ArrayList<>();
        PaperPlot plot = new PaperPlot(
                        "palos-figure-2",
                        "One large flow and 16 small ones, a packet of each in turn",
                        "bytes of a small message",
                        "% of the peak")
                .logarithmicX();
        double farthest = 0;
        for (Frames frames : List.of(Frames.STANDARD, Frames.JUMBO)) {
            farthest = Math.max(
                    farthest, sweep(report, new SizeSweep(seed, size, frames, disciplines), frames, rows, plot));
        }
        report.claim(Claim.atMost(
                "2.formula",
                "what comes out is what packets in turn give: largest difference of "
                        + "the large flow's share, at most 3 %",
                farthest,
                0.03,
                "not a packet of each in turn"));
        report.table(new DataTable(
                "Of the peak, which each has alone",
                List.of("frames", "small message", "small flows", "large flow", "computed"),
                rows));
        report.plot(plot.points("paper, small", List.of(64.0), List.of(PAPER_SMALL), 0)
                .points("paper, large", List.of(64.0), List.of(PAPER_LARGE), 1));
        report.note("Shares are of the wire's time, so both sum up to 100 %. The paper's "
                + "sum up to 112 %: its 16 small flows"
                + " alone are limited by something before the wire.");
        report.note(
                "Computed: a packet of the large flow over that and 16 of the small ones, with headers and framing.");
        return report;
    }

    private static double sweep(
            FigureReport report, SizeSweep sweep, Frames frames, List<List<String>> rows, PaperPlot plot) {
        List<Double> x = new ArrayList<>();
        List<Double> small = new ArrayList<>();
        List<Double> large = new ArrayList<>();
        double largePeak = sweep.largeAlone();
        double farthest = 0;
        for (int bytes : SIZES) {
            double smallPeak = sweep.smallAlone(bytes);
            SizeSweep.Shares shares = sweep.together(Discipline.PACKET_ROUND_ROBIN, bytes);
            double computed = SizeSweep.packetRoundRobin(frames, bytes);
            double ofSmall = shares.small() / smallPeak;
            double ofLarge = shares.large() / largePeak;
            farthest = Math.max(farthest, Math.abs(ofLarge / computed - 1));
            x.add((double) bytes);
            small.add(ofSmall * 100);
            large.add(ofLarge * 100);
            rows.add(List.of(
                    frames.title(),
                    bytes + " B",
                    Numbers.text(ofSmall * 100, "%"),
                    Numbers.text(ofLarge * 100, "%"),
                    Numbers.text(computed * 100, "%")));
        }
        if (frames.equals(Frames.JUMBO)) {
            report.claim(Claim.near(
                            "2.large",
                            "the large flow keeps of its bandwidth, beside small messages of 64 B",
                            PAPER_LARGE,
                            "%",
                            large.get(0),
                            0.1,
                            "other packets, or other costs of a packet")
                    .but("with packets of 4 KiB, as the paper's numbers in figure 7 imply"));
            report.claim(Claim.near(
                    "2.small",
                    "the small flows keep of their message rate",
                    PAPER_SMALL,
                    "%",
                    small.get(0),
                    0.1,
                    "here their peak is what the wire carries, 81 M messages/s of 64 B; a "
                            + "ConnectX-5 reaches its most of messages"
                            + " before that, and what is left is more of a smaller peak"));
        } else {
            report.claim(Claim.judged(
                    "2.size",
                    "what flows get depends on the size of their neighbours' messages: the "
                            + "large flow's share at 64 B, of that at"
                            + " 4 KiB",
                    "",
                    large.get(0) / large.get(large.size() - 1),
                    large.get(0) > 4 * large.get(large.size() - 1),
                    "it hardly depends on it"));
        }
        int color = frames.equals(Frames.JUMBO) ? 1 : 3;
        plot.line("large, " + frames.title(), x, large, color);
        plot.line("small, " + frames.title(), x, small, color - 1);
        return farthest;
    }
}
