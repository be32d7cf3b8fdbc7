package io.verbena.papers.rima;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.srq.SizeClassOptimizer;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.srq.SlabMerge;
import io.verbena.papers.srq.SrqFootprint;
import java.util.ArrayList;
import java.util.List;

/** Figure 6: reserves of SRQs whose ranges are memcached's slab classes, merged; messages of all sizes. Computed. */
final class Figure6 extends PaperFigure {
    private static final int PAPER_BEST = 8;
    private static final double PAPER_LEAST = 1.5; // of GiB
    private static final double GIB = 1 << 30;
    private static final double PAPER_ONE = 4500e9;

    private static final int SHOWN = 12;

    private final RimaModel model;
    private final SizeClasses slabs;

    Figure6() {
        this(RimaModel.PAPER, SizeClasses.slabs(RimaModel.MAX));
    }

    private Figure6(RimaModel model, SizeClasses slabs) {
        super("6", "Figure 6: SRQs by slab classes, reserves alone");
        this.model = model;
        this.slabs = slabs;
    }

    @Override
    public List<Mutation> mutations() {
        SizeClasses wider = SizeClasses.slabs(3, SizeClasses.MIN_SLAB, RimaModel.MAX);
        return List.of(
                new Mutation("memory that is there in 0.5 ms", new Figure6(model.withAllocation(5e-4), slabs)),
                new Mutation("1,000/s of the smallest messages", new Figure6(model.withSmallRate(1e3), slabs)),
                new Mutation("slabs that grow by 3", new Figure6(model, wider)));
    }

    /** Reserves with 1, 2, 3 ... SRQs, in GB. */
    private record Curve(List<Double> counts, List<Double> least, List<Double> balanced, List<List<String>> rows) {
        double at(int count) {
            return least.get(count - 1) * 1e9;
        }

        int best() {
            return TruncatedModel.best(least);
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        Curve curve = curve();
        double rima = model.appendQueue().reserveBytes() * RimaModel.PROCESSES;
        FigureReport report = new FigureReport(id(), title())
                .setting("processes", String.valueOf(RimaModel.PROCESSES))
                .setting("slabs", slabs.count() + ", factor 1.25 from 96 bytes, aligned to 8")
                .setting("L", "1 ms");
        claims(report, curve, rima);
        report.table(new DataTable(
                "Reserves of 32 processes", List.of("SRQs", "least", "balanced by hand", "sizes up to"), curve.rows));
        report.plot(
                new PaperPlot("rima-figure-6", "Reserves of SRQs by slab classes, 32 processes", "number of SRQs", "GB")
                        .logarithmicY()
                        .line("SRQs, merged for the least sum", curve.counts, curve.least, 0)
                        .dashes("SRQs, merged so that queues are balanced", curve.counts, curve.balanced, 2)
                        .line("RIMA", List.of(1.0, (double) slabs.count()), List.of(rima / 1e9, rima / 1e9), 1)
                        .points(
                                "paper, SRQs",
                                List.of(1.0, (double) PAPER_BEST),
                                List.of(PAPER_ONE / 1e9, PAPER_LEAST * GIB / 1e9),
                                0)
                        .points("paper, RIMA", List.of(1.0), List.of(0.224), 1));
        return report;
    }

    private Curve curve() {
        Curve curve = new Curve(new ArrayList<>(), new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int count = 1; count <= slabs.count(); count++) {
            SizeClasses optimal = SizeClassOptimizer.least(model.link(), model.sizes(), 0, slabs, count);
            double ofOptimal = server(optimal);
            double ofBalanced = server(SlabMerge.balanced(model.link(), model.sizes(), 0, slabs, count));
            curve.counts.add((double) count);
            curve.least.add(ofOptimal / 1e9);
            curve.balanced.add(ofBalanced / 1e9);
            if (count <= SHOWN || count == slabs.count()) {
                curve.rows.add(List.of(
                        String.valueOf(count),
                        Numbers.bytes(ofOptimal),
                        Numbers.bytes(ofBalanced),
                        count <= SHOWN ? optimal.toString() : "all slabs"));
            }
        }
        return curve;
    }

    private void claims(FigureReport report, Curve curve, double rima) {
        double atEight = curve.at(PAPER_BEST);
        double atBest = curve.at(curve.best());
        report.claim(Claim.judged(
                "6.slabs",
                "memcached has 42 slab classes",
                42,
                "",
                slabs.count(),
                slabs.count() == 42,
                "another alignment of slabs"));
        report.claim(Claim.judged(
                "6.one",
                "one SRQ needs more than 4,500 GB",
                PAPER_ONE / 1e9,
                "GB",
                curve.at(1) / 1e9,
                curve.at(1) > PAPER_ONE,
                "a smaller reserve"));
        report.claim(Claim.near(
                        "6.eight",
                        "8 SRQs need 1.5 GB",
                        PAPER_LEAST,
                        "GiB",
                        atEight / GIB,
                        0.02,
                        "another way to merge slabs")
                .but("the paper's 1.5 GB are GiB"));
        report.claim(Claim.judged(
                        "6.best",
                        "8 SRQs are the best number, within 2 % of the least",
                        PAPER_BEST,
                        "SRQs",
                        curve.best(),
                        atEight <= 1.02 * atBest,
                        "8 are more than 2 % above the least")
                .but("8 are within " + Numbers.text((atEight / atBest - 1) * 100) + " % of the least, which is at "
                        + curve.best()));
        report.claim(Claim.judged(
                "6.all",
                "as many SRQs as slabs need more again: more than 1.2 times the least",
                "x",
                curve.at(slabs.count()) / atBest,
                curve.at(slabs.count()) > 1.2 * atBest,
                "reserves do not add up"));
        report.claim(Claim.judged(
                        "6.rima",
                        "append queues need less than the best tuned SRQs: MB for 32 processes",
                        "MB",
                        rima / 1e6,
                        rima < atBest,
                        "the tuned SRQs are smaller")
                .but("32 processes cannot all receive at line rate through one port: a reserve that they share is "
                        + Numbers.bytes(rima / RimaModel.PROCESSES)));
    }

    private double server(SizeClasses classes) {
        return SrqFootprint.of(model.link(), model.sizes(), 0, classes).reserveBytes() * RimaModel.PROCESSES;
    }
}
