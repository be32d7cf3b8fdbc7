package io.verbena.papers.rima;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.srq.ReceiverMemory;
import io.verbena.papers.srq.SizeClasses;
import java.util.ArrayList;
import java.util.List;

/** Figure 4: a process with SRQs for equal ranges of sizes, whatever the sizes are distributed like. Computed. */
final class Figure4 extends PaperFigure {
    private static final int MAX_QUEUES = 1000;
    private static final int[] SHOWN = {1, 2, 10, 50, 100, 150, 200, 300, 500, 1000};
    private static final int PAPER_LEAST_AT = 200;
    private static final double PAPER_LEAST = 1.62e9;
    private static final double FLAT = 0.025;

    private final RimaModel model;

    Figure4() {
        this(RimaModel.PAPER);
    }

    private Figure4(RimaModel model) {
        super("4", "Figure 4: SRQs for equal ranges of sizes");
        this.model = model;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("memory that is there in 0.1 ms", new Figure4(model.withAllocation(1e-4))),
                new Mutation("a tenth of the rate of small messages", new Figure4(model.withSmallRate(13.7e6))));
    }

    /** Footprints with 1, 2, 3 ... SRQs, in GB. */
    private record Curve(List<Double> queues, List<Double> totals, List<Double> reserves) {
        int leastAt() {
            return TruncatedModel.best(totals);
        }

        double least() {
            return totals.get(leastAt() - 1) * 1e9;
        }

        double last() {
            return totals.get(totals.size() - 1) * 1e9;
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        Curve curve = curve();
        double rima = model.appendQueue().totalBytes();
        FigureReport report = new FigureReport(id(), title())
                .setting("messages in the queues", String.valueOf(model.messages()))
                .setting("L", "1 ms")
                .setting("line", "7 GB/s, 137 M/s of 8 bytes")
                .setting("largest message", "1 MiB");
        claims(report, curve, rima);
        table(report, rima);
        report.plot(new PaperPlot(
                        "rima-figure-4", "A process with SRQs for equal ranges of sizes", "number of SRQs", "GB")
                .logarithmicX()
                .logarithmicY()
                .line("SRQs, total", curve.queues, curve.totals, 0)
                .dashes("SRQs, reserve", curve.queues, curve.reserves, 0)
                .line("RIMA", List.of(1.0, (double) MAX_QUEUES), List.of(rima / 1e9, rima / 1e9), 1)
                .points("paper, SRQs", List.of(1.0, (double) PAPER_LEAST_AT), List.of(161.0, PAPER_LEAST / 1e9), 0)
                .points("paper, RIMA", List.of(1.0), List.of(0.011), 1));
        return report;
    }

    private Curve curve() {
        Curve curve = new Curve(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int count = 1; count <= MAX_QUEUES; count++) {
            ReceiverMemory footprint = footprint(count);
            curve.queues.add((double) count);
            curve.totals.add(footprint.totalBytes() / 1e9);
            curve.reserves.add(footprint.reserveBytes() / 1e9);
        }
        return curve;
    }

    private static void claims(FigureReport report, Curve curve, double rima) {
        double least = curve.least();
        report.claim(Claim.near(
                        "4.least-at",
                        "number of SRQs with the least footprint",
                        PAPER_LEAST_AT,
                        "SRQs",
                        curve.leastAt(),
                        FLAT,
                        "the minimum lies elsewhere")
                .but("the curve is flat there: " + flat(curve.totals, curve.leastAt())));
        report.claim(Claim.near(
                "4.least",
                "the least footprint of a process",
                PAPER_LEAST / 1e9,
                "GB",
                least / 1e9,
                0.01,
                "other sizes or another model"));
        report.claim(Claim.judged(
                "4.server",
                "32 processes need more than 50 GB",
                50,
                "GB",
                least * RimaModel.PROCESSES / 1e9,
                least * RimaModel.PROCESSES > 50e9,
                "the least footprint is smaller"));
        report.claim(Claim.judged(
                "4.ratio",
                "an append queue needs less by more than two orders of magnitude: times as much",
                100,
                "x",
                least / rima,
                least > 100 * rima,
                "the least footprint is smaller"));
        report.claim(Claim.judged(
                "4.u",
                "the curve is U-shaped: falls to its least, and is more than twice that at 1000 SRQs",
                "x",
                curve.last() / least,
                falls(curve.totals, curve.leastAt()) && curve.last() > 2 * least,
                "more SRQs do not need more memory again"));
    }

    private void table(FigureReport report, double rima) {
        List<List<String>> rows = new ArrayList<>();
        for (int count : SHOWN) {
            ReceiverMemory footprint = footprint(count);
            rows.add(List.of(
                    String.valueOf(count),
                    Numbers.bytes(footprint.reserveBytes()),
                    Numbers.bytes(footprint.activeBytes()),
                    Numbers.bytes(footprint.totalBytes())));
        }
        rows.add(List.of(
                "RIMA",
                Numbers.bytes(model.appendQueue().reserveBytes()),
                Numbers.bytes(model.appendQueue().activeBytes()),
                Numbers.bytes(rima)));
        report.table(new DataTable("A process", List.of("SRQs", "reserve", "active", "total"), rows));
    }

    private ReceiverMemory footprint(int count) {
        return model.process(SizeClasses.equal(RimaModel.MAX, count));
    }

    private static boolean falls(List<Double> totals, int leastAt) {
        for (int i = 1; i < leastAt / 2; i++) {
            if (totals.get(i) >= totals.get(i - 1)) {
                return false;
            }
        }
        return true;
    }

    /** The numbers of queues around the least whose footprint is within a thousandth of it. */
    private static String flat(List<Double> totals, int leastAt) {
        double near = totals.get(leastAt - 1) * 1.001;
        int from = leastAt;
        while (from > 1 && totals.get(from - 2) <= near) {
            from--;
        }
        int to = leastAt;
        while (to < totals.size() && totals.get(to) <= near) {
            to++;
        }
        return "from " + from + " to " + to + " within a thousandth";
    }
}
