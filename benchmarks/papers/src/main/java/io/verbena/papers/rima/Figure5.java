package io.verbena.papers.rima;

import io.verbena.nic.sim.LinkProfile;
import io.verbena.nic.sim.SimNode;
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

/**
 * Figure 5: a server of 32 processes with SRQs by slab classes, messages up to 16 KB. As the paper did it, what
 * messages in the queues take is measured, and reserves are computed.
 */
final class Figure5 extends PaperFigure {
    private static final double RATE = 4.3e6;
    private static final int[] MEASURED = {1, 2, 3, 4, 5, 8, 16};
    private static final int[] QUICKLY = {1, 4};
    private static final int FULL_EPOCHS = 24;
    private static final int QUICK_EPOCHS = 20;
    private static final int SERVER_QPS = 512;
    private static final int PAPER_BEST = 4;
    private static final double CLOSE = 2;

    private final RimaModel paper;
    private final double served;

    Figure5() {
        this(RimaModel.PAPER, 1);
    }

    /** With messages that stay in the queue for a part of the time that is counted with. */
    private Figure5(RimaModel paper, double served) {
        super("5", "Figure 5: SRQs by slab classes, messages up to 16 KB");
        this.paper = paper;
        this.served = served;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("memory that is there in 1 us", new Figure5(paper.withAllocation(1e-6), served)),
                new Mutation("messages that stay for half of the time", new Figure5(paper, 0.5)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        TruncatedModel model = new TruncatedModel(paper, 1);
        List<Double> totals = model.totals();
        FigureReport report = new FigureReport(id(), title())
                .setting("processes", String.valueOf(RimaModel.PROCESSES))
                .setting("largest message", "16 KiB, at which the line is taken to be filled")
                .setting("messages in the queues", String.valueOf(paper.messages()))
                .setting("L", "1 ms")
                .setting("seed", String.valueOf(seed));
        double worst = measure(report, model, seed, size);
        claims(report, model, totals, worst);
        List<String> categories = new ArrayList<>();
        List<Double> bars = new ArrayList<>();
        for (int i = 0; i < totals.size(); i++) {
            categories.add(String.valueOf(i + 1));
            bars.add(totals.get(i) / 1e9);
        }
        categories.add("RIMA");
        bars.add(model.appendQueues().totalBytes() / 1e9);
        report.plot(new PaperPlot("rima-figure-5", "32 processes, messages up to 16 KiB", "number of SRQs", "GB")
                .logarithmicY()
                .categories(categories)
                .bars("total", bars));
        return report;
    }

    private static void claims(FigureReport report, TruncatedModel model, List<Double> totals, double worst) {
        int best = TruncatedModel.best(totals);
        double atBest = totals.get(best - 1);
        double atPaper = totals.get(PAPER_BEST - 1);
        double atAll = totals.get(totals.size() - 1);
        double rima = model.appendQueues().totalBytes();
        report.claim(Claim.judged(
                "5.u",
                "few SRQs and many SRQs need more than some between: the lesser of both ends, above "
                        + "1.2 times the least",
                "",
                Math.min(totals.get(0), atAll) / atBest,
                Math.min(totals.get(0), atAll) > 1.2 * atBest,
                "the curve has no bottom"));
        report.claim(Claim.judged(
                        "5.best",
                        "4 SRQs are the best number, within 5 % of the least",
                        PAPER_BEST,
                        "SRQs",
                        best,
                        atPaper <= 1.05 * atBest,
                        "4 are more than 5 % above the least")
                .but("4 are within " + Numbers.text((atPaper / atBest - 1) * 100) + " % of the least, which is at "
                        + best));
        report.claim(Claim.judged(
                "5.close",
                "the best number of SRQs is close to RIMA: at most twice as much",
                "",
                atBest / rima,
                atBest <= CLOSE * rima,
                "by the paper's own formula the reserves of " + best + " SRQs of 32 processes are "
                        + Numbers.bytes(model.server(model.merged(best)).reserveBytes())
                        + "; the paper prints no number"));
        report.claim(Claim.near(
                "5.rima",
                "append queues of 32 processes (7 MB x 32 + 4 MB)",
                228,
                "MB",
                rima / 1e6,
                0.02,
                "another mean size"));
        report.claim(Claim.atMost(
                "5.active",
                "what messages in the queues take is as the formula says: largest difference of measured and computed",
                worst,
                0.1,
                "few large messages came in so short a run"));
    }

    /**
     * Runs some of the configurations, and returns by how much what was measured differs from what was computed at
     * most.
     */
    private double measure(FigureReport report, TruncatedModel model, long seed, Size size) {
        long service = Math.round(served * paper.serviceNanos(RATE));
        double worst = 0;
        List<List<String>> rows = new ArrayList<>();
        for (int count : size == Size.FULL ? MEASURED : QUICKLY) {
            SizeClasses classes = model.merged(count);
            ReceiverMemory computed = model.server(classes);
            IncastWorld world = new IncastWorld(
                    seed,
                    IncastWorld.CLIENTS,
                    LinkProfile.infiniband56(),
                    new SimNode.Options().queuePairs(SERVER_QPS),
                    (int) model.sizes.max());
            ServedQueue queue = new ServedSharedReceives(world, classes, Math.round(computed.reserveBytes()), service);
            QueueRun.Result result = QueueRun.run(
                    world,
                    queue,
                    new Load(world, queue, model.sizes, RATE, seed),
                    size == Size.FULL ? FULL_EPOCHS : QUICK_EPOCHS);
            worst = Math.max(worst, Math.abs(result.active() / computed.activeBytes() - 1));
            rows.add(List.of(
                    String.valueOf(count),
                    Numbers.bytes(result.active()),
                    Numbers.bytes(computed.activeBytes()),
                    Numbers.bytes(computed.reserveBytes()),
                    Numbers.bytes(result.total()),
                    classes.count() <= 8 ? classes.toString() : classes.count() + " classes"));
        }
        report.table(new DataTable(
                "32 processes",
                List.of("SRQs", "active, measured", "active, computed", "reserve, computed", "total", "sizes up to"),
                rows));
        return worst;
    }
}
