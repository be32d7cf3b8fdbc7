package io.verbena.papers.rdmabox;

import io.verbena.nic.sim.HostCompletionQueue;
import io.verbena.nic.sim.HostQueuePair;
import io.verbena.nic.sim.Replacement;
import io.verbena.nic.sim.SimLock;
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
import java.util.Locale;

/**
 * Figure 1: threads that write by one queue pair. In the paper the rate is highest with 4 threads, and requests in
 * flight and their time go on rising: the card's caches are short. Its size of requests and their number under way are
 * not printed.
 */
final class Figure1 extends PaperFigure {
    private static final int[] THREADS = {1, 2, 3, 4, 5, 6, 8, 10, 12};
    private static final int[] FEW_THREADS = {1, 4, 6, 8, 12};
    private static final int PAPER_PEAK = 4;
    private static final int DEPTH = 16;
    private static final int SEND_DEPTH = 256;
    private static final int MEMORY = 16 << 20;
    private static final int SMALL = 1 << 10;
    private static final int PAGE = 4 << 10;
    private static final int BLOCK = 128 << 10;
    private static final int POLL = 32;
    private static final double DROP = 0.9;
    private static final double RISE = 1.1;

    /** What threads write, and how they share the queue pair. */
    private enum Load {
        BLOCKS("128 KiB, a lock", BLOCK, true, Replacement.LRU, Load.LINK),
        PAGES("4 KiB, a lock", PAGE, true, Replacement.LRU, Load.LINK),
        SMALL_LOCKED(
                "1 KiB, a lock",
                SMALL,
                true,
                Replacement.LRU,
                "the lock is slower than the card, and each thread that waits for it makes it slower"),
        SMALL_FREE("1 KiB, no lock", SMALL, false, Replacement.LRU, "the card is not what is short"),
        SMALL_RANDOM(
                "1 KiB, no lock, cache replaced at random",
                SMALL,
                false,
                Replacement.RANDOM,
                "some requests beyond the cache's number cost some misses: a slope, where the paper has a peak");

        private static final String LINK =
                "the link is full with one thread, and misses of the cache are hidden behind it";

        final String title;
        final int bytes;
        final boolean isLocked;
        final Replacement replacement;
        final String reason; // why there is no peak

        Load(String title, int bytes, boolean isLocked, Replacement replacement, String reason) {
            this.title = title;
            this.bytes = bytes;
            this.isLocked = isLocked;
            this.replacement = replacement;
            this.reason = reason;
        }

        String id() {
            return name().toLowerCase(Locale.ROOT).replace('_', '.');
        }
    }

    /** What some threads come to together. */
    private record Point(double mops, double micros, double inFlight, double misses) {}

    private final int wqes;
    private final boolean sharesDepth; // as many are under way, however many the threads

    Figure1() {
        this(BoxWorld.WQES, false);
    }

    private Figure1(int wqes, boolean sharesDepth) {
        super("1", "Figure 1: threads that write by one queue pair");
        this.wqes = wqes;
        this.sharesDepth = sharesDepth;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("the card keeps all requests under way", new Figure1(1 << 12, false)),
                new Mutation("48 under way, however many the threads", new Figure1(BoxWorld.WQES, true)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        FigureReport report = new FigureReport(id(), title())
                .setting("requests", "WRITEs at places drawn at random, each with a doorbell; the paper does not say")
                .setting("under way", DEPTH + " a thread; the paper does not say")
                .setting("card", "NicModel.infiniband40 of physical addresses, keeps " + wqes + " requests")
                .setting("link", "56 Gb/s")
                .setting("seed", String.valueOf(seed));
        List<Double> counts = new ArrayList<>();
        for (int threads : threads(size)) {
            counts.add((double) threads);
        }
        PaperPlot rates =
                new PaperPlot("rdmabox-figure-1", "WRITEs by one queue pair", "threads", "Mops").logarithmicY();
        PaperPlot times = new PaperPlot("rdmabox-figure-1-time", "Time of a WRITE", "threads", "us").logarithmicY();
        List<List<String>> rows = new ArrayList<>();
        for (Load load : Load.values()) {
            List<Point> points = new ArrayList<>();
            for (int threads : threads(size)) {
                Point point = point(load, threads, seed, size);
                points.add(point);
                rows.add(row(load, threads, point));
            }
            claims(report, load, threads(size), points);
            rates.line(load.title, counts, points.stream().map(Point::mops).toList(), load.ordinal());
            times.line(load.title, counts, points.stream().map(Point::micros).toList(), load.ordinal());
        }
        return report.table(new DataTable(
                        "Threads on one queue pair",
                        List.of("requests", "threads", "rate", "time", "in flight", "misses a request"),
                        rows))
                .plot(rates)
                .plot(times)
                .note("A miss takes 0.5 us of a unit that works while the wire does: where a request takes as long on"
                        + " the wire, misses cost no rate. A lock lets 2.6 million posts a second through, of 0.38 us"
                        + " each, which the card can do.");
    }

    private static int[] threads(Size size) {
        return size == Size.FULL ? THREADS : FEW_THREADS;
    }

    private static void claims(FigureReport report, Load load, int[] threads, List<Point> points) {
        double highest = points.stream().mapToDouble(Point::mops).max().orElseThrow();
        int knee = points.size() - 1;
        while (points.get(knee).mops < DROP * highest) {
            knee--;
        }
        boolean drops = knee > 0 && knee < points.size() - 1;
        Claim drop = Claim.judged(
                        "1." + load.id() + ".peak",
                        load.title + ": the most threads with nine tenths of the highest rate, beyond which it drops",
                        PAPER_PEAK,
                        "",
                        threads[knee],
                        drops && Math.abs(threads[knee] - PAPER_PEAK) <= 1,
                        load.reason)
                .accepting("± 1");
        report.claim(
                drop.holds()
                        ? drop.but("the " + BoxWorld.WQES + " of the cache and the " + DEPTH + " a thread are inputs")
                        : drop);
        Point atPeak = points.get(Arrays.binarySearch(threads, PAPER_PEAK));
        Point last = points.get(points.size() - 1);
        double rise = Math.min(last.inFlight / atPeak.inFlight, last.micros / atPeak.micros);
        report.claim(Claim.judged(
                        "1." + load.id() + ".rises",
                        load.title + ": in flight, and the time of each, with 12 threads by those with 4, the lesser",
                        "x",
                        rise,
                        rise > RISE,
                        "what waits for the lock is not in flight")
                .accepting("> " + Numbers.text(RISE, "x")));
    }

    private static List<String> row(Load load, int threads, Point point) {
        return List.of(
                load.title,
                String.valueOf(threads),
                Numbers.text(point.mops, "Mops"),
                Numbers.text(point.micros, "us"),
                Numbers.text(point.inFlight),
                Numbers.text(point.misses));
    }

    private Point point(Load load, int threads, long seed, Size size) {
        BoxWorld world = new BoxWorld(seed, BoxWorld.card(wqes, load.replacement), threads + 1, 1, MEMORY);
        HostCompletionQueue completions = world.completions();
        HostQueuePair qp = world.connect(0, completions, SEND_DEPTH);
        SimLock lock = load.isLocked ? world.cores.lock(SimLock.Kind.SPIN) : null;
        List<WriterThread> writers = new ArrayList<>();
        int depth = sharesDepth ? Math.max(1, 48 / threads) : DEPTH;
        for (int i = 0; i < threads; i++) {
            WriterThread writer = new WriterThread(world, qp, lock, i, depth, load.bytes);
            writers.add(writer);
            world.cores.start("writer " + i, writer);
        }
        world.cores.start(
                "poller",
                self -> completions.poll(
                        self, each -> writers.get((int) each.wrId()).ended(each), POLL));
        world.simulation.runFor(load.bytes == BLOCK ? 4_000_000 : 200_000);
        writers.forEach(WriterThread::record);
        long misses = world.nic.wqeMisses();
        long nanos = (load.bytes == BLOCK ? 4_000_000L : 300_000) / (size == Size.FULL ? 1 : 2);
        world.simulation.runFor(nanos);
        long done = writers.stream().mapToLong(WriterThread::done).sum();
        double sum = writers.stream().mapToLong(WriterThread::sumNanos).sum();
        return new Point(
                done * 1e3 / nanos, sum / 1e3 / done, sum / nanos, (world.nic.wqeMisses() - misses) / (double) done);
    }
}
