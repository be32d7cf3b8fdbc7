package io.verbena.papers.drum;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;

/** Figure 12: mean time and rate of requests of 8 B to 512 KiB, of 50 connections. */
final class Figure12 extends PaperFigure {
    private static final int[] BYTES = {8, 128, 2048, 65_536, 524_288};
    private static final int SMALL = 200;
    private static final int LARGE = 10_000;
    private static final int HUGE = 500_000;
    private static final Way[] WAYS = {Way.RAW, Way.SHARE, Way.DRUM};
    private static final int RAW = 0;
    private static final int SHARE = 1;
    private static final int DRUM = 2;
    private static final int CONNECTIONS = 50;
    private static final int UNDER_WAY = 4; // to 2 KiB; above it one fills the link
    private static final long LOOK_NANOS = 200;
    private static final long MIN_NANOS = 150_000;
    private static final double PAPER_SMALL = 43; // percent, at least
    private static final double PAPER_LARGE = 14.7;
    private static final double PAPER_HUGE_KOPS = 25.6;
    private static final double PAPER_HUGE = 35.9;
    private static final double CLOSE = 0.2;

    private final int multiplexed;

    Figure12() {
        this(SharedNic.MULTIPLEXED);
    }

    private Figure12(int multiplexed) {
        super("12", "Figure 12: requests of 8 B to 512 KiB");
        this.multiplexed = multiplexed;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("a queue pair a connection, whatever the way", new Figure12(1)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting(
                        "requests",
                        "WRITEs, " + UNDER_WAY + " under way on each of " + CONNECTIONS + " connections, one from "
                                + Numbers.text(LARGE) + " B on")
                .setting("seed", String.valueOf(seed));
        PaperPlot times = new PaperPlot("drum-figure-12-a", "Time of a request", "bytes", "us, mean")
                .logarithmicX()
                .logarithmicY();
        PaperPlot rates = new PaperPlot("drum-figure-12-b", "Requests", "bytes", "Kops")
                .logarithmicX()
                .logarithmicY();
        List<Double> lengths = new ArrayList<>();
        double[] capacities = new double[BYTES.length];
        for (int i = 0; i < BYTES.length; i++) {
            lengths.add((double) BYTES[i]);
            capacities[i] = SharedNic.capacity(seed, Math.min(BYTES[i], DrumAgent.PIECE));
        }
        List<List<String>> rows = new ArrayList<>();
        double[][] micros = new double[WAYS.length][BYTES.length];
        double[][] kops = new double[WAYS.length][BYTES.length];
        for (int w = 0; w < WAYS.length; w++) {
            List<Double> means = new ArrayList<>();
            List<Double> done = new ArrayList<>();
            for (int i = 0; i < BYTES.length; i++) {
                int underWay = BYTES[i] < LARGE ? UNDER_WAY : 1;
                long round = (long) BYTES[i] * CONNECTIONS * underWay * 1_000_000_000 / SharedNic.LINK_BYTES;
                long nanos = MIN_NANOS + 3 * round;
                EvenLoad.Run run = new EvenLoad(CONNECTIONS, BYTES[i], 1, underWay, LOOK_NANOS + round / 1000)
                        .run(seed, WAYS[w], capacities[i], multiplexed, MIN_NANOS / 2 + round, nanos);
                micros[w][i] = run.samples().meanMicros();
                kops[w][i] = run.mops() * 1e3;
                means.add(micros[w][i]);
                done.add(kops[w][i]);
                rows.add(List.of(
                        WAYS[w].title,
                        Numbers.text(BYTES[i]),
                        Numbers.text(micros[w][i], "us"),
                        Numbers.text(kops[w][i], "Kops")));
            }
            times.line(WAYS[w].title, lengths, means, WAYS[w].ordinal());
            rates.line(WAYS[w].title, lengths, done, WAYS[w].ordinal());
        }
        judge(report, micros, kops);
        return report.table(new DataTable("Requests", List.of("way", "bytes", "mean", "rate"), rows))
                .plot(times)
                .plot(rates)
                .note("From some KiB on the link is full whatever the way, and the time of N requests under way is N"
                        + " by its rate.");
    }

    private static void judge(FigureReport report, double[][] micros, double[][] kops) {
        double small = Double.POSITIVE_INFINITY;
        double apart = 0;
        double large = Double.POSITIVE_INFINITY;
        double huge = 0;
        double gain = Double.POSITIVE_INFINITY;
        for (int i = 0; i < BYTES.length; i++) {
            double late = micros[SHARE][i] / micros[DRUM][i] - 1;
            if (BYTES[i] <= SMALL) {
                small = Math.min(small, 1 - micros[DRUM][i] / micros[RAW][i]);
            } else if (BYTES[i] < LARGE) {
                apart = Math.max(apart, Math.abs(late));
            } else {
                large = Math.min(large, late);
            }
            if (BYTES[i] >= HUGE) {
                huge = Math.max(huge, kops[DRUM][i]);
                gain = Math.min(gain, kops[DRUM][i] / kops[RAW][i] - 1);
            }
        }
        report.claim(Claim.judged(
                        "12.small",
                        "to 200 B: by how much DRUM's mean time is below RAW's",
                        PAPER_SMALL,
                        "%",
                        small * 100,
                        small * 100 >= PAPER_SMALL,
                        "contexts are not what is short")
                .accepting("≥ " + Numbers.text(PAPER_SMALL, "%")));
        report.claim(Claim.atMost(
                "12.medium",
                "2 KiB: by how much SHARE's mean time is from DRUM's",
                apart,
                CLOSE,
                "the scheduler, or the lock, is what is short"));
        judgeFullLink(report, large, gain, huge);
    }

    private static void judgeFullLink(FigureReport report, double large, double gain, double huge) {
        report.claim(Claim.judged(
                        "12.large",
                        "from 64 KiB on: by how much SHARE's mean time is above DRUM's",
                        PAPER_LARGE,
                        "%",
                        large * 100,
                        large * 100 >= PAPER_LARGE,
                        "the link is what is short, and both fill it")
                .accepting("≥ " + Numbers.text(PAPER_LARGE, "%")));
        report.claim(Claim.judged(
                        "12.huge",
                        "512 KiB: by how much DRUM's rate is above RAW's",
                        PAPER_HUGE,
                        "%",
                        gain * 100,
                        gain * 100 >= PAPER_HUGE,
                        "the link is what is short, and both fill it")
                .accepting("≥ " + Numbers.text(PAPER_HUGE, "%")));
        report.claim(Claim.judged(
                "12.printed",
                "512 KiB: DRUM's rate",
                PAPER_HUGE_KOPS,
                "Kops",
                huge,
                huge >= PAPER_HUGE_KOPS,
                "25.6 Kops of 500 KB are 102 Gb/s, and the link is one of 40"));
    }
}
