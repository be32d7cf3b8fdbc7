package io.verbena.papers.drum;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Figure 10: how long 32 B requests take where 20, 50 and 100 connections have one or four each under way. */
final class Figure10 extends PaperFigure {
    private static final int[] CONNECTIONS = {20, 50, 100};
    private static final int[] ENDS = {20, 100};
    private static final Way[] JUDGED = {Way.RAW, Way.SHARE, Way.DRUM};
    private static final int[] UNDER_WAY = {1, 4};
    private static final double[] PAPER_RAW = {7.1, 26.5, 90.4};
    private static final double[] PAPER_DRUM = {8.8, 14.5, 24.0};
    private static final double PAPER_SHARE_BY_DRUM = 1.7;
    private static final int BYTES = 32;
    private static final long WARM_UP_NANOS = 100_000;
    private static final long FULL_NANOS = 400_000;
    private static final long QUICK_NANOS = 40_000;
    private static final long LOOK_NANOS = 100;
    private static final double FEW = 1.3; // most that DRUM may take by RAW at 20
    private static final double MANY = 3;
    private static final double BY_SHARE = 1.4;

    private final int multiplexed;

    Figure10() {
        this(SharedNic.MULTIPLEXED);
    }

    private Figure10(int multiplexed) {
        super("10", "Figure 10: 32 B requests of 20, 50 and 100 connections");
        this.multiplexed = multiplexed;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("a queue pair a connection, whatever the way", new Figure10(1)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        long nanos = size == Size.FULL ? FULL_NANOS : QUICK_NANOS;
        double capacity = SharedNic.capacity(seed, BYTES);
        FigureReport report = new FigureReport(id(), title())
                .setting(
                        "requests",
                        "WRITEs of " + BYTES + " B, one or four under way; the paper does not say;"
                                + " 1 and 4 are all that were tried")
                .setting("SHARE, DRUM", multiplexed + " connections of an application a queue pair")
                .setting("requests that the NIC takes", Numbers.text(capacity / 1e6, "Mops") + ", measured")
                .setting("seed", String.valueOf(seed));
        PaperPlot plot = new PaperPlot("drum-figure-10", "32 B requests", "connections", "us, 80 %").logarithmicY();
        List<Double> counts = new ArrayList<>();
        int[] connections = size == Size.FULL ? CONNECTIONS : ENDS;
        for (int count : connections) {
            counts.add((double) count);
        }
        List<List<String>> rows = new ArrayList<>();
        for (int underWay : UNDER_WAY) {
            double[][] micros = new double[Way.values().length][]; // by the way
            for (Way way : size == Size.FULL ? Way.values() : JUDGED) {
                List<Double> of = new ArrayList<>();
                for (int count : connections) {
                    EvenLoad.Run run = new EvenLoad(count, BYTES, 1, underWay, LOOK_NANOS)
                            .run(seed, way, capacity, multiplexed, WARM_UP_NANOS, nanos);
                    of.add(run.samples().micros(80));
                    rows.add(row(way, count, underWay, run));
                }
                micros[way.ordinal()] =
                        of.stream().mapToDouble(Double::doubleValue).toArray();
                String label = way.title + ", " + underWay;
                if (underWay == 1) {
                    plot.dashes(label, counts, of, way.ordinal());
                } else {
                    plot.line(label, counts, of, way.ordinal());
                }
            }
            judge(report, underWay, micros);
        }
        plot.points("paper: RAW", boxed(CONNECTIONS), boxed(PAPER_RAW), Way.RAW.ordinal());
        plot.points("paper: DRUM", boxed(CONNECTIONS), boxed(PAPER_DRUM), Way.DRUM.ordinal());
        return report.table(new DataTable(
                        "Time from the post to the completion",
                        List.of("way", "connections", "under way", "50 %", "80 %", "99 %", "requests"),
                        rows))
                .plot(plot)
                .note("Each thread has a core of its own, so who is woken for the mutex gets one at once; the paper's"
                        + " 100 connections are on 24 cores. A hand-over costs five cache lines and, where a thread"
                        + " sleeps, a wake-up of 5 us.")
                .note("DRUM's scheduler takes 115 ns for a request, its line and its post, and its doorbell: that,"
                        + " and not the NIC, is what many connections wait for. Rates bind nobody here.");
    }

    private static List<Double> boxed(int[] values) {
        return boxed(Arrays.stream(values).asDoubleStream().toArray());
    }

    private static List<Double> boxed(double[] values) {
        List<Double> boxed = new ArrayList<>();
        for (double each : values) {
            boxed.add(each);
        }
        return boxed;
    }

    private static List<String> row(Way way, int count, int underWay, EvenLoad.Run run) {
        return List.of(
                way.title,
                String.valueOf(count),
                String.valueOf(underWay),
                Numbers.text(run.samples().micros(50), "us"),
                Numbers.text(run.samples().micros(80), "us"),
                Numbers.text(run.samples().micros(99), "us"),
                Numbers.text(run.mops(), "Mops"));
    }

    private static void judge(FigureReport report, int underWay, double[][] micros) {
        int last = micros[Way.DRUM.ordinal()].length - 1;
        String id = underWay == 1 ? "10.one" : "10.four";
        String where = (underWay == 1 ? "one" : "four") + " under way: ";
        double few = ratio(micros, Way.DRUM, Way.RAW, 0);
        double many = ratio(micros, Way.RAW, Way.DRUM, last);
        double share = ratio(micros, Way.SHARE, Way.DRUM, last);
        report.claim(Claim.judged(
                        id + ".few",
                        where + "DRUM's 80 % time by RAW's, 20 connections",
                        PAPER_DRUM[0] / PAPER_RAW[0],
                        "x",
                        few,
                        few <= FEW,
                        "all contexts fit the NIC, and the agent is two more threads on the way")
                .accepting("≤ " + Numbers.text(FEW, "x")));
        report.claim(Claim.judged(
                        id + ".raw",
                        where + "RAW's 80 % time by DRUM's, 100 connections",
                        PAPER_RAW[PAPER_RAW.length - 1] / PAPER_DRUM[PAPER_DRUM.length - 1],
                        "x",
                        many,
                        many >= MANY,
                        "RAW misses contexts alone where few WQEs are under way, and DRUM waits for its scheduler")
                .accepting("≥ " + Numbers.text(MANY, "x")));
        report.claim(Claim.judged(
                        id + ".share",
                        where + "SHARE's 80 % time by DRUM's, 100 connections",
                        PAPER_SHARE_BY_DRUM,
                        "x",
                        share,
                        share >= BY_SHARE,
                        "20 locks of 5 threads each serve more than one scheduler")
                .accepting("≥ " + Numbers.text(BY_SHARE, "x")));
        double tail = micros[Way.RAW.ordinal()][last] / micros[Way.RAW.ordinal()][0];
        double grows = micros[Way.DRUM.ordinal()][last] / micros[Way.DRUM.ordinal()][0];
        report.claim(Claim.judged(
                id + ".grows",
                where + "from 20 to 100 connections DRUM's 80 % time grows less than RAW's: its growth by RAW's",
                PAPER_DRUM[PAPER_DRUM.length - 1] / PAPER_DRUM[0] / (PAPER_RAW[PAPER_RAW.length - 1] / PAPER_RAW[0]),
                "x",
                grows / tail,
                grows < tail,
                "contexts are not what is short"));
    }

    private static double ratio(double[][] micros, Way of, Way by, int at) {
        return micros[of.ordinal()][at] / micros[by.ordinal()][at];
    }
}
