package io.verbena.papers.drum;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.rate.AdmmSettings;
import io.verbena.rate.Delivery;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Figure 6: messages between hosts are lost. */
final class LossFigure extends PaperFigure {
    private static final double[] LOSSES = {0, 0.01, 0.05, 0.1};
    private static final int ROUNDS = 30;
    private static final int REFERENCE_ROUNDS = 200;
    private static final int EARLY = 10;
    private static final int LATE = 20;
    private static final double BETA = 0.01;
    private static final double LEAST_DRAWN = 1e-7;

    private final List<List<String>> rows = new ArrayList<>();
    private final double[] losses;

    LossFigure() {
        this(LOSSES);
    }

    private LossFigure(double... losses) {
        super("6", "Figure 6: up to 10 % of all messages are lost");
        this.losses = losses.clone();
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("95 % of all messages are lost", new LossFigure(0, 0.95)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int divisor = size == Size.QUICK ? 5 : 1;
        rows.clear();
        FigureReport report = new FigureReport(id(), title())
                .setting("loss", "reports and prices, each way")
                .setting("utility", "alpha 1, beta " + BETA)
                .setting("seed", String.valueOf(seed));
        RandomHosts small = new RandomHosts(seed, 100 / divisor, 50 / divisor, 1, BETA);
        RandomHosts large = new RandomHosts(seed, 1000 / divisor, 500 / divisor, 1, BETA);
        PaperPlot plot =
                new PaperPlot("drum-figure-6", "Gap to the optimum, messages lost", "round", "gap").logarithmicY();
        List<Trajectory> one =
                runs(plot, small, "one-sided", seed, d -> OneSided.run(small, AdmmSettings.ONE_SIDED, d, ROUNDS), 0);
        List<Trajectory> many =
                runs(null, large, "one-sided", seed, d -> OneSided.run(large, AdmmSettings.ONE_SIDED, d, ROUNDS), 0);
        TwoSided peers = new TwoSided(small.peers(), REFERENCE_ROUNDS);
        List<Trajectory> two =
                runs(plot, small, "two-sided", seed, d -> peers.run(AdmmSettings.TWO_SIDED, d, ROUNDS), 2);
        claims(report, one, many, two);
        report.table(new DataTable(
                "Gap with messages lost",
                List.of(
                        "operations",
                        "hosts",
                        "lost",
                        "rounds to 0.5 %",
                        "gap at 10",
                        "at 20",
                        "more than without, at 20"),
                rows));
        report.plot(plot);
        report.note("One-sided, a report is answered only if it was made from the latest prices, and repeated until "
                + "then. Two-sided, the last report or price of the same peer stands in for a lost one.");
        return report;
    }

    private List<Trajectory> runs(
            @Nullable PaperPlot plot,
            RandomHosts hosts,
            String operations,
            long seed,
            Function<Delivery, Trajectory> run,
            int color) {
        List<Trajectory> runs = new ArrayList<>();
        for (double loss : losses) {
            Trajectory each = run.apply(Delivery.lossy(seed, loss));
            runs.add(each);
            rows.add(List.of(
                    operations,
                    String.valueOf(hosts.hosts()),
                    Numbers.text(loss * 100, "%"),
                    each.roundsText(),
                    Numbers.text(each.gap(EARLY)),
                    Numbers.text(each.gap(LATE)),
                    Numbers.text(each.gap(LATE) - runs.get(0).gap(LATE))));
            if (plot != null && (loss == 0 || loss == losses[losses.length - 1])) {
                plot.line(
                        operations + ", " + Numbers.text(loss * 100, "%") + " lost",
                        IntStream.rangeClosed(1, ROUNDS)
                                .mapToObj(k -> (double) k)
                                .toList(),
                        each.gaps().stream()
                                .map(gap -> Math.max(LEAST_DRAWN, gap))
                                .toList(),
                        color + (loss == 0 ? 0 : 1));
            }
        }
        return runs;
    }

    /** Largest difference to no loss in a round and all later ones. */
    private static double worst(List<Trajectory> runs, int from, int to) {
        double most = 0;
        for (Trajectory run : runs) {
            for (int k = from; k <= to; k++) {
                most = Math.max(most, run.gap(k) - runs.get(0).gap(k));
            }
        }
        return most;
    }

    private static void claims(FigureReport report, List<Trajectory> one, List<Trajectory> many, List<Trajectory> two) {
        report.claim(printed(
                "6.early",
                "one-sided, 100 hosts: loss costs at most 1.5 % before round 10, from round 5 on",
                1.5,
                worst(one, 5, EARLY - 1),
                "a rate that is late weighs most while rates are far from their ends"));
        report.claim(printed(
                "6.first",
                "the same from the first round on",
                1.5,
                worst(one, 1, EARLY - 1),
                "in its first rounds an iterate is tens of percent off, and a round later than its peers"));
        report.claim(printed(
                "6.late",
                "and at most 0.2 % from round 20 on",
                0.2,
                worst(one, LATE, ROUNDS),
                "a loss is more than a delay"));
        report.claim(printed(
                "6.large",
                "one-sided, 1,000 hosts of 500: at most 0.1 % from round 20 on",
                0.1,
                worst(many, LATE, ROUNDS),
                "a loss is more than a delay"));
        report.claim(Claim.atMost(
                "6.two",
                "two-sided, 100 hosts: at most 0.3 % from round 20 on",
                worst(two, LATE, ROUNDS),
                0.003,
                "sums over peers are made of values of several rounds"));
    }

    /** A claim whose bound the paper prints, in percent. */
    private static Claim printed(String id, String text, double percent, double part, String ifNot) {
        double ours = part * 100;
        return Claim.judged(id, text, percent, "%", ours, ours <= percent, ifNot)
                .accepting("≤ " + Numbers.text(percent, "%"));
    }
}
