package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;
import java.util.function.UnaryOperator;

/** Figure 3b: 16 KB of the strict class beside messages of 4 to 64 KB of another. */
final class Figure3b extends PaperFigure {
    private static final int KIB = 1024;
    private static final int[] SIZES = {4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB};
    private static final int AT_16_KIB = 1;
    private static final int AT_64_KIB = 2;
    private static final List<Way> WAYS = List.of(Way.OWN, Way.MUX, Way.ROUND_ROBIN);
    private static final int BYTES = 16 * KIB;
    private static final double GROWS = 1.2;
    private static final double FLAT = 1.1;

    private final UnaryOperator<Way> played;

    Figure3b() {
        this(UnaryOperator.identity());
    }

    private Figure3b(UnaryOperator<Way> played) {
        super("3b", "Figure 3b: 16 KB of the strict class beside 4 to 64 KB of another");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("a queue pair each", new Figure3b(way -> Way.OWN)),
                new Mutation("all share by turns", new Figure3b(way -> Way.MUX)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("card", "strict class first, a message that has begun goes on to its end")
                .setting("low priority", "one flow, 2 messages under way; 256 KiB are added to the paper's sizes")
                .setting("seed", String.valueOf(seed));
        Sweep times = new Sweep(
                Sweep.titles(WAYS),
                Sweep.points(SIZES, KIB),
                "us",
                (way, at) -> new Beside(played.apply(WAYS.get(way)), BYTES)
                        .background(SIZES[at])
                        .depth(2)
                        .urgent(true)
                        .run(seed, size)
                        .meanMicros());
        double grown = times.at(0, AT_64_KIB) / times.at(0, 0);
        boolean monotone = times.at(0, 0) < times.at(0, 1) && times.at(0, 1) < times.at(0, AT_64_KIB);
        report.claim(Claim.judged(
                        "3b.own",
                        "a queue pair each: latency rises with the size of low priority, beside 64 KB by beside 4 KB",
                        "x",
                        grown,
                        monotone && grown >= GROWS,
                        "the card stops a message that has begun")
                .accepting("≥ " + Numbers.text(GROWS, "x"))
                .but("that a message that has begun goes on is an input"));
        for (int way = 1; way < WAYS.size(); way++) {
            double shift = times.last(way) / times.at(way, AT_16_KIB);
            report.claim(Claim.judged(
                            way == 1 ? "3b.mux" : "3b.printed",
                            WAYS.get(way).title()
                                    + ": no more than a segment is waited for, beside 256 KB by beside 16 KB",
                            "x",
                            shift,
                            shift <= FLAT,
                            "strict and other segments meet on a queue pair")
                    .accepting("≤ " + Numbers.text(FLAT, "x")));
        }
        return report.table(times.table("Mean latency of 16 KiB of the strict class", "low priority", "KiB"))
                .plot(times.plot(new PaperPlot("avatar-figure-3b", "16 KiB, strict class", "KiB of the other", "us")
                        .logarithmicX()));
    }
}
