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
 * Figures 15 and 16 in their one-sided form: what a key-value store and Redis do with READs and WRITEs of a server's
 * memory. A GET is a READ, a PUT or SET a WRITE, and a PING a READ of 16 B.
 */
final class StoreFigure extends PaperFigure {
    private static final Way[] WAYS = {Way.RAW, Way.SHARE, Way.DRUM};
    private static final String STORE = "15";
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
     * @param rateByRaw its rate by RAW's
     * @param rateByShare its rate by SHARE's; 0 for no claim
     * @param timesByRaw RAW's times by its own; empty for no claim
     */
    private record Gains(double rateByRaw, double rateByShare, List<Double> timesByRaw) {}

    private StoreFigure(
            String id, String setting, List<StoreLoad> loads, Gains gains, long warmUpNanos, int multiplexed) {
        super(id, "Figure " + id + ": one-sided " + (id.equals(STORE) ? "key-value store" : "Redis"));
        this.setting = setting;
        this.loads = loads;
        this.gains = gains;
        this.warmUpNanos = warmUpNanos;
        this.multiplexed = multiplexed;
    }

    static StoreFigure figure15() {
        return figure15(SharedNic.MULTIPLEXED);
    }

    private static StoreFigure figure15(int multiplexed) {
        List<StoreLoad> loads = new ArrayList<>();
        for (int reads : new int[] {95, 50, 0}) {
            String name = (100 - reads) + " % PUT";
            loads.add(new StoreLoad(CLIENTS, List.of(new StoreLoad.Kind(name, reads, 32, 1024)), LOOK_NANOS));
        }
        return new StoreFigure(
                STORE,
                "values of 32 to 1024 B, evenly; 5, 50 and 100 % PUT",
                loads,
                new Gains(1.392, 1.281, List.of()),
                150_000,
                multiplexed);
    }

    static StoreFigure figure16() {
        return figure16(SharedNic.MULTIPLEXED);
    }

    private static StoreFigure figure16(int multiplexed) {
        List<StoreLoad.Kind> kinds = List.of(
                new StoreLoad.Kind("SET", 0, 10, 65_536),
                new StoreLoad.Kind("GET", 100, 10, 65_536),
                new StoreLoad.Kind("PING", 100, 16, 16));
        return new StoreFigure(
                "16",
                "values of 10 B to 64 KiB, evenly; a third of the clients each for SET, GET and PING, side by side",
                List.of(new StoreLoad(CLIENTS, kinds, LONG_LOOK_NANOS)),
                new Gains(1.378, 0, List.of(16 / 9.1, 21.8 / 9, 12.4 / 7.1)),
                2_000_000,
                multiplexed);
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(new Mutation(
                "a queue pair a connection, whatever the way", id().equals(STORE) ? figure15(1) : figure16(1)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        long nanos = 2 * warmUpNanos;
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
            for (StoreLoad load : loads) {
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
        return report.table(new DataTable(
                        "Operations",
                        List.of("way", "operations", "mean", "90 %", "rate", "contexts missed an operation, of all"),
                        rows))
                .plot(plot("a", "Time of an operation", "us, mean", titles, means))
                .plot(plot("b", "Operations", "Mops", titles, rates))
                .note("The paper does not say how many clients there are: " + CLIENTS
                        + " here. Its two-sided stores have"
                        + " the server's processor on their way, which is no part of this model.")
                .note(id().equals(STORE) ? STORE_NOTE : REDIS_NOTE);
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
            String claim = id() + "." + titles.get(i).replace(" % ", "").toLowerCase(Locale.ROOT);
            double time = means.get(RAW).get(i) / means.get(DRUM).get(i);
            double rate = rates.get(DRUM).get(i) / rates.get(RAW).get(i);
            if (!gains.timesByRaw.isEmpty()) {
                double paper = gains.timesByRaw.get(i);
                report.claim(gain(claim + ".time", what + "RAW's mean time by DRUM's", paper, SHORTER, time));
            }
            report.claim(gain(claim + ".rate", what + "DRUM's rate by RAW's", gains.rateByRaw, gains.rateByRaw, rate));
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
