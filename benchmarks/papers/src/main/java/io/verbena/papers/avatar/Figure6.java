package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.figures.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/**
 * Figure 6: a request of 16 KB beside 16 to 128 KB that share its queue pair, or are of another class, by the
 * schedulers of Avatar and by the product's.
 */
final class Figure6 extends PaperFigure {
    private static final int KIB = 1024;
    private static final int[] SIZES = {16 * KIB, 64 * KIB, 128 * KIB};
    private static final int LAST = 2;
    private static final List<Way> WAYS = List.of(Way.FAIR, Way.ROUND_ROBIN, Way.MUX);
    private static final int BYTES = 16 * KIB;
    private static final int DEPTH = 8;
    private static final int MEDIAN = 50;
    private static final int TAIL = 99;
    private static final double AFFECTED = 1.25;
    private static final double SHIFT = 0.1;

    private final UnaryOperator<Way> played;
    private final boolean mixes; // strict traffic is not told from other

    Figure6() {
        this(UnaryOperator.identity(), false);
    }

    private Figure6(UnaryOperator<Way> played, boolean mixes) {
        super("6", "Figure 6: a request of 16 KB beside 16 to 128 KB, by scheduler");
        this.played = played;
        this.mixes = mixes;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("round robin instead of WFQ", new Figure6(way -> Way.ROUND_ROBIN, false)),
                new Mutation("a queue pair each", new Figure6(way -> Way.OWN, false)),
                new Mutation("no strict class", new Figure6(UnaryOperator.identity(), true)));
    }

    /** What came out of a scheduler in one setting, by sizes. */
    private record Row(Way way, boolean strict, List<Samples> samples) {
        double shift() {
            return samples.get(LAST).micros(MEDIAN) / samples.get(0).micros(MEDIAN) - 1;
        }

        double tail(int size) {
            return samples.get(size).micros(TAIL);
        }

        String id() {
            return "6." + way.name().toLowerCase(Locale.ROOT) + (strict ? ".strict" : ".same");
        }

        String title() {
            return way.title() + (strict ? ", {Strict, ETS}" : ", {Strict, Strict}");
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("foreground", "SENDs of 16 KiB one at a time, up to 5 us apart")
                .setting("background", "one flow, " + DEPTH + " blocks under way")
                .setting("segments", "16 KiB, 64 KiB under way on a queue pair, 4 of a block")
                .setting("classes", "a queue pair each: strict and other traffic share none")
                .setting("seed", String.valueOf(seed));
        List<Row> rows = new ArrayList<>();
        for (Way way : WAYS) {
            for (boolean strict : new boolean[] {false, true}) {
                List<Samples> samples = new ArrayList<>();
                for (int bytes : SIZES) {
                    samples.add(new Beside(played.apply(way), BYTES)
                            .background(bytes)
                            .depth(DEPTH)
                            .urgent(strict && !mixes)
                            .run(seed, size));
                }
                rows.add(new Row(way, strict, samples));
            }
        }
        claims(report, rows);
        return report.table(table(rows))
                .plot(plot(rows))
                .note("The paper does not define its WFQ. Here a block has its tag when it arrives, by its"
                        + " bytes, and is"
                        + " sent whole when its turn comes (self-clocked fair queueing of blocks): that"
                        + " is what makes"
                        + " its completion depend on the length of others, as the paper has it.");
    }

    private static void claims(FigureReport report, List<Row> rows) {
        for (Row row : rows) {
            if (row.way == Way.FAIR) {
                double ratio =
                        row.samples.get(LAST).meanMicros() / row.samples.get(0).meanMicros();
                report.claim(Claim.judged(
                                row.id(),
                                row.title() + ": affected, the mean beside 128 KB by beside 16 KB",
                                "x",
                                ratio,
                                ratio >= AFFECTED,
                                "strict traffic has a queue pair of its own, so what the scheduler does with"
                                        + " the other's"
                                        + " blocks is not waited for, but a segment of them on the NIC")
                        .accepting("≥ " + Numbers.text(AFFECTED, "x")));
            } else {
                report.claim(Claim.atMost(
                        row.id(),
                        row.title() + ": not affected, the median beside 128 KB against beside 16 KB",
                        row.shift(),
                        SHIFT,
                        "more of the other's segments are under way"));
            }
        }
        for (int i = 2; i < rows.size(); i += 2) {
            Row same = rows.get(i);
            double ratio = rows.get(i + 1).tail(LAST) / same.tail(LAST);
            report.claim(Claim.judged(
                            "6." + same.way.name().toLowerCase(Locale.ROOT) + ".tail",
                            same.way.title() + ": priority trims the tail, 99 % with by without, beside 128 KB",
                            "x",
                            ratio,
                            ratio < 1,
                            "what is under way is waited for all the same")
                    .accepting("< 1 x"));
        }
    }

    private static DataTable table(List<Row> rows) {
        List<List<String>> cells = new ArrayList<>();
        for (Row row : rows) {
            for (int i = 0; i < SIZES.length; i++) {
                Samples samples = row.samples.get(i);
                cells.add(List.of(
                        row.title(),
                        Numbers.text((double) SIZES[i] / KIB, "KiB"),
                        Numbers.text(samples.meanMicros(), "us"),
                        Numbers.text(samples.micros(MEDIAN), "us"),
                        Numbers.text(samples.micros(TAIL), "us")));
            }
        }
        return new DataTable(
                "Completion of one request of 16 KiB",
                List.of("scheduler, classes", "background", "mean", "50 %", "99 %"),
                cells);
    }

    private static PaperPlot plot(List<Row> rows) {
        PaperPlot plot =
                new PaperPlot("avatar-figure-6", "16 KiB beside another flow", "KiB of the other's blocks", "us, mean");
        for (int i = 0; i < rows.size(); i++) {
            List<Double> means = new ArrayList<>();
            rows.get(i).samples.forEach(samples -> means.add(samples.meanMicros()));
            plot.line(rows.get(i).title(), Sweep.points(SIZES, KIB), means, i);
        }
        return plot;
    }
}
