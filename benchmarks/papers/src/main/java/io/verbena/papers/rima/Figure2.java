package io.verbena.papers.rima;

import io.verbena.nic.sim.SimRandom;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.workload.EtcVariant;
import io.verbena.papers.workload.EtcWorkload;
import io.verbena.papers.workload.SizeDistribution;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Figure 2: how large messages are. Computed, and drawn as the runs draw them. */
final class Figure2 extends PaperFigure {
    private static final int KILOBYTE = 1024;
    private static final double PAPER_KILOBYTE = 95.6;
    private static final double PAPER_TAIL = 5.4;
    private static final double PAPER_MEAN = 231;
    private static final double TAIL = 0.999;
    private static final int FULL_DRAWS = 1_000_000;
    private static final int QUICK_DRAWS = 100_000;
    private static final int MAX_SHOWN = 64 * 1024;
    private static final int[] SHOWN = {0, 2, 8, 32, 96, 231, 512, 1024, 2048, 5400, 16_384, 1 << 20};

    private final SizeDistribution sizes;
    private final SizeDistribution drawn;

    Figure2() {
        this(RimaModel.PAPER.sizes(), RimaModel.PAPER.sizes());
    }

    private Figure2(SizeDistribution sizes, SizeDistribution drawn) {
        super("2", "Figure 2: how large messages are");
        this.sizes = sizes;
        this.drawn = drawn;
    }

    @Override
    public List<Mutation> mutations() {
        SizeDistribution published = EtcWorkload.messages(EtcVariant.ETC);
        return List.of(
                new Mutation("messages half as long", new Figure2(sizes.scaled(0.5), drawn.scaled(0.5))),
                new Mutation("sizes that are drawn with their keys", new Figure2(sizes, published)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int draws = size == Size.FULL ? FULL_DRAWS : QUICK_DRAWS;
        FigureReport report = new FigureReport(id(), title())
                .setting("sizes", "ETC_RIMA: published values, the tail's weight raised to 0.67")
                .setting("drawn", String.valueOf(draws))
                .setting("seed", String.valueOf(seed));
        claims(report, distance(seed, draws));
        table(report);
        report.plot(plot());
        report.note(
                "The paper prints a curve and four numbers: 231 B on the mean, 95.6 % up to 1 KB, 99.9 % up to 5.4 KB"
                        + " and a largest message of 1 MB. Published keys and values together (ETC) "
                        + "have the mean exactly, and"
                        + " a lighter tail: 96.6 % of the values up to 1 KiB.");
        return report;
    }

    private void claims(FigureReport report, double distance) {
        report.claim(Claim.near(
                "2.kilobyte",
                "messages up to 1 KB",
                PAPER_KILOBYTE,
                "%",
                sizes.cdf(KILOBYTE) * 100,
                0.005,
                "another distribution"));
        report.claim(Claim.near(
                "2.tail",
                "the size that 99.9 % of the messages do not exceed",
                PAPER_TAIL,
                "KB",
                sizes.quantile(TAIL) / 1e3,
                0.02,
                "another distribution"));
        report.claim(
                Claim.near("2.mean", "the mean size", PAPER_MEAN, "B", sizes.mean(), 0.01, "another distribution"));
        report.claim(Claim.atMost(
                "2.drawn",
                "sizes that runs draw are of this distribution: largest distance of both curves",
                distance,
                0.005,
                "another one is drawn from"));
    }

    /** Largest difference of the share of drawn sizes up to any size from what it should be. */
    private double distance(long seed, int draws) {
        SimRandom random = SimRandom.forPart(seed, 1);
        int[] all = new int[draws];
        for (int i = 0; i < draws; i++) {
            all[i] = drawn.next(random);
        }
        Arrays.sort(all);
        double farthest = 0;
        for (int i = 0; i < draws; i++) {
            if (i + 1 == draws || all[i + 1] != all[i]) {
                farthest = Math.max(farthest, Math.abs((i + 1.0) / draws - sizes.cdf(all[i])));
            }
        }
        return farthest;
    }

    private void table(FigureReport report) {
        SizeDistribution published = EtcWorkload.messages(EtcVariant.ETC);
        List<List<String>> rows = new ArrayList<>();
        for (int bytes : SHOWN) {
            String paper = bytes == KILOBYTE ? "95.6 %" : bytes == 5400 ? "99.9 %" : bytes == 1 << 20 ? "100 %" : "-";
            rows.add(List.of(
                    Numbers.text((double) bytes, "B"),
                    paper,
                    Numbers.text(sizes.cdf(bytes) * 100, "%"),
                    Numbers.text(published.cdf(bytes) * 100, "%")));
        }
        report.table(new DataTable(
                "Messages up to a size", List.of("size", "paper", "here (ETC_RIMA)", "as published (ETC)"), rows));
    }

    private PaperPlot plot() {
        SizeDistribution published = EtcWorkload.messages(EtcVariant.ETC);
        List<Double> x = new ArrayList<>();
        List<Double> here = new ArrayList<>();
        List<Double> there = new ArrayList<>();
        for (double bytes = 1; bytes <= MAX_SHOWN; bytes *= 1.1) {
            x.add(bytes);
            here.add(sizes.cdf((long) bytes) * 100);
            there.add(published.cdf((long) bytes) * 100);
        }
        return new PaperPlot("rima-figure-2", "Messages up to a size", "bytes", "%")
                .logarithmicX()
                .line("here (ETC_RIMA)", x, here, 0)
                .dashes("keys and values as published (ETC)", x, there, 1)
                .points("paper", List.of(1024.0, 5400.0), List.of(PAPER_KILOBYTE, 99.9), 0);
    }
}
