package io.verbena.papers.drum;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.figures.Samples;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Figures 15 and 16: what a key-value store and Redis do, one-sided, with READs and WRITEs of a server's memory, and
 * two-sided, with requests that its processor answers. A GET is a READ, a PUT or SET a WRITE, a PING a READ of 16 B.
 */
final class StoreFigure extends PaperFigure {
    private static final Way[] WAYS = {Way.RAW, Way.SHARE, Way.DRUM};
    private static final String STORE = "15";
    private static final String TWO_SIDED = "-two-sided";
    private static final int RAW = 0;
    private static final int SHARE = 1;
    private static final int DRUM = 2;
    private static final int CLIENTS = 300;
    private static final int CAPACITY_BYTES = 32;
    private static final double SHORTER = 1.4; // least that RAW takes by DRUM
    private static final long LOOK_NANOS = 1_000;
    private static final long LONG_LOOK_NANOS = 4_000;
    private static final String STORE_NOTE =
            "Small values leave the link idle behind RAW, whose server misses two contexts an operation. GETs come back"
                    + " by the other direction of the link than PUTs go: half of each is more than either.";
    private static final String TWO_SIDED_NOTE =
            "The server's NIC has two messages an operation, which need the contexts of the same queue pair, so DRUM"
                    + " gains less than one-sided. Here it is still more than the paper's 10 to 21 %.";
    private static final String REDIS_NOTE =
            "Values to 64 KiB fill the link whatever the way. What DRUM gains is that a PING does not wait for the"
                    + " values before it: its agent cuts them, and the arbiter takes applications in turn. The paper's"
                    + " values of up to 512 MB cannot have a mean time of 9 us: 40 Gb/s carry 45 KB in it.";

    /** A load of figure 15 is run by itself; the kinds of figure 16 stand side by side. */
    private final List<StoreLoad> loads;

    private final String setting;
    private final Gains gains;
    private final long warmUpNanos; // half of what is measured
    private final int multiplexed;

    /**
     * What is to be gained with DRUM.
     *
     * @param rateByRaw its rate by RAW's, in the paper
     * @param leastByRaw the least to be accepted
     * @param rateByShare its rate by SHARE's; 0 for no claim
     * @param timesByRaw RAW's times by its own; empty for no claim
     */
    private record Gains(double rateByRaw, double leastByRaw, double rateByShare, List<Double> timesByRaw) {}

    private StoreFigure(
            String id, String setting, List<StoreLoad> loads, Gains gains, long warmUpNanos, int multiplexed) {
        super(
                id + (loads.get(0).twoSided() ? TWO_SIDED : ""),
                "Figure " + id + ": " + (loads.get(0).twoSided() ? "two" : "one") + "-sided "
                        + (id.equals(STORE) ? "key-value store" : "Redis"));
        this.setting = setting;
        this.loads = loads;
        this.gains = gains;
        this.warmUpNanos = warmUpNanos;
        this.multiplexed = multiplexed;
    }

    static StoreFigure figure15(boolean twoSided) {
        return figure15(twoSided, SharedNic.MULTIPLEXED);
    }

    private static StoreFigure figure15(boolean twoSided, int multiplexed) {
        List<StoreLoad> loads = new ArrayList<>();
        for (int reads : new int[] {95, 50, 0}) {
            String name = (100 - reads) + " % PUT";
            loads.add(new StoreLoad(twoSided, CLIENTS, List.of(new StoreLoad.Kind(name, reads, 32, 1024)), LOOK_NANOS));
        }
        return new StoreFigure(
                STORE,
                "values of 32 to 1024 B, evenly; 5, 50 and 100 % PUT",
                loads,
                twoSided ? new Gains(1.1, 1.05, 0, List.of()) : new Gains(1.392, 1.392, 1.281, List.of()),
                150_000,
                multiplexed);
    }

    static StoreFigure figure16(boolean twoSided) {
        return figure16(twoSided, SharedNic.MULTIPLEXED);
    }

    private static StoreFigure figure16(boolean twoSided, int multiplexed) {
        List<StoreLoad.Kind> kinds = List.of(
                new StoreLoad.Kind("SET", 0, 10, 65_536),
                new StoreLoad.Kind("GET", 100, 10, 65_536),
                new StoreLoad.Kind("PING", 100, 16, 16));
        return new StoreFigure(
                "16",
                "values of 10 B to 64 KiB, evenly; a third of the clients each for SET, GET and PING, side by side",
                List.of(new StoreLoad(twoSided, CLIENTS, kinds, LONG_LOOK_NANOS)),
                new Gains(1.378, 1.378, 0, List.of(16 / 9.1, 21.8 / 9, 12.4 / 7.1)),
                2_000_000,
                multiplexed);
    }

    private boolean isTwoSided() {
        return loads.get(0).twoSided();
    }

    private boolean isStore() {
        return id().startsWith(STORE);
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation(
                "a queue pair a connection, whatever the way",
                isStore() ? figure15(isTwoSided(), 1) : figure16(isTwoSided(), 1)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        long nanos = 2 * warmUpNanos;
        List<StoreLoad> some = size == Size.FULL ? loads : loads.subList(0, 1);
        double capacity = SharedNic.capacity(seed, CAPACITY_BYTES);
        FigureReport report = new FigureReport(id(), title())
                .setting("clients", CLIENTS + " on " + StoreLoad.HOSTS + " hosts, one operation under way each")
                .setting("operations", setting)
                .setting("seed", String.valueOf(seed));
        List<String> titles = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        List<List<Double>> means = new ArrayList<>(); // as WAYS, then as titles
        List<List<Double>> rates = new ArrayList<>();
        for (Way way : WAYS) {
            List<Double> mean = new ArrayList<>();
            List<Double> rate = new ArrayList<>();
            titles.clear();
            for (StoreLoad load : some) {
                StoreLoad.Run run = load.run(seed, way, capacity, multiplexed, warmUpNanos, nanos);
                for (int i = 0; i < load.kinds().size(); i++) {
                    Samples samples = run.byKind().get(i);
                    titles.add(load.kinds().get(i).title());
                    mean.add(samples.meanMicros());
                    rate.add(samples.size() * 1e3 / nanos);
                    rows.add(List.of(
                            way.title,
                            load.kinds().get(i).title(),
                            Numbers.text(samples.meanMicros(), "us"),
                            Numbers.text(samples.micros(90), "us"),
                            Numbers.text(samples.size() * 1e3 / nanos, "Mops"),
                            Numbers.text(run.misses())));
                }
            }
            means.add(mean);
            rates.add(rate);
        }
        judge(report, titles, means, rates);
        if (isTwoSided() && isStore()) {
            compare(report, seed, capacity, some, rates);
        }
        if (isTwoSided()) {
            report.note("The server has " + StoreServer.THREADS + " threads with a core each, and "
                    + StoreServer.SERVICE_NANOS + " ns of work with each operation beside polls and posts; the paper"
                    + " says neither. A request is a WRITE with an immediate, and so is known without a look for it.");
        }
        return report.table(new DataTable(
                        "Operations",
                        List.of("way", "operations", "mean", "90 %", "rate", "contexts missed an operation, of all"),
                        rows))
                .plot(plot("a", "Time of an operation", "us, mean", titles, means))
                .plot(plot("b", "Operations", "Mops", titles, rates))
                .note("The paper does not say how many clients there are: " + CLIENTS + " here.")
                .note(isStore() ? (isTwoSided() ? TWO_SIDED_NOTE : STORE_NOTE) : REDIS_NOTE);
    }

    /** The same operations one-sided: what DRUM gains there is more. */
    private void compare(
            FigureReport report, long seed, double capacity, List<StoreLoad> some, List<List<Double>> rates) {
        for (int i = 0; i < some.size(); i++) {
            StoreLoad load = new StoreLoad(false, CLIENTS, some.get(i).kinds(), LOOK_NANOS);
            double raw = load.run(seed, Way.RAW, capacity, multiplexed, warmUpNanos, 2 * warmUpNanos)
                    .mops();
            double drum = load.run(seed, Way.DRUM, capacity, multiplexed, warmUpNanos, 2 * warmUpNanos)
                    .mops();
            double here = rates.get(DRUM).get(i) / rates.get(RAW).get(i);
            String what = load.kinds().get(0).title();
            report.claim(Claim.judged(
                            claim(what) + ".less",
                            what + ": DRUM's rate by RAW's one-sided, by the same two-sided",
                            1.392 / 1.21,
                            "x",
                            drum / raw / here,
                            drum / raw > here,
                            "the server's NIC has two messages an operation, and contexts for both")
                    .accepting("> 1 x"));
        }
    }

    private String claim(String title) {
        return id() + "." + title.replace(" % ", "").toLowerCase(Locale.ROOT);
    }

    private PaperPlot plot(String part, String title, String unit, List<String> titles, List<List<Double>> values) {
        PaperPlot plot =
                new PaperPlot("drum-figure-" + id() + "-" + part, title, "operations", unit).categories(titles);
        for (int w = 0; w < WAYS.length; w++) {
            plot.bars(WAYS[w].title, values.get(w));
        }
        return plot;
    }

    private void judge(FigureReport report, List<String> titles, List<List<Double>> means, List<List<Double>> rates) {
        for (int i = 0; i < titles.size(); i++) {
            String what = titles.get(i) + ": ";
            String claim = claim(titles.get(i));
            double time = means.get(RAW).get(i) / means.get(DRUM).get(i);
            double rate = rates.get(DRUM).get(i) / rates.get(RAW).get(i);
            if (!gains.timesByRaw.isEmpty()) {
                double paper = gains.timesByRaw.get(i);
                report.claim(gain(claim + ".time", what + "RAW's mean time by DRUM's", paper, SHORTER, time));
            }
            report.claim(gain(claim + ".rate", what + "DRUM's rate by RAW's", gains.rateByRaw, gains.leastByRaw, rate));
            if (gains.rateByShare > 0) {
                double by = rates.get(DRUM).get(i) / rates.get(SHARE).get(i);
                double paper = gains.rateByShare;
                report.claim(gain(claim + ".share", what + "DRUM's rate by SHARE's", paper, paper, by));
            }
        }
    }

    private static Claim gain(String claim, String text, double paper, double least, double ours) {
        return Claim.judged(
                        claim,
                        text,
                        paper,
                        "x",
                        ours,
                        ours >= least,
                        "the link or the scheduler is what is short, and contexts are not")
                .accepting("≥ " + Numbers.text(least, "x"));
    }
}
