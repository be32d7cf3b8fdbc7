package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;
import java.util.function.UnaryOperator;

/** Figure 3a: a flow beside another that has 1 to 64 requests in its queue. */
final class Figure3a extends PaperFigure {
    private static final int[] DEPTHS = {1, 2, 4, 8, 16, 32, 64};
    private static final int AT_4 = 2;
    private static final int AT_8 = 3;
    private static final List<Way> WAYS = List.of(Way.OWN, Way.SPIN, Way.MUX, Way.ROUND_ROBIN);
    private static final int BYTES = 16 << 10;
    private static final double DOUBLE = 2;
    private static final double FLAT = 1.1;

    private final UnaryOperator<Way> played;

    Figure3a() {
        this(UnaryOperator.identity());
    }

    private Figure3a(UnaryOperator<Way> played) {
        super("3a", "Figure 3a: a flow beside one with 1 to 64 requests posted");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("all in the order of one queue pair", new Figure3a(way -> Way.SPIN)),
                new Mutation("all share by turns", new Figure3a(way -> Way.MUX)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("messages", "SENDs of 16 KiB of both; the paper does not say")
                .setting("card", "a message in turn")
                .setting("seed", String.valueOf(seed));
        Sweep times = new Sweep(
                Sweep.titles(WAYS),
                Sweep.points(DEPTHS, 1),
                "us",
                (way, at) -> new Beside(played.apply(WAYS.get(way)), BYTES)
                        .depth(DEPTHS[at])
                        .run(seed, size)
                        .meanMicros());
        report.claim(grows(
                        "3a.own",
                        0,
                        times,
                        "a card that takes queue pairs in turn makes a request wait for one of the other's,"
                                + " however many"
                                + " are posted there"))
                .claim(grows("3a.spin", 1, times, "turns are not taken in the order of posts"));
        for (int way = 2; way < WAYS.size(); way++) {
            double shift = times.last(way) / times.at(way, AT_8);
            report.claim(Claim.judged(
                            way == 2 ? "3a.mux" : "3a.printed",
                            WAYS.get(way).title() + ": beside 64 requests, by beside 8, which keep the line busy",
                            "x",
                            shift,
                            shift <= FLAT,
                            "more of the other's segments are under way")
                    .accepting("≤ " + Numbers.text(FLAT, "x")));
        }
        return report.table(times.table("Mean completion time of 16 KiB", "rival's requests", ""))
                .plot(times.plot(new PaperPlot("avatar-figure-3a", "16 KiB beside another flow", "its requests", "us")
                        .logarithmicX()
                        .logarithmicY()))
                .note("What the paper measured comes out where both flows' requests are in one queue, in the order in"
                        + " which they were posted; whether its two flows had a queue pair each it does not say.");
    }

    private static Claim grows(String id, int way, Sweep times, String ifNot) {
        boolean monotone = true;
        for (int at = 1; at < DEPTHS.length; at++) {
            monotone &= times.at(way, at) >= 0.98 * times.at(way, at - 1);
        }
        double grown = times.last(way) / times.at(way, AT_4);
        return Claim.judged(
                        id,
                        WAYS.get(way).title() + ": the completion time rises with the rival's requests, beside 64 of"
                                + " them by beside 4",
                        "x",
                        grown,
                        monotone && grown >= DOUBLE,
                        ifNot)
                .accepting("≥ " + Numbers.text(DOUBLE, "x"));
    }
}
