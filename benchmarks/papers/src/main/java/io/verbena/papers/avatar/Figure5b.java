package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;
import java.util.Locale;
import java.util.function.UnaryOperator;

/** Figure 5b: threads that share a queue pair through egress queues and a Worker. */
final class Figure5b extends PaperFigure {
    private static final int[] THREADS = {1, 2, 3, 5, 7, 9};
    private static final int LARGE = 4096;
    private static final int SMALL = 64;
    private static final List<Way> WAYS = List.of(Way.MUX, Way.ROUND_ROBIN, Way.SPIN);
    private static final int LOCKED = 2;
    private static final double NO_LOSS = 0.9;
    private static final double GAIN = 1.4;

    private final UnaryOperator<Way> played;

    Figure5b() {
        this(UnaryOperator.identity());
    }

    private Figure5b(UnaryOperator<Way> played) {
        super("5b", "Figure 5b: threads that share a queue pair by a Worker");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("threads share it behind a lock", new Figure5b(way -> Way.SPIN)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("messages", "SENDs of 4 KiB as in the paper, and of 64 B, 32 under way a thread")
                .setting("Worker", "64 KiB and 64 requests under way, all signaled, a doorbell for what it finds")
                .setting("seed", String.valueOf(seed));
        Sweep large = sweep(LARGE, seed, size);
        Sweep small = sweep(SMALL, seed, size);
        for (int way = 0; way < LOCKED; way++) {
            report.claim(loss(way, LARGE, large))
                    .claim(gain(
                            way,
                            LARGE,
                            large,
                            way == 0
                                    ? "the line carries 3.0 Mops of 4 KiB, and 9 threads behind a lock post"
                                            + " most of that"
                                    : "system calls of the Worker, one for each eventfd and one to wait, take as long"))
                    .claim(loss(way, SMALL, small))
                    .claim(gain(way, SMALL, small, "what the Worker does for a message takes as long as the lock"));
        }
        return report.table(large.table("Messages of 4 KiB a second", "threads", ""))
                .table(small.table("Messages of 64 B a second", "threads", ""))
                .plot(large.plot(new PaperPlot("avatar-figure-5b", "One queue pair, 4 KiB", "threads", "Mops")))
                .plot(small.plot(new PaperPlot("avatar-figure-5b-small", "One queue pair, 64 B", "threads", "Mops")));
    }

    private Sweep sweep(int bytes, long seed, Size size) {
        return new Sweep(
                Sweep.titles(WAYS),
                Sweep.points(THREADS, 1),
                "Mops",
                (way, at) -> Throughput.ofThreads(played.apply(WAYS.get(way)), THREADS[at], bytes)
                        .mops(seed, size));
    }

    private static String id(int way, int bytes) {
        return "5b." + WAYS.get(way).name().toLowerCase(Locale.ROOT) + '.' + bytes;
    }

    private static Claim loss(int way, int bytes, Sweep rates) {
        double kept = rates.last(way) / rates.highest(way);
        return Claim.judged(
                        id(way, bytes) + ".loss",
                        WAYS.get(way).title() + ", " + bytes + " B: 9 threads by the best number of threads",
                        "x",
                        kept,
                        kept >= NO_LOSS,
                        "the more threads, the fewer messages each read of an eventfd tells of: a system call"
                                + " more a message")
                .accepting("≥ " + Numbers.text(NO_LOSS, "x"));
    }

    private static Claim gain(int way, int bytes, Sweep rates, String ifNot) {
        double gain = rates.last(way) / rates.last(LOCKED);
        return Claim.judged(
                        id(way, bytes) + ".gain",
                        WAYS.get(way).title() + ", " + bytes + " B: 9 threads by 9 threads behind a spin lock",
                        "x",
                        gain,
                        gain >= GAIN,
                        ifNot)
                .accepting("≥ " + Numbers.text(GAIN, "x"));
    }
}
