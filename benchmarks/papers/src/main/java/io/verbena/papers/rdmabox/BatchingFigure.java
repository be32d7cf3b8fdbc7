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
    private static final double MIN_REQUESTS = 0.83;
    private static final double MAX_REQUESTS = 0.9;
    private static final double MAX_P99 = 1.05;

    private static final List<String> HEADS = List.of(
            "mix",
            "window",
            "way",
            "faults/s",
            "by single",
            "p99, us",
            "by single",
            "work requests a request",
            "doorbells a request");

    /** What threads do, and what the paper says of merging there. */
    private enum Load {
        ETC(0.05, 1.236),
        SYS(0.25, 1.244),
        /** One thread that reads one page at a time. */
        LONE(0, Double.NaN);

        static final List<Load> PAGING = List.of(ETC, SYS);

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
                try (PagingRun paging = new PagingRun(THREADS, PagingThread.CLUSTER, window, seed)) {
                    for (Load load : Load.PAGING) {
                        Mix mix = measure(paging, load, window, rounds, nanos);
                        judge(report, mix);
                        PagingRun.WAYS.forEach(way -> rows.add(row(mix, way)));
                    }
                }
            }
            report.table(new DataTable("Ways to batch", HEADS, rows));
            lone(report, rounds, nanos, seed);
        } catch (IOException e) {
            throw new RunException("no socket: " + e.getMessage(), e);
        }
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
        requests(report, mix, "1." + id, where);
        rates(report, mix, "6." + id, where);
        report.claim(latency(mix, "7." + id, where, "who drains for others is late itself"));
    }

    /** Table I. */
    private static void requests(FigureReport report, Mix mix, String id, String where) {
        double hybrid = mix.median(Merging.HYBRID, BatchingFigure::requests);
        double chained = mix.median(Merging.DOORBELL, BatchingFigure::requests);
        double rung = mix.median(Merging.DOORBELL, BatchingFigure::doorbells);
        double most = Math.max(
                rung,
                Math.max(
                        mix.median(Merging.MERGE, BatchingFigure::doorbells),
                        mix.median(Merging.HYBRID, BatchingFigure::doorbells)));
        report.claim(Claim.judged(
                                id + ".requests",
                                where + ": merging needs 10 to 17 % fewer work requests",
                                PAPER_REQUESTS,
                                "x",
                                hybrid,
                                hybrid >= MIN_REQUESTS && hybrid <= MAX_REQUESTS,
                                hybrid > MAX_REQUESTS
                                        ? "few requests meet in the queue"
                                        : "what waits for the window is whole clusters of neighbours: more merges than"
                                                + " in the paper")
                        .accepting(Numbers.text(MIN_REQUESTS) + " to " + Numbers.text(MAX_REQUESTS, "x")))
                .claim(Claim.judged(
                                id + ".chained",
                                where + ": doorbells for several change nothing in the number of work requests",
                                1,
                                "x",
                                chained,
                                chained == 1,
                                "some were merged")
                        .accepting("1 x"))
                .claim(Claim.judged(
                                id + ".doorbells",
                                where + ": doorbells for several need fewer of them",
                                "a request",
                                rung,
                                rung <= MAX_REQUESTS,
                                "few requests meet in the queue")
                        .accepting("≤ " + Numbers.text(MAX_REQUESTS)))
                .claim(Claim.judged(
                                id + ".mmios",
                                where + ": all but single requests ring fewer doorbells: the most",
                                "a request",
                                most,
                                most < mix.median(Merging.SINGLE, BatchingFigure::doorbells),
                                "no requests meet in the queue")
                        .accepting("< that of single"));
    }

    private static void rates(FigureReport report, Mix mix, String id, String where) {
        double merged = mix.ratio(Merging.MERGE, PagingRun.Result::faults);
        double hybrid = mix.ratio(Merging.HYBRID, PagingRun.Result::faults);
        double chained = mix.ratio(Merging.DOORBELL, PagingRun.Result::faults);
        double least = Math.min(chained, Math.min(merged / chained, hybrid / merged));
        report.claim(Claim.judged(
                        id + ".merge",
                        where + ": merging is faster than single requests",
                        mix.load().paperMerge,
                        "x",
                        merged,
                        merged > 1,
                        "what a request costs here is not the card's"))
                .claim(Claim.judged(
                        id + ".hybrid",
                        where + ": hybrid is faster than doorbells alone",
                        "x",
                        hybrid / chained,
                        hybrid > chained,
                        "a work request less saves little beside a doorbell less"))
                .claim(Claim.judged(
                                id + ".order",
                                where + ": hybrid is faster than merging, that than doorbells for several, that than"
                                        + " single requests: the least of these ratios",
                                "x",
                                least,
                                least > 1,
                                "what a request or a doorbell less saves here is the processor's time, and no card's:"
                                        + " the ways are near each other")
                        .accepting("> 1 x"));
    }

    private static Claim latency(Mix mix, String id, String where, String ifNot) {
        double latency = mix.ratio(Merging.HYBRID, BatchingFigure::p99);
        return Claim.judged(
                        id,
                        where + ": hybrid's p99 by that of single requests",
                        "x",
                        latency,
                        latency <= MAX_P99,
                        ifNot)
                .accepting("≤ " + Numbers.text(MAX_P99));
    }

    /** Nothing waits in the hope that it merges: what comes alone is posted at once, as it is. */
    private static void lone(FigureReport report, int rounds, long nanos, long seed) throws IOException {
        try (PagingRun paging = new PagingRun(1, 1, RegionOptions.DEFAULT_WINDOW, seed)) {
            Mix mix = measure(paging, Load.LONE, RegionOptions.DEFAULT_WINDOW, rounds, nanos);
            double farthest = 1; // from one
            for (PagingRun.Result each :
                    mix.rounds().stream().flatMap(List::stream).toList()) {
                farthest = farther(farther(farthest, requests(each)), doorbells(each));
            }
            report.claim(latency(
                            mix,
                            "7.lone",
                            "a page at a time",
                            "a machine on which others run: one request is posted the same way by each of them"))
                    .claim(Claim.judged(
                                    "7.lone.alone",
                                    "a page at a time: each way posts a work request and rings for each, the farthest",
                                    "a request",
                                    farthest,
                                    farthest == 1,
                                    "something has waited for others")
                            .accepting("1"))
                    .table(new DataTable(
                            "A page at a time",
                            HEADS,
                            PagingRun.WAYS.stream().map(way -> row(mix, way)).toList()));
        }
    }

    private static double farther(double one, double other) {
        return Math.abs(other - 1) > Math.abs(one - 1) ? other : one;
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
