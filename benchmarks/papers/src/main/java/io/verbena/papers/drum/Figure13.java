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

/**
 * Figures 13 and 14: GETs a second and their time, of 20 to 400 clients on six hosts that READ from one server. The
 * paper's values of 32 B to 1 MB fill the link whatever the way; values here are small, so that NICs are what is short.
 */
final class Figure13 extends PaperFigure {
    private static final int[] CLIENTS = {20, 100, 400};
    private static final Way[] WAYS = {Way.RAW, Way.SHARE, Way.DRUM, Way.CHUNKS};
    private static final int RAW = 0;
    private static final int SHARE = 1;
    private static final int DRUM = 2;
    private static final int MIN_BYTES = 32;
    private static final int MAX_BYTES = 1024;
    private static final String SMALL =
            "values are of 32 B to 1 KiB: the paper's fill the link, and no way is faster then";
    private static final double PRINTED_MEAN_BYTES = (32 + (1 << 20)) / 2.0;
    private static final long WARM_UP_NANOS = 150_000;
    private static final long FULL_NANOS = 300_000;
    private static final long QUICK_NANOS = 150_000;
    private static final long LOOK_NANOS = 1_000;
    private static final int MANY = 300;
    private static final double PAPER_RATE = 1.8;
    private static final double PAPER_TIME = 1.673;
    private static final double PAPER_MICROS = 18;
    private static final double ACCEPTED_RATE = 1.5;
    private static final double ACCEPTED_TIME = 1.4;

    private final int multiplexed;

    Figure13() {
        this(SharedNic.MULTIPLEXED);
    }

    private Figure13(int multiplexed) {
        super("13", "Figures 13 and 14: GETs of 20 to 400 clients");
        this.multiplexed = multiplexed;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation("a queue pair a connection, whatever the way", new Figure13(1)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        double capacity = SharedNic.capacity(seed, MIN_BYTES);
        FigureReport report = new FigureReport(id(), title())
                .setting(
                        "requests", "READs of " + MIN_BYTES + " to " + MAX_BYTES + " B, evenly, one under way a client")
                .setting("hosts", StoreLoad.HOSTS + ", and a server behind one port of 40 Gb/s")
                .setting("SHARE, DRUM", multiplexed + " clients a queue pair")
                .setting("seed", String.valueOf(seed));
        PaperPlot rates = new PaperPlot("drum-figure-13", "GETs", "clients", "Mops");
        PaperPlot times = new PaperPlot("drum-figure-14", "Time of a GET", "clients", "us, mean");
        List<Double> counts = new ArrayList<>();
        for (int clients : CLIENTS) {
            counts.add((double) clients);
        }
        List<List<String>> rows = new ArrayList<>();
        List<List<StoreLoad.Run>> runs = new ArrayList<>(); // as WAYS
        for (Way way : WAYS) {
            List<StoreLoad.Run> of = new ArrayList<>();
            for (int clients : CLIENTS) {
                StoreLoad.Run run = measure(seed, way, clients, capacity, size);
                of.add(run);
                rows.add(List.of(
                        way.title,
                        String.valueOf(clients),
                        Numbers.text(run.mops(), "Mops"),
                        Numbers.text(run.mean(), "us"),
                        Numbers.text(run.samples().micros(10), "us"),
                        Numbers.text(run.samples().micros(90), "us"),
                        Numbers.text(run.misses())));
            }
            runs.add(of);
            rates.line(way.title, counts, of.stream().map(StoreLoad.Run::mops).toList(), way.ordinal());
            times.line(way.title, counts, of.stream().map(StoreLoad.Run::mean).toList(), way.ordinal());
        }
        judge(report, runs);
        return report.table(new DataTable(
                        "GETs",
                        List.of("way", "clients", "rate", "mean", "10 %", "90 %", "contexts missed a GET"),
                        rows))
                .plot(rates)
                .plot(times)
                .note("The server's NIC has a queue pair for each of the clients': 400, or 80 if five share one."
                        + " It keeps contexts of 20. DRUM's scheduler posts what the clients of a queue pair have"
                        + " together, so that they come one after the other there and need the context once; behind"
                        + " a lock they come as they like.")
                .note(printed());
    }

    private static void judge(FigureReport report, List<List<StoreLoad.Run>> runs) {
        double slowest = Double.POSITIVE_INFINITY;
        double longest = Double.POSITIVE_INFINITY;
        double widest = 0;
        for (int i = 0; i < CLIENTS.length; i++) {
            if (CLIENTS[i] >= MANY) {
                StoreLoad.Run drum = runs.get(DRUM).get(i);
                StoreLoad.Run share = runs.get(SHARE).get(i);
                slowest = Math.min(slowest, drum.mops() / share.mops());
                longest = Math.min(longest, share.mean() / drum.mean());
                widest = Math.max(widest, drum.spread() / share.spread());
            }
        }
        String ifNot = "the server's NIC is what is short, and both have as many queue pairs there";
        report.claim(Claim.judged(
                        "13.share",
                        "from 300 clients on DRUM's rate by SHARE's",
                        PAPER_RATE,
                        "x",
                        slowest,
                        slowest >= ACCEPTED_RATE,
                        ifNot)
                .accepting("≥ " + Numbers.text(ACCEPTED_RATE, "x"))
                .but(SMALL));
        report.claim(Claim.judged(
                        "14.share",
                        "from 300 clients on SHARE's mean time by DRUM's",
                        PAPER_TIME,
                        "x",
                        longest,
                        longest >= ACCEPTED_TIME,
                        ifNot)
                .accepting("≥ " + Numbers.text(ACCEPTED_TIME, "x"))
                .but(SMALL));
        report.claim(Claim.judged(
                        "14.spread",
                        "from 300 clients on DRUM's time from 10 % to 90 % is shorter than SHARE's: by it",
                        "x",
                        widest,
                        widest < 1,
                        "locks do not spread times more than the server's queue does")
                .accepting("< 1 x")
                .but(SMALL));
        int last = CLIENTS.length - 1; // most clients
        double raw = runs.get(DRUM).get(last).mops() / runs.get(RAW).get(last).mops();
        report.claim(Claim.judged(
                        "13.raw",
                        "400 clients: DRUM's rate by RAW's",
                        "x",
                        raw,
                        raw > 1,
                        "the server's NIC misses a context a packet with 80 queue pairs as with 400")
                .but(SMALL));
    }

    /** What no 40 Gb/s link can do. */
    private static String printed() {
        double perSecond = StoreLoad.LINK / 8.0 / PRINTED_MEAN_BYTES;
        return "The paper's " + Numbers.text(PAPER_MICROS, "us") + " with " + MANY
                + " clients and values of 32 B to 1 MB"
                + " cannot be: 40 Gb/s carry " + Numbers.text(perSecond / 1e3, "Kops") + " of the mean size, so a GET"
                + " of each of them takes " + Numbers.text(MANY / perSecond * 1e3, "ms") + " at least, on average.";
    }

    private StoreLoad.Run measure(long seed, Way way, int clients, double capacity, Size size) {
        List<StoreLoad.Kind> gets = List.of(new StoreLoad.Kind("GET", 100, MIN_BYTES, MAX_BYTES));
        return new StoreLoad(false, clients, gets, LOOK_NANOS)
                .run(seed, way, capacity, multiplexed, WARM_UP_NANOS, size == Size.FULL ? FULL_NANOS : QUICK_NANOS);
    }
}
