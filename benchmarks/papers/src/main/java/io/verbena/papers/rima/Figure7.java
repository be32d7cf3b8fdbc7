package io.verbena.papers.rima;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;

/** Figure 7: the server of Figure 5 with messages half and twice as long. Computed. */
final class Figure7 extends PaperFigure {
    private static final double[] FACTORS = {0.5, 1, 2};
    private static final int[] SHOWN = {2, 3, 4, 6, 8, 12, 16};

    private final RimaModel model;

    Figure7() {
        this(RimaModel.PAPER);
    }

    private Figure7(RimaModel model) {
        super("7", "Figure 7: messages half and twice as long");
        this.model = model;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("ten times as many messages in the queues", new Figure7(model.withMessages(168_000))),
                new Mutation("0.1 M/s of the smallest messages", new Figure7(model.withSmallRate(1e5))));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("processes", String.valueOf(RimaModel.PROCESSES))
                .setting("largest message", "16 KiB, times the factor")
                .setting("L", "1 ms");
        List<String> categories = new ArrayList<>();
        for (int count : SHOWN) {
            categories.add(count + " SRQs");
        }
        categories.add("RIMA");
        PaperPlot plot = new PaperPlot(
                        "rima-figure-7",
                        "32 processes, messages up to 16 KiB, scaled",
                        "",
                        "GB (1 SRQ: 36, 72 and 144)")
                .categories(categories);
        List<List<String>> rows = new ArrayList<>();
        List<List<Double>> all = new ArrayList<>();
        List<Double> rima = new ArrayList<>();
        for (double factor : FACTORS) {
            TruncatedModel scaled = new TruncatedModel(model, factor);
            List<Double> totals = scaled.totals();
            double append = scaled.appendQueues().totalBytes();
            all.add(totals);
            rima.add(append);
            List<Double> bars = new ArrayList<>();
            for (int count : SHOWN) {
                bars.add(totals.get(count - 1) / 1e9);
            }
            bars.add(append / 1e9);
            plot.bars("x " + Numbers.text(factor), bars);
            int best = TruncatedModel.best(totals);
            rows.add(List.of(
                    Numbers.text(factor),
                    Numbers.bytes(totals.get(0)),
                    Numbers.bytes(totals.get(3)),
                    best + " SRQs: " + Numbers.bytes(totals.get(best - 1)),
                    Numbers.bytes(append)));
        }
        claims(report, all, rima);
        report.table(
                new DataTable("Total of 32 processes", List.of("sizes x", "1 SRQ", "4 SRQs", "least", "RIMA"), rows));
        report.plot(plot);
        return report;
    }

    private static void claims(FigureReport report, List<List<Double>> all, List<Double> rima) {
        report.claim(Claim.atMost(
                "7.rima",
                "the footprint of append queues does not change with the sizes: from half to twice as long",
                Math.abs(rima.get(2) / rima.get(0) - 1),
                0.05,
                "the active part is not small beside the reserve"));
        int growing = growing(all);
        int counts = all.get(0).size();
        report.claim(Claim.judged(
                "7.srq",
                "the footprint of SRQs grows with the sizes, however many they are: from "
                        + "half to twice it grows up to so many of "
                        + counts,
                "SRQs",
                growing,
                growing == counts,
                "with more SRQs reserves are nearly all, and the paper's rate of a "
                        + "size is higher where the largest size is"
                        + " smaller: the line is taken to be filled at the largest one"));
        report.claim(Claim.judged(
                "7.advantage",
                "append queues need less at all three scales: least ratio of the best SRQs to them",
                "",
                leastAdvantage(all, rima),
                leastAdvantage(all, rima) > 1,
                "the best SRQs are smaller"));
    }

    /** With so many SRQs and all fewer the footprint grows. */
    private static int growing(List<List<Double>> all) {
        int counts = all.stream().mapToInt(List::size).min().orElse(0);
        int growing = 0;
        while (growing < counts
                && all.get(0).get(growing) < all.get(1).get(growing)
                && all.get(1).get(growing) < all.get(2).get(growing)) {
            growing++;
        }
        return growing;
    }

    private static double leastAdvantage(List<List<Double>> all, List<Double> rima) {
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < all.size(); i++) {
            List<Double> totals = all.get(i);
            least = Math.min(least, totals.get(TruncatedModel.best(totals) - 1) / rima.get(i));
        }
        return least;
    }
}
