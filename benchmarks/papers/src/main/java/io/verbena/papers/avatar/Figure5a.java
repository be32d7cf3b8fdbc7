package io.verbena.papers.avatar;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.List;
import java.util.function.UnaryOperator;

/** Figure 5a: four threads with 16 to 1,024 connections together. */
final class Figure5a extends PaperFigure {
    private static final int[] CONNECTIONS = {16, 32, 64, 128, 256, 512, 1024};
    private static final List<Way> WAYS = List.of(Way.MUX, Way.ROUND_ROBIN, Way.OWN);
    private static final int THREADS = 4;
    private static final int BYTES = 4096;
    private static final int DEPTH = 4;
    private static final double FLAT = 0.1;

    private final UnaryOperator<Way> played;

    Figure5a() {
        this(UnaryOperator.identity());
    }

    private Figure5a(UnaryOperator<Way> played) {
        super("5a", "Figure 5a: four threads with 16 to 1,024 connections");
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("each connection has a queue pair of its own", new Figure5a(way -> Way.OWN)),
                new Mutation("all connections share one", new Figure5a(way -> Way.MUX)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("messages", "SENDs of 4 KiB, " + DEPTH + " under way a connection")
                .setting("threads", THREADS + ", each with its part of the connections, in turn")
                .setting("contexts of the NIC", "20")
                .setting("seed", String.valueOf(seed));
        Sweep rates = new Sweep(
                Sweep.titles(WAYS),
                Sweep.points(CONNECTIONS, 1),
                "Gb/s",
                (way, at) -> new Throughput(played.apply(WAYS.get(way)), THREADS, CONNECTIONS[at], BYTES, DEPTH)
                                .mops(seed, size)
                        * BYTES
                        * Byte.SIZE
                        / 1e3);
        double own = rates.last(2) / rates.at(2, 0);
        return report.claim(flat("5a.mux", 0, rates))
                .claim(flat("5a.printed", 1, rates))
                .claim(Claim.judged(
                                "5a.own",
                                "what sharing is for: with a queue pair each, 1,024 connections by 16",
                                "x",
                                own,
                                own < 1 - FLAT,
                                "contexts are not what is short")
                        .accepting("< " + Numbers.text(1 - FLAT, "x"))
                        .but("that the NIC keeps 20 contexts is an input"))
                .table(rates.table("Bytes handed over", "connections", ""))
                .plot(rates.plot(new PaperPlot("avatar-figure-5a", "4 KiB by connections", "connections", "Gb/s")
                        .logarithmicX()))
                .note("At 4 KiB the line is what bounds the shared queue pair; its Worker has time left.");
    }

    private static Claim flat(String id, int way, Sweep rates) {
        return Claim.atMost(
                id,
                WAYS.get(way).title() + ": by how much the highest rate exceeds the lowest, 16 to 1,024 connections",
                rates.highest(way) / rates.lowest(way) - 1,
                FLAT,
                "the Worker, or what is under way, depends on the number of connections");
    }
}
