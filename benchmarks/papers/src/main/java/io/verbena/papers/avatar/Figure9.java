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

/** Figure 9: four and eight flows, half of them of 16 KB and half of 128 KB. */
final class Figure9 extends PaperFigure {
    private static final int KIB = 1024;
    private static final int BYTES = 16 * KIB;
    private static final int BACKGROUND = 128 * KIB;
    private static final int[] FLOWS = {4, 8};
    private static final List<Way> SHARED = List.of(Way.ROUND_ROBIN, Way.MUX);
    private static final double PAPER = -50;
    private static final double ACCEPTED = -30;
    private static final int MEDIAN = 50;
    private static final int TAIL = 99;

    private final UnaryOperator<Way> played;

    Figure9() {
        this(UnaryOperator.identity());
    }

    private Figure9(UnaryOperator<Way> played) {
        super("9", "Figure 9: four and eight flows, 16 KB beside 128 KB");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("a queue pair each in place of Avatar", new Figure9(way -> Way.OWN)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("foreground", "half of the flows, SENDs of 16 KiB one at a time, up to 5 us apart")
                .setting("background", "the other half, SENDs of 128 KiB, 2 under way")
                .setting("card", "a message in turn, strict class first")
                .setting("seed", String.valueOf(seed));
        List<List<String>> cells = new ArrayList<>();
        List<String> categories = new ArrayList<>();
        List<List<Double>> bars = List.of(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        for (int flows : FLOWS) {
            for (boolean strict : new boolean[] {false, true}) {
                String setting = flows + " flows, " + (strict ? "{Strict, ETS}" : "{Strict, Strict}");
                categories.add(setting);
                Samples own = run(Way.OWN, flows, strict, seed, size);
                bars.get(0).add(own.meanMicros());
                cells.add(row(setting, Way.OWN, own));
                for (int i = 0; i < SHARED.size(); i++) {
                    Samples shared = run(played.apply(SHARED.get(i)), flows, strict, seed, size);
                    bars.get(i + 1).add(shared.meanMicros());
                    cells.add(row(setting, SHARED.get(i), shared));
                    report.claim(claim(SHARED.get(i), setting, flows, strict, shared.meanMicros() / own.meanMicros()));
                }
            }
        }
        PaperPlot plot = new PaperPlot("avatar-figure-9", "16 KiB beside 128 KiB", "flows, classes", "us, mean")
                .categories(categories);
        plot.bars(Way.OWN.title(), bars.get(0));
        for (int i = 0; i < SHARED.size(); i++) {
            plot.bars(SHARED.get(i).title(), bars.get(i + 1));
        }
        return report.table(new DataTable(
                        "Completion of one request of 16 KiB",
                        List.of("setting", "connections", "mean", "50 %", "99 %"),
                        cells))
                .plot(plot);
    }

    private static Samples run(Way way, int flows, boolean strict, long seed, Size size) {
        return new Beside(way, BYTES)
                .background(BACKGROUND)
                .flows(flows / 2, flows / 2)
                .depth(2)
                .urgent(strict)
                .run(seed, size);
    }

    private static List<String> row(String setting, Way way, Samples samples) {
        return List.of(
                setting,
                way.title(),
                Numbers.text(samples.meanMicros(), "us"),
                Numbers.text(samples.micros(MEDIAN), "us"),
                Numbers.text(samples.micros(TAIL), "us"));
    }

    private static Claim claim(Way way, String setting, int flows, boolean strict, double ratio) {
        double change = (ratio - 1) * 100;
        return Claim.judged(
                        "9." + way.name().toLowerCase(Locale.ROOT) + '.' + flows + (strict ? ".strict" : ".same"),
                        setting + ", " + way.title() + ": mean completion against a queue pair each",
                        PAPER,
                        "%",
                        change,
                        change <= ACCEPTED,
                        strict
                                ? "with a strict class of the card's own, what is left to gain is the rest of a message"
                                        + " that has begun; the Worker adds its part"
                                : "turns by segments save less than the Worker and what is under way cost")
                .accepting("≤ " + Numbers.text(ACCEPTED, "%"));
    }
}
