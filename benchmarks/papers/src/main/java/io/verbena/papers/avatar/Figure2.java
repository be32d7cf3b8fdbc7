package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;
import java.util.function.UnaryOperator;

/** Figure 2: 1 KB messages beside a flow of 1 KB to 1 MB in the same class. */
final class Figure2 extends PaperFigure {
    private static final String CARD = "that the card takes a message in turn is an input: by packets it does not hold";
    private static final int KIB = 1024;
    private static final int[] SIZES = {
        KIB, 4 * KIB, 16 * KIB, 32 * KIB, 64 * KIB, 128 * KIB, 256 * KIB, 512 * KIB, 1024 * KIB
    };
    private static final int AT_64_KIB = 4;
    private static final List<Way> WAYS = List.of(Way.OWN, Way.MUX, Way.ROUND_ROBIN);
    private static final double DOUBLE = 2;
    private static final double FLAT = 1.1;

    private final UnaryOperator<Way> played;

    Figure2() {
        this(UnaryOperator.identity());
    }

    private Figure2(UnaryOperator<Way> played) {
        super("2", "Figure 2: 1 KB messages beside a flow of 1 KB to 1 MB");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("a queue pair each", new Figure2(way -> Way.OWN)),
                new Mutation("all share one", new Figure2(way -> Way.MUX)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("card", "a message in turn, as the paper finds")
                .setting("background", "one flow of the same class, 2 messages under way")
                .setting("segments", "16 KiB, 64 KiB of them under way")
                .setting("seed", String.valueOf(seed));
        Sweep times = new Sweep(
                Sweep.titles(WAYS),
                Sweep.points(SIZES, KIB),
                "us",
                (way, at) -> new Beside(played.apply(WAYS.get(way)), KIB)
                        .background(SIZES[at])
                        .depth(2)
                        .run(seed, size)
                        .meanMicros());
        claims(report, times);
        return report.table(times.table("Mean latency of 1 KB", "background", "KiB"))
                .plot(times.plot(
                        new PaperPlot("avatar-figure-2", "1 KB beside one flow", "KiB of the other's messages", "us")
                                .logarithmicX()
                                .logarithmicY()));
    }

    private static void claims(FigureReport report, Sweep times) {
        int last = SIZES.length - 1;
        double grows = times.last(0) / times.at(0, AT_64_KIB);
        report.claim(Claim.judged(
                        "2.own",
                        "a queue pair each: mean latency beside 1 MB, by that beside 64 KB",
                        "x",
                        grows,
                        grows >= DOUBLE,
                        "the card takes turns by less than a message")
                .accepting("≥ " + Numbers.text(DOUBLE, "x"))
                .but(CARD));
        int at = 0;
        while (at < last && times.at(0, at + 1) < DOUBLE * times.at(0, 0)) {
            at++;
        }
        report.claim(Claim.judged(
                        "2.knee",
                        "a queue pair each: the longest messages that do not double the latency beside 1 KB",
                        64,
                        "KiB",
                        (double) SIZES[at] / KIB,
                        at == AT_64_KIB || at == AT_64_KIB + 1,
                        "half of the other's message is waited for on average, 2.6 us of 64 KiB at 100 Gb/s:"
                                + " how long a message"
                                + " may be until that doubles the latency depends on what the host adds to it")
                .accepting("64 or 128 KiB")
                .but(CARD));
        for (int i = 1; i < WAYS.size(); i++) {
            double shift = times.last(i) / times.at(i, AT_64_KIB);
            report.claim(Claim.judged(
                            i == 1 ? "2.mux" : "2.printed",
                            WAYS.get(i).title() + ": the same beside 1 MB, by beside 64 KB",
                            "x",
                            shift,
                            shift <= FLAT,
                            "more of the other's segments are under way the longer its messages are")
                    .accepting("≤ " + Numbers.text(FLAT, "x")));
        }
    }
}
