package io.verbena.papers.palos;

import io.verbena.nic.arbiter.Discipline;
import io.verbena.nic.arbiter.TrafficClass;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;

/** Figure 3: how long a small message takes beside large flows, on a NIC that sends a packet of each in turn. */
final class Figure3 extends PaperFigure {
    private static final int[] FLOWS = {0, 1, 4, 8, 12, 16, 20, 24};
    private static final double PAPER_AT_MOST = 7.8;

    private final Disciplines disciplines;

    Figure3() {
        this(Disciplines.AS_NAMED);
    }

    private Figure3(Disciplines disciplines) {
        super("3", "Figure 3: a small flow's latency beside large flows, a packet of each in turn");
        this.disciplines = disciplines;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(Disciplines.mutation(Figure3::new, Discipline.PACKET_ROUND_ROBIN, Discipline.CHUNKS));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("discipline", Disciplines.title(Discipline.PACKET_ROUND_ROBIN))
                .setting("small messages", "64 B, one after the other, in the flows' group")
                .setting("large messages", "2 MiB")
                .setting("link", "100 Gb/s, 750 ns, PCIe 128 Gb/s")
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot(
                "palos-figure-3", "A small flow beside large ones, a packet of each in turn", "large flows", "x alone");
        List<List<String>> rows = new ArrayList<>();
        for (Frames frames : List.of(Frames.STANDARD, Frames.JUMBO)) {
            sweep(report, new LatencyRun(seed, size, frames, disciplines), frames, rows, plot);
        }
        report.table(new DataTable(
                "From the post to the peer's memory",
                List.of("frames", "large flows", "mean", "p99", "x alone"),
                rows));
        report.plot(plot.points("paper", List.of(24.0), List.of(PAPER_AT_MOST), 1));
        report.note("The link's delay is chosen so that a small message alone takes 1.3 us, "
                + "with which packets of 4 KiB come to the"
                + " paper's 7.8 x at 24: that number is an input, the line below it is not.");
        return report;
    }

    private static void sweep(
            FigureReport report, LatencyRun run, Frames frames, List<List<String>> rows, PaperPlot plot) {
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        double alone = 0;
        for (int flows : FLOWS) {
            LatencyProbe.Latency latency = run.run(Discipline.PACKET_ROUND_ROBIN, TrafficClass.BULK, flows);
            if (flows == 0) {
                alone = latency.mean();
            }
            x.add((double) flows);
            y.add(latency.mean() / alone);
            rows.add(List.of(
                    frames.title(),
                    String.valueOf(flows),
                    Numbers.text(latency.mean() / 1e3, "us"),
                    Numbers.text(latency.p99() / 1e3, "us"),
                    Numbers.text(latency.mean() / alone)));
        }
        plot.line(frames.title(), x, y, frames.equals(Frames.JUMBO) ? 1 : 0);
        if (frames.equals(Frames.JUMBO)) {
            report.claim(Claim.near(
                            "3.24",
                            "24 large flows deteriorate a small flow's latency",
                            PAPER_AT_MOST,
                            "x",
                            y.get(y.size() - 1),
                            0.15,
                            "other packets, or another latency alone")
                    .but("the latency alone, 1.3 us, is chosen by this number"));
            double slope = (y.get(y.size() - 1) - y.get(1)) / (FLOWS[FLOWS.length - 1] - FLOWS[1]);
            double packet = SizeSweep.largePacket(frames) * 8 / PalosWorld.LINE_GIGABITS / alone;
            report.claim(Claim.nearComputed(
                    "3.slope",
                    "a large flow more costs the time of one of its packets: of the latency alone",
                    packet,
                    "",
                    slope,
                    0.05,
                    "not a packet of each in turn"));
        }
    }
}
