package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;
import java.util.function.UnaryOperator;

/** Figure 10a: one thread, one connection, 64 B to 256 KB. */
final class Figure10a extends PaperFigure {
    private static final int KIB = 1024;
    private static final int[] SIZES = {64, 256, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB};
    private static final int AT_4_KIB = 3;
    private static final int AT_64_KIB = 5;
    private static final int AT_256_KIB = 6;
    private static final List<Way> WAYS = List.of(Way.OWN, Way.ROUND_ROBIN, Way.MUX);
    private static final double MOST_MICROS = 3;
    private static final double LEAST_MICROS = 0.3;
    private static final double EQUAL = 0.1;
    private static final double PAPER = -37;
    private static final double ACCEPTED = -18;

    private final UnaryOperator<Way> played;

    Figure10a() {
        this(UnaryOperator.identity());
    }

    private Figure10a(UnaryOperator<Way> played) {
        super("10a", "Figure 10a: latency of one connection, 64 B to 256 KB");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("a queue pair each", new Figure10a(way -> Way.OWN)),
                new Mutation(
                        "eventfd and epoll for both", new Figure10a(way -> way == Way.MUX ? Way.ROUND_ROBIN : way)),
                new Mutation(
                        "native by eventfd, Avatar native",
                        new Figure10a(way -> way == Way.OWN ? Way.ROUND_ROBIN : Way.OWN)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("messages", "one at a time, up to 5 us apart")
                .setting("Worker", "polls for 50 us after its last work, so it is awake here")
                .setting("seed", String.valueOf(seed));
        Sweep times = new Sweep(
                Sweep.titles(WAYS),
                Sweep.points(SIZES, KIB),
                "us",
                (way, at) -> new Beside(played.apply(WAYS.get(way)), SIZES[at])
                        .flows(1, 0)
                        .run(seed, size)
                        .meanMicros());
        double least = extra(1, times, true);
        double most = extra(1, times, false);
        return report.claim(Claim.judged(
                                "10a.printed.small",
                                Way.ROUND_ROBIN.title()
                                        + ": extra latency up to 4 KB, the most; the paper says 1 to 3 us",
                                "us",
                                most,
                                least >= LEAST_MICROS && most <= MOST_MICROS,
                                "system calls of the thread and the Worker take less, or more, than they did there")
                        .accepting("0.3 to 3 us"))
                .claim(Claim.judged(
                                "10a.mux.small",
                                Way.MUX.title() + ": the same with a list in place of eventfd and epoll",
                                "us",
                                extra(2, times, false),
                                extra(2, times, false) <= LEAST_MICROS,
                                "the request goes by way of another thread, and so does its completion: a line"
                                        + " each, and"
                                        + " what that thread's loop takes")
                        .accepting("≤ 0.3 us"))
                .claim(equal(times))
                .claim(large(times))
                .table(times.table("Mean latency", "message", "KiB"))
                .plot(times.plot(new PaperPlot("avatar-figure-10a", "One connection", "KiB of a message", "us")
                        .logarithmicX()
                        .logarithmicY()))
                .note("A Worker of its own stands for a NIC that asks no source. In the product's channels"
                        + " the thread that"
                        + " sends moves its own requests if nobody else does: there is no such thread"
                        + " to go by.");
    }

    private static double extra(int way, Sweep times, boolean least) {
        double extra = times.at(way, 0) - times.at(0, 0);
        for (int at = 1; at <= AT_4_KIB; at++) {
            double here = times.at(way, at) - times.at(0, at);
            extra = least ? Math.min(extra, here) : Math.max(extra, here);
        }
        return extra;
    }

    private static Claim equal(Sweep times) {
        double ratio = times.at(1, AT_64_KIB) / times.at(0, AT_64_KIB);
        return Claim.nearComputed(
                "10a.printed.equal",
                Way.ROUND_ROBIN.title() + ": as long as native at 64 KB",
                1,
                "x",
                ratio,
                EQUAL,
                "what the Worker adds is a larger part of less than 10 us");
    }

    private static Claim large(Sweep times) {
        double change = (times.at(1, AT_256_KIB) / times.at(0, AT_256_KIB) - 1) * 100;
        return Claim.judged(
                        "10a.printed.large",
                        Way.ROUND_ROBIN.title() + ": shorter than native at 256 KB",
                        PAPER,
                        "%",
                        change,
                        change <= ACCEPTED,
                        "the simulated NIC sends the packets of one request as close to each other as those of"
                                + " several, so segments have nothing to gain")
                .accepting("≤ " + Numbers.text(ACCEPTED, "%"));
    }
}
