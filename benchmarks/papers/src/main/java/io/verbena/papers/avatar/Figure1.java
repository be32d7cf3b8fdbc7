package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;
import java.util.function.UnaryOperator;

/** Figure 1: threads that share a queue pair behind a lock. */
final class Figure1 extends PaperFigure {
    private static final int[] THREADS = {1, 2, 3, 5, 7, 9};
    private static final int AT_3 = 2;
    private static final int AT_9 = 5;
    private static final int SMALL = 64;
    private static final int LARGE = 4096;
    private static final List<Way> WAYS = List.of(Way.OWN, Way.SPIN, Way.MUTEX, Way.FOUR);
    private static final double PAPER_3 = 0.66;
    private static final double PAPER_9 = 0.56;
    private static final double ACCEPTED_3 = 0.75;
    private static final double ACCEPTED_9 = 0.65;
    private static final String INPUT = "what a post, a doorbell and a line take was chosen by the paper's 66 %";

    private final UnaryOperator<Way> played;

    Figure1() {
        this(UnaryOperator.identity());
    }

    private Figure1(UnaryOperator<Way> played) {
        super("1", "Figure 1: threads that share a queue pair behind a lock");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("each thread has a queue pair of its own", new Figure1(way -> Way.OWN)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("messages", "SENDs of 64 B, and of 4 KiB as in figure 5; the paper does not say")
                .setting("under way", "32 a thread, a doorbell each, one of 8 signaled; who polls does it for all")
                .setting("lock", "guards no line but its own, which favours it")
                .setting("seed", String.valueOf(seed));
        Sweep small = sweep(SMALL, seed, size);
        Sweep large = sweep(LARGE, seed, size);
        return report.claim(share("1.spin.3", Way.SPIN, AT_3, small, PAPER_3, ACCEPTED_3)
                        .but(INPUT))
                .claim(share("1.spin.9", Way.SPIN, AT_9, small, PAPER_9, ACCEPTED_9)
                        .but(INPUT + "; that each further thread adds 8 ns is an assumption"))
                .claim(share("1.mutex.3", Way.MUTEX, AT_3, small, PAPER_3, ACCEPTED_3))
                .claim(share("1.mutex.9", Way.MUTEX, AT_9, small, PAPER_9, ACCEPTED_9))
                .claim(large(large))
                .table(small.table("Messages of 64 B a second", "threads", ""))
                .table(large.table("Messages of 4 KiB a second", "threads", ""))
                .plot(small.plot(
                        new PaperPlot("avatar-figure-1", "A queue pair behind a lock, 64 B", "threads", "Mops")))
                .note("\"The result without sharing\" is read as that of one thread with a queue pair of its own: with"
                        + " one each, threads add up until the NIC or the line is short.");
    }

    private Sweep sweep(int bytes, long seed, Size size) {
        return new Sweep(
                Sweep.titles(WAYS),
                Sweep.points(THREADS, 1),
                "Mops",
                (way, at) -> Throughput.ofThreads(played.apply(WAYS.get(way)), THREADS[at], bytes)
                        .mops(seed, size));
    }

    private static Claim share(String id, Way way, int at, Sweep rates, double paper, double accepted) {
        double share = rates.at(WAYS.indexOf(way), at) / rates.at(0, 0);
        return Claim.judged(
                        id,
                        way.title() + ", 64 B: " + THREADS[at] + " threads together, by one thread that shares nothing",
                        paper,
                        "x",
                        share,
                        share <= accepted,
                        "whoever releases it takes it again before the next has woken, so nothing is handed over")
                .accepting("≤ " + Numbers.text(accepted, "x"));
    }

    private static Claim large(Sweep rates) {
        double share = rates.at(WAYS.indexOf(Way.SPIN), AT_9) / rates.at(0, 0);
        return Claim.judged(
                        "1.large",
                        Way.SPIN.title() + ", 4 KiB: 9 threads together, by one thread that shares nothing",
                        PAPER_9,
                        "x",
                        share,
                        share <= ACCEPTED_9,
                        "one thread that shares nothing is bound by the line, 3.0 Mops, and not by its posts")
                .accepting("≤ " + Numbers.text(ACCEPTED_9, "x"));
    }
}
