package io.verbena.papers.rima;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.srq.LinkModel;
import io.verbena.papers.srq.SizeClassOptimizer;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.srq.SlabMerge;
import io.verbena.papers.srq.SrqFootprint;
import java.util.ArrayList;
import java.util.List;

/** Figure 6: reserves of SRQs whose ranges are memcached's slab classes, merged; messages of all sizes. Computed. */
final class Figure6 extends PaperFigure {
    private static final int PAPER_BEST = 8;
    private static final double PAPER_LEAST = 1.5 * (1 << 30);
    private static final double PAPER_ONE = 4500e9;

    private static final LinkModel LINK = LinkModel.fdr(RimaModel.MAX);
    private static final SizeClasses SLABS = SizeClasses.slabs(RimaModel.MAX);

    Figure6() {
        super("6", "Figure 6: SRQs by slab classes, reserves alone");
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int slabs = SLABS.count();
        List<Double> counts = new ArrayList<>();
        List<Double> least = new ArrayList<>();
        List<Double> balanced = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        int best = 1;
        for (int count = 1; count <= slabs; count++) {
            SizeClasses optimal = SizeClassOptimizer.least(LINK, RimaModel.sizes(), 0, SLABS, count);
            double ofOptimal = server(optimal);
            double ofBalanced = server(SlabMerge.balanced(LINK, RimaModel.sizes(), 0, SLABS, count));
            counts.add((double) count);
            least.add(ofOptimal / 1e9);
            balanced.add(ofBalanced / 1e9);
            if (least.get(count - 1) < least.get(best - 1)) {
                best = count;
            }
            if (count <= 12 || count == slabs) {
                rows.add(List.of(
                        String.valueOf(count),
                        Numbers.bytes(ofOptimal),
                        Numbers.bytes(ofBalanced),
                        count <= 12 ? optimal.toString() : "all slabs"));
            }
        }
        double atEight = least.get(PAPER_BEST - 1) * 1e9;
        double atBest = least.get(best - 1) * 1e9;
        double rima = RimaModel.appendQueue().reserveBytes() * RimaModel.PROCESSES;
        FigureReport report = new FigureReport(id(), title())
                .setting("processes", String.valueOf(RimaModel.PROCESSES))
                .setting("slabs", slabs + ", factor 1.25 from 96 bytes, aligned to 8")
                .setting("L", "1 ms");
        report.claim(Claim.judged(
                "6.slabs", "memcached has 42 slab classes", 42, "", slabs, slabs == 42, "another alignment of slabs"));
        report.claim(Claim.judged(
                "6.one",
                "one SRQ needs more than 4,500 GB",
                PAPER_ONE / 1e9,
                "GB",
                least.get(0),
                least.get(0) * 1e9 > PAPER_ONE,
                "a smaller reserve"));
        report.claim(Claim.near(
                        "6.eight",
                        "8 SRQs need 1.5 GB",
                        PAPER_LEAST / 1e9,
                        "GB",
                        atEight / 1e9,
                        0.02,
                        "another way to merge slabs")
                .but("the paper's 1.5 GB are GiB"));
        report.claim(Claim.judged(
                        "6.best",
                        "8 SRQs are the best number",
                        PAPER_BEST,
                        "SRQs",
                        best,
                        atEight <= 1.02 * atBest,
                        "8 are more than 2 % above the least")
                .but("8 are within " + Numbers.text((atEight / atBest - 1) * 100) + " % of the least, which is at "
                        + best));
        report.claim(Claim.judged(
                "6.all",
                "as many SRQs as slabs need more again: of the least",
                "",
                least.get(slabs - 1) * 1e9 / atBest,
                least.get(slabs - 1) * 1e9 > 1.2 * atBest,
                "reserves do not add up"));
        report.claim(Claim.judged(
                        "6.rima",
                        "append queues need less than the best tuned SRQs: MB for 32 processes",
                        224,
                        "MB",
                        rima / 1e6,
                        rima < atBest,
                        "the tuned SRQs are smaller")
                .but("32 processes cannot all receive at line rate through one port: a reserve that they share is "
                        + Numbers.bytes(rima / RimaModel.PROCESSES)));
        report.table(new DataTable(
                "Reserves of 32 processes", List.of("SRQs", "least", "balanced by hand", "sizes up to"), rows));
        report.plot(
                new PaperPlot("rima-figure-6", "Reserves of SRQs by slab classes, 32 processes", "number of SRQs", "GB")
                        .logarithmicY()
                        .line("SRQs, merged for the least sum", counts, least, 0)
                        .dashes("SRQs, merged so that queues are balanced", counts, balanced, 2)
                        .line("RIMA", List.of(1.0, (double) slabs), List.of(rima / 1e9, rima / 1e9), 1)
                        .points(
                                "paper, SRQs",
                                List.of(1.0, (double) PAPER_BEST),
                                List.of(PAPER_ONE / 1e9, PAPER_LEAST / 1e9),
                                0)
                        .points("paper, RIMA", List.of(1.0), List.of(0.224), 1));
        return report;
    }

    private static double server(SizeClasses classes) {
        return SrqFootprint.of(LINK, RimaModel.sizes(), 0, classes).reserveBytes() * RimaModel.PROCESSES;
    }
}
