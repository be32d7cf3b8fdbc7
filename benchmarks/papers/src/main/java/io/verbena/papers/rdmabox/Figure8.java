package io.verbena.papers.rdmabox;

import io.verbena.merge.MergeSettings;
import io.verbena.merge.Window;
import io.verbena.nic.poll.Polling;
import io.verbena.nic.sim.Replacement;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Figure 8: what a window for the bytes in flight is worth. The load is that of {@link Figure1} on four queue pairs,
 * through the product's merge queues; the window is what is in flight where the rate without one is highest.
 */
final class Figure8 extends PaperFigure {
    private static final int[] THREADS = {1, 2, 3, 4, 5, 6, 7, 8, 10, 12};
    private static final int[] FEW_THREADS = {4, 6, 7, 8, 12};
    private static final int PAIRS = 4;
    private static final int PAPER_PEAK = 7;
    private static final double PAPER_GAIN = 1.299;
    private static final double GAIN = 1.15;
    private static final double FLAT = 1.1;
    private static final int DEPTH = 16;
    private static final int SEND_DEPTH = 256;
    private static final int MEMORY = 16 << 20;
    private static final int BUFFER = 4 << 20;
    private static final int WARM_NANOS = 200_000;
    private static final int SAMPLE_NANOS = 1_000;
    private static final int FULL_SAMPLES = 300;
    private static final int QUICK_SAMPLES = 150;
    private static final long UNBOUNDED = Long.MAX_VALUE;

    /** What threads write. */
    private enum Load {
        SMALL_DRAWN("512 B at places drawn at random", 512, true, Load.FEW, Load.MISSES),
        SMALL_STREAMS("512 B, each thread from end to end", 512, false, Load.FEW, Load.MISSES),
        DRAWN("1 KiB at places drawn at random", 1 << 10, true, Load.FEW, Load.MISSES),
        PAGES("4 KiB, each thread from end to end", 4 << 10, false, Load.LINK, Load.LINK);

        private static final String FEW =
                "what waits merges, and the window, which is what single requests fill the link"
                        + " with, has room for few of the longer ones";
        private static final String MISSES = "more requests are in flight than the card keeps";
        private static final String LINK =
                "the link is full with few threads, and misses of the cache are hidden behind it";

        /** Those in which the card is short. */
        static final List<Load> SHORTEST = List.of(SMALL_DRAWN, SMALL_STREAMS);

        final String title;
        final int bytes;
        final boolean draws;
        final String ifWindowIsShort; // why it gains nothing with the window
        final String ifWindowIsLong; // or with twice as long a one

        Load(String title, int bytes, boolean draws, String ifWindowIsShort, String ifWindowIsLong) {
            this.title = title;
            this.bytes = bytes;
            this.draws = draws;
            this.ifWindowIsShort = ifWindowIsShort;
            this.ifWindowIsLong = ifWindowIsLong;
        }

        String id() {
            return name().toLowerCase(Locale.ROOT).replace('_', '.');
        }
    }

    /** What some threads come to together: a rate, bytes in flight on average, and work requests a request. */
    private record Point(double mops, double inFlight, double requests, double misses) {}

    /** The same threads without a window and with one, and the most of them with one that is twice as long. */
    private record Curves(List<Point> without, long window, List<Point> with, Point twice) {
        static int peak(List<Point> points) {
            int best = 0;
            for (int i = 1; i < points.size(); i++) {
                best = points.get(i).mops > points.get(best).mops ? i : best;
            }
            return best;
        }

        static Point best(List<Point> points) {
            return points.get(peak(points));
        }
    }

    private final int wqes;
    private final boolean isKept; // the window

    Figure8() {
        this(BoxWorld.WQES, true);
    }

    private Figure8(int wqes, boolean isKept) {
        super("8", "Figure 8: a window for the bytes in flight");
        this.wqes = wqes;
        this.isKept = isKept;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("the card keeps all requests under way", new Figure8(1 << 12, true)),
                new Mutation("the card keeps 16 requests", new Figure8(16, true)),
                new Mutation("nobody keeps to the window", new Figure8(BoxWorld.WQES, false)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int[] threads = size == Size.FULL ? THREADS : FEW_THREADS;
        FigureReport report = new FigureReport(id(), title())
                .setting("requests", "WRITEs, " + DEPTH + " under way a thread, as in figure 1; the paper does not say")
                .setting("queue pairs", PAIRS + ", each with a merge queue (hybrid, copies) for its blocks of 128 KiB")
                .setting("completions", "a thread a queue pair, adaptive polling")
                .setting("window", "what is in flight on average where the rate without a window is highest")
                .setting("card", "NicModel.infiniband40 of physical addresses, keeps " + wqes + " requests")
                .setting("seed", String.valueOf(seed));
        List<Double> counts =
                IntStream.of(threads).mapToObj(each -> (double) each).toList();
        PaperPlot rates = new PaperPlot("rdmabox-figure-8", "WRITEs by four queue pairs", "threads", "Mops");
        PaperPlot flights = new PaperPlot("rdmabox-figure-8-bytes", "In flight", "threads", "bytes").logarithmicY();
        List<List<String>> rows = new ArrayList<>();
        for (Load load : size == Size.FULL ? List.of(Load.values()) : Load.SHORTEST) {
            Curves curves = curves(load, threads, seed, size);
            for (List<Point> points : List.of(curves.without, curves.with)) {
                boolean isWith = points == curves.with;
                String title = load.title + (isWith ? ", window" : "");
                int colour = 2 * load.ordinal() + (isWith ? 1 : 0);
                rates.line(title, counts, points.stream().map(Point::mops).toList(), colour);
                flights.line(title, counts, points.stream().map(Point::inFlight).toList(), colour);
                for (int i = 0; i < threads.length; i++) {
                    rows.add(row(
                            load, isWith ? Numbers.bytes((double) curves.window) : "none", threads[i], points.get(i)));
                }
            }
            rows.add(row(load, Numbers.bytes(2.0 * curves.window), threads[threads.length - 1], curves.twice));
            claims(report, load, threads, curves);
        }
        return report.table(new DataTable(
                        "Threads on four queue pairs",
                        List.of(
                                "requests",
                                "window",
                                "threads",
                                "rate",
                                "in flight",
                                "work requests a request",
                                "misses a request"),
                        rows))
                .plot(rates)
                .plot(flights)
                .note("The window counts what has left and was not taken by who takes completions, who also posts what"
                        + " waited.");
    }

    private static List<String> row(Load load, String window, int threads, Point point) {
        return List.of(
                load.title,
                window,
                String.valueOf(threads),
                Numbers.text(point.mops, "Mops"),
                Numbers.bytes(point.inFlight),
                Numbers.text(point.requests),
                Numbers.text(point.misses));
    }

    private static void claims(FigureReport report, Load load, int[] threads, Curves curves) {
        int peak = threads[Curves.peak(curves.without)];
        double highest = Curves.best(curves.with).mops / Curves.best(curves.without).mops;
        int last = threads.length - 1;
        Point many = curves.without.get(last);
        report.claim(Claim.judged(
                                "8." + load.id() + ".peak",
                                load.title + ": threads with the highest rate without a window",
                                PAPER_PEAK,
                                "",
                                peak,
                                Math.abs(peak - PAPER_PEAK) <= 1,
                                "fewer threads fill the link")
                        .accepting("± 1"))
                .claim(atLeast(
                        load,
                        "highest",
                        "the highest rate with a window by that without",
                        PAPER_GAIN,
                        highest,
                        "where the rate is highest without a window nothing misses: a window keeps more threads from"
                                + " losing that rate, and adds nothing to it"))
                .claim(atLeast(
                        load,
                        "many",
                        "the rate of 12 threads with a window by that without",
                        Double.NaN,
                        curves.with.get(last).mops / many.mops,
                        load.ifWindowIsShort))
                .claim(atLeast(
                        load,
                        "twice",
                        "the rate of 12 threads with a window twice as long by that without",
                        Double.NaN,
                        curves.twice.mops / many.mops,
                        load.ifWindowIsLong))
                .claim(Claim.judged(
                                "8." + load.id() + ".flat",
                                load.title + ": in flight with 12 threads, by the window",
                                "x",
                                curves.with.get(last).inFlight / curves.window,
                                curves.with.get(last).inFlight <= FLAT * curves.window,
                                "single requests are longer than the window")
                        .accepting("≤ " + Numbers.text(FLAT, "x")));
    }

    private static Claim atLeast(Load load, String id, String text, double paper, double gain, String ifNot) {
        return Claim.judged(
                        "8." + load.id() + '.' + id, load.title + ": " + text, paper, "x", gain, gain >= GAIN, ifNot)
                .accepting("≥ " + Numbers.text(GAIN, "x"));
    }

    private Curves curves(Load load, int[] threads, long seed, Size size) {
        List<Point> without = points(load, threads, UNBOUNDED, seed, size);
        long window = Math.max(1, Math.round(Curves.best(without).inFlight));
        return new Curves(
                without,
                window,
                points(load, threads, window, seed, size),
                point(load, threads[threads.length - 1], 2 * window, seed, size));
    }

    private List<Point> points(Load load, int[] threads, long window, long seed, Size size) {
        return IntStream.of(threads) // each a world of its own
                .parallel()
                .mapToObj(each -> point(load, each, window, seed, size))
                .toList();
    }

    private Point point(Load load, int threads, long window, long seed, Size size) {
        BoxWorld world = new BoxWorld(seed, BoxWorld.card(wqes, Replacement.LRU), threads + PAIRS, 1, MEMORY);
        MergeSettings settings = new MergeSettings(true, true, BUFFER, () -> Window.fixed(isKept ? window : UNBOUNDED));
        List<MergingPair> pairs = world.merging(0, PAIRS, settings, SEND_DEPTH, load.bytes);
        for (MergingPair each : pairs) {
            world.cores.start("poller", BoxWorld.poller(world.cores, each.completions(), Polling.adaptive(), 0, each));
        }
        List<MergedWriter> writers = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            MergedWriter writer = new MergedWriter(world, pairs, i, threads, load.draws, DEPTH, load.bytes);
            writers.add(writer);
            world.cores.start("writer " + i, writer);
        }
        world.simulation.runFor(WARM_NANOS);
        writers.forEach(MergedWriter::record);
        long misses = world.nic.wqeMisses();
        long requests = requests(pairs);
        int samples = size == Size.FULL ? FULL_SAMPLES : QUICK_SAMPLES;
        double inFlight = 0;
        for (int i = 0; i < samples; i++) {
            world.simulation.runFor(SAMPLE_NANOS);
            inFlight += pairs.get(0).statistics().bytesInFlight(); // of all of them
        }
        double done = writers.stream().mapToLong(MergedWriter::done).sum();
        return new Point(
                done * 1e3 / ((double) samples * SAMPLE_NANOS),
                inFlight / samples,
                (requests(pairs) - requests) / done,
                (world.nic.wqeMisses() - misses) / done);
    }

    private static long requests(List<MergingPair> pairs) {
        return pairs.stream()
                .mapToLong(each -> each.statistics().workRequests())
                .sum();
    }
}
