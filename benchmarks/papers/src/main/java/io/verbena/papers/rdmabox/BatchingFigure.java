package io.verbena.papers.rdmabox;

import io.verbena.Merging;
import io.verbena.RegionOptions;
import io.verbena.bench.report.Machine;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * Figures 6 and 7 and table I: paging by single requests, with doorbells for several, with adjacent ones merged, and
 * with both, all of it with buffers that are registered beforehand (preMR). The paper's hybrid is of buffers that are
 * registered for each request, and a card's; here a request costs the processor's time and not a card's.
 */
final class BatchingFigure extends PaperFigure {
    private static final int THREADS = 8;

    /** A quarter of what all threads ask for at a time: the others wait, as they do where a card or a peer is short. */
    private static final long SHORT = 64 << 10;

    private static final List<Long> WINDOWS = List.of(RegionOptions.DEFAULT_WINDOW, SHORT);
    private static final double PAPER_REQUESTS = 11.5 / 13.2;
    private static final double MAX_REQUESTS = 0.9;
    private static final double MAX_P99 = 1.05;

    /** What threads do, and what the paper says of merging there. */
    private enum Load {
        ETC(0.05, 1.236),
        SYS(0.25, 1.244);

        final double writes;
        final double paperMerge;

        Load(double writes, double paperMerge) {
            this.writes = writes;
            this.paperMerge = paperMerge;
        }
    }

    BatchingFigure() {
        super("batching", "Figures 6 and 7, table I: single, doorbell, merge, hybrid");
    }

    /** Times and chances are of this machine. */
    @Override
    public boolean isRepeatable() {
        return false;
    }

    /** Of one load, the rounds of each of {@link PagingRun#WAYS}. */
    private record Mix(Load load, long window, List<List<PagingRun.Result>> rounds) {
        List<PagingRun.Result> of(Merging way) {
            return rounds.get(PagingRun.WAYS.indexOf(way));
        }

        /** The median over rounds of what a way has by what single requests have in the same round. */
        double ratio(Merging way, ToDoubleFunction<PagingRun.Result> figure) {
            List<PagingRun.Result> mine = of(way);
            List<PagingRun.Result> single = of(Merging.SINGLE);
            double[] ratios = new double[mine.size()];
            for (int i = 0; i < ratios.length; i++) {
                ratios[i] = figure.applyAsDouble(mine.get(i)) / figure.applyAsDouble(single.get(i));
            }
            return median(ratios);
        }

        double median(Merging way, ToDoubleFunction<PagingRun.Result> figure) {
            return median(of(way).stream().mapToDouble(figure).toArray());
        }

        private static double median(double[] values) {
            Arrays.sort(values);
            return values[values.length / 2];
        }
    }

    @Override
    public FigureReport run(long seed, Size size) {
        boolean full = size == Size.FULL;
        int rounds = full ? 7 : 1;
        long nanos = TimeUnit.MILLISECONDS.toNanos(full ? 700 : 100);
        FigureReport report = new FigureReport(id(), title())
                .setting("machine", Machine.here().text())
                .setting("paging", THREADS + " threads, clusters of 8 pages of 4 KiB by Zipf's law, a request a page")
                .setting("mixes", "ETC: 5 % of the faults write a cluster first; SYS: 25 %");
        List<List<String>> rows = new ArrayList<>();
        try {
            for (long window : WINDOWS) {
                try (PagingRun paging = new PagingRun(THREADS, window, seed)) {
                    for (Load load : Load.values()) {
                        Mix mix = measure(paging, load, window, rounds, nanos);
                        judge(report, mix);
                        PagingRun.WAYS.forEach(way -> rows.add(row(mix, way)));
                    }
                }
            }
        } catch (IOException e) {
            throw new RunException("no socket: " + e.getMessage(), e);
        }
        report.table(new DataTable(
                "Ways to batch",
                List.of(
                        "mix",
                        "window",
                        "way",
                        "faults/s",
                        "by single",
                        "p99, us",
                        "by single",
                        "work requests a request",
                        "doorbells a request"),
                rows));
        return report.note("Medians of rounds in which the ways take turns; ratios are of the same round.");
    }

    private static Mix measure(PagingRun paging, Load load, long window, int rounds, long nanos) {
        Mix mix = new Mix(load, window, new ArrayList<>());
        for (Merging way : PagingRun.WAYS) {
            mix.rounds().add(new ArrayList<>());
            paging.run(way, load.writes, nanos); // for the compilers
        }
        for (int round = 0; round < rounds; round++) {
            for (Merging way : PagingRun.WAYS) {
                mix.of(way).add(paging.run(way, load.writes, nanos));
            }
        }
        return mix;
    }

    private static double requests(PagingRun.Result result) {
        return result.workRequests() / (double) result.operations();
    }

    private static double doorbells(PagingRun.Result result) {
        return result.doorbells() / (double) result.operations();
    }

    private static double p99(PagingRun.Result result) {
        return result.latency().p99();
    }

    private static void judge(FigureReport report, Mix mix) {
        boolean isShort = mix.window() == SHORT;
        String id = mix.load().name().toLowerCase(Locale.ROOT) + (isShort ? ".short" : "");
        String where = mix.load() + (isShort ? ", most requests wait for a window of 64 KiB" : "");
        double merged = mix.ratio(Merging.MERGE, PagingRun.Result::faults);
        double hybrid = mix.ratio(Merging.HYBRID, PagingRun.Result::faults);
        double chained = mix.ratio(Merging.DOORBELL, PagingRun.Result::faults);
        report.claim(Claim.judged(
                        "1." + id + ".requests",
                        where + ": merging needs fewer work requests",
                        PAPER_REQUESTS,
                        "x",
                        mix.median(Merging.HYBRID, BatchingFigure::requests),
                        mix.median(Merging.HYBRID, BatchingFigure::requests) <= MAX_REQUESTS,
                        "few requests meet in the queue")
                .accepting("≤ " + Numbers.text(MAX_REQUESTS)));
        report.claim(Claim.judged(
                "1." + id + ".doorbells",
                where + ": doorbells for several need fewer of them",
                "a request",
                mix.median(Merging.DOORBELL, BatchingFigure::doorbells),
                mix.median(Merging.DOORBELL, BatchingFigure::doorbells) <= MAX_REQUESTS,
                "few requests meet in the queue"));
        report.claim(Claim.judged(
                "6." + id + ".merge",
                where + ": merging is faster than single requests",
                mix.load().paperMerge,
                "x",
                merged,
                merged > 1,
                "what a request costs here is not the card's"));
        report.claim(Claim.judged(
                "6." + id + ".hybrid",
                where + ": hybrid is faster than doorbells alone",
                "x",
                hybrid / chained,
                hybrid > chained,
                "a work request less saves little beside a doorbell less"));
        double latency = mix.ratio(Merging.HYBRID, BatchingFigure::p99);
        report.claim(Claim.judged(
                        "7." + id,
                        where + ": hybrid's p99 by that of single requests",
                        "x",
                        latency,
                        latency <= MAX_P99,
                        "who drains for others is late itself")
                .accepting("≤ " + Numbers.text(MAX_P99)));
    }

    private static List<String> row(Mix mix, Merging way) {
        return List.of(
                mix.load().name(),
                Numbers.bytes((double) mix.window()),
                way.name().toLowerCase(Locale.ROOT),
                Numbers.text(Math.rint(mix.median(way, PagingRun.Result::faults))),
                Numbers.text(mix.ratio(way, PagingRun.Result::faults)),
                Numbers.micros(mix.median(way, BatchingFigure::p99)),
                Numbers.text(mix.ratio(way, BatchingFigure::p99)),
                Numbers.text(mix.median(way, BatchingFigure::requests)),
                Numbers.text(mix.median(way, BatchingFigure::doorbells)));
    }
}
