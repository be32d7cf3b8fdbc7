package io.verbena.papers.rdmabox;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Figure 11: trainings whose memory is paged to a peer. Traces of pages stand for the trainings: sweeps over samples
 * with more or less to compute, and a walk over a graph. Only the order counts.
 */
final class Figure11 extends PaperFigure {
    private static final List<Library> LIBRARIES = List.of(Library.RDMABOX, Library.ACCELIO, Library.VERBS);
    private static final double RESIDENT = 0.25;
    private static final double FASTER = 1.05;

    /** What is trained, and how much longer it takes in the paper with Accelio and with verbs. */
    private enum Training {
        LOGREG("logistic regression: sweeps, 2 us a page", 2.83, 3.69, 2_000),
        BOOSTING("gradient boosting: sweeps, 20 us a page", 1.5, 1.53, 20_000),
        KMEANS("k-means: sweeps, 10 us a page", 1.8, 2.62, 10_000),
        TEXTRANK("TextRank: a walk, a fifth of its steps to anywhere, 1 us a page", 4.62, 6.44, 1_000);

        final String title;
        final double accelio;
        final double verbs;
        private final long computeNanos;

        Training(String title, double accelio, double verbs, long computeNanos) {
            this.title = title;
            this.accelio = accelio;
            this.verbs = verbs;
            this.computeNanos = computeNanos;
        }

        String id() {
            return name().toLowerCase(Locale.ROOT);
        }

        PageTrace trace(int thread, long seed) {
            int part = PagedRun.PAGES / PagedRun.THREADS;
            return this == TEXTRANK
                    ? PageTrace.walk(PagedRun.PAGES, 0.2, 4, 0.25, computeNanos, seed * PagedRun.THREADS + thread)
                    : PageTrace.sweep(thread * part, part, computeNanos);
        }
    }

    private final Library box; // what is taken for RDMAbox

    Figure11() {
        this(Library.RDMABOX);
    }

    private Figure11(Library box) {
        super("11", "Figure 11: trainings that page to a peer");
        this.box = box;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("RDMAbox is as Accelio", new Figure11(Library.ACCELIO)),
                new Mutation("RDMAbox is as verbs", new Figure11(Library.VERBS)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = settings(new FigureReport(id(), title()), seed)
                .setting("resident", Numbers.text(100 * RESIDENT, "%") + " of the pages");
        Training[] trainings = Training.values();
        List<Double> all = IntStream.range(0, trainings.length * LIBRARIES.size()) // each a world of its own
                .parallel()
                .mapToObj(i -> {
                    Training training = trainings[i / LIBRARIES.size()];
                    Library library = LIBRARIES.get(i % LIBRARIES.size());
                    return PagedRun.millis(
                            library == Library.RDMABOX ? box : library,
                            thread -> training.trace(thread, seed),
                            RESIDENT,
                            seed,
                            size);
                })
                .toList();
        PaperPlot plot = new PaperPlot("rdmabox-figure-11", "Trainings that page to a peer", "", "ms")
                .categories(List.of("LogReg", "boosting", "k-means", "TextRank"));
        for (int i = 0; i < LIBRARIES.size(); i++) {
            int mine = i;
            plot.bars(
                    LIBRARIES.get(i).title,
                    IntStream.range(0, trainings.length)
                            .mapToObj(j -> all.get(j * LIBRARIES.size() + mine))
                            .toList());
        }
        List<List<String>> rows = new ArrayList<>();
        for (Training training : trainings) {
            List<Double> millis =
                    all.subList(training.ordinal() * LIBRARIES.size(), (training.ordinal() + 1) * LIBRARIES.size());
            List<String> row = new ArrayList<>(List.of(training.title));
            millis.forEach(each -> row.add(Numbers.text(each, "ms")));
            rows.add(row);
            report.claim(claim(training, Library.ACCELIO, training.accelio, millis.get(1) / millis.get(0)))
                    .claim(claim(training, Library.VERBS, training.verbs, millis.get(2) / millis.get(0)));
        }
        for (int i = 1; i < LIBRARIES.size(); i++) {
            report.claim(order(LIBRARIES.get(i), all, i));
        }
        return report.table(new DataTable(
                        "Time of a training", List.of("training", "RDMAbox", "as Accelio", "as verbs"), rows))
                .plot(plot);
    }

    /** What it has in common with figure 10. */
    static FigureReport settings(FigureReport report, long seed) {
        report.setting(
                        "application",
                        PagedRun.THREADS + " threads, " + PagedRun.PAGES
                                + " pages of 4 KiB; a trace of pages stands for it")
                .setting(
                        "paging",
                        "a clock and read-ahead as io.verbena.tier has them stand for the paged memory, whose threads"
                                + " are the machine's; its merge queue is the product's")
                .setting("buffers", "all copy, as a page is registered in more time than it is copied in");
        for (Library each : LIBRARIES) {
            report.setting(each.title, each.settings());
        }
        return report.setting("seed", String.valueOf(seed));
    }

    private static Claim order(Library other, List<Double> millis, int at) {
        int walk = Training.TEXTRANK.ordinal() * LIBRARIES.size();
        int boosting = Training.BOOSTING.ordinal() * LIBRARIES.size();
        double more = millis.get(walk + at) / millis.get(walk) / (millis.get(boosting + at) / millis.get(boosting));
        return Claim.judged(
                        "11.order." + other.id(),
                        "who computes least gains most: TextRank's ratio " + other.title + " by that of boosting",
                        "x",
                        more,
                        more >= FASTER,
                        "neither gains")
                .accepting("≥ " + Numbers.text(FASTER, "x"));
    }

    private static Claim claim(Training training, Library other, double paper, double ours) {
        return Claim.judged(
                        "11." + training.id() + '.' + other.id(),
                        training.title + ": the time " + other.title + " by RDMAbox's",
                        paper,
                        "x",
                        ours,
                        ours >= FASTER,
                        "a sweep's pages merge, and are copied when all of them are here, single ones as they come;"
                                + " what is computed hides the rest")
                .accepting("≥ " + Numbers.text(FASTER, "x"));
    }
}
