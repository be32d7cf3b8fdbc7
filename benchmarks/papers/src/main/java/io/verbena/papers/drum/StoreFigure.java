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
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/**
 * Figures 15 and 16: what a key-value store and Redis do, one-sided, with READs and WRITEs of a server's memory, and
 * two-sided, with requests that its processor answers. A GET is a READ, a PUT or SET a WRITE, a PING a READ of 16 B.
 */
final class StoreFigure extends PaperFigure {
    private static final List<Way> WAYS = List.of(Way.RAW, Way.SHARE, Way.DRUM);
    private static final int CLIENTS = 300;
    private static final int CAPACITY_BYTES = 32;
    private static final int PERCENT = 100;
    private static final double SHORTER = 1.4; // least that RAW takes by DRUM
    private static final long LOOK_NANOS = 1_000;
    private static final long LONG_LOOK_NANOS = 4_000;

    // The paper's parts of the time of others that DRUM saves, in percent
    private static final double LEAST_SAVED = 10;
    private static final double MOST_SAVED = 21;

    /** Least by which it saves more one-sided, in percent points. */
    private static final double MORE_SAVED = 5;

    private static final String IF_NOT = "the link or the scheduler is what is short, and contexts are not";
    private static final String SAVES_MORE = "the server's NIC keeps contexts of 20 queue pairs of 300: the fewer of"
            + " DRUM save more where contexts are what is short; the paper does not say how many it had";
    private static final String STORE_NOTE =
            "Small values leave the link idle behind RAW, whose server misses two contexts an operation. GETs come back"
                    + " by the other direction of the link than PUTs go: half of each is more than either.";
    private static final String TWO_SIDED_NOTE =
            "The server's NIC has two messages an operation, which need the context of a queue pair at two times: DRUM"
                    + " saves less than one-sided. Rates take another part of that: a queue pair may send "
                    + SharedNic.BURST + " requests at once, so the last of five clients' comes later and needs the"
                    + " context anew. The paper's reason is that its algorithm has more to compute, which takes no time"
                    + " here.";
    private static final String REDIS_NOTE =
            "Values to 64 KiB fill the link whatever the way. What DRUM gains is that a PING does not wait for the"
                    + " values before it: its agent cuts them, and the arbiter takes applications in turn. The paper's"
                    + " values of up to 512 MB cannot have a mean time of 9 us: 40 Gb/s carry 45 KB in it.";

    /** Which of the four. */
    private enum Form {
        STORE("15", "Figure 15: one-sided key-value store"),
        STORE_ANSWERS("15-two-sided", "Figure 15: two-sided key-value store"),
        REDIS("16", "Figure 16: one-sided Redis"),
        REDIS_ANSWERS("16-two-sided", "Figure 16: two-sided Redis");

        final String id;
        final String title;

        Form(String id, String title) {
            this.id = id;
            this.title = title;
        }

        boolean isTwoSided() {
            return this == STORE_ANSWERS || this == REDIS_ANSWERS;
        }

        boolean isStore() {
            return this == STORE || this == STORE_ANSWERS;
        }
    }

    /** For how long: a client has one operation under way, and does four of them at least, but for quick runs. */
    private record Window(long warmUpNanos, long nanos) {}

    private final Form form;

    /** A load of figure 15 is run by itself; the kinds of figure 16 stand side by side. */
    private final List<StoreLoad> loads;

    private final int multiplexed;

    private StoreFigure(Form form, List<StoreLoad> loads, int multiplexed) {
        super(form.id, form.title);
        this.form = form;
        this.loads = loads;
        this.multiplexed = multiplexed;
    }

    static StoreFigure figure15(boolean twoSided) {
        Form form = twoSided ? Form.STORE_ANSWERS : Form.STORE;
        return new StoreFigure(form, storeLoads(twoSided), SharedNic.MULTIPLEXED);
    }

    static StoreFigure figure16(boolean twoSided) {
        Form form = twoSided ? Form.REDIS_ANSWERS : Form.REDIS;
        return new StoreFigure(form, redisLoads(twoSided, 16, 16), SharedNic.MULTIPLEXED);
    }

    private static List<StoreLoad> storeLoads(boolean twoSided) {
        List<StoreLoad> loads = new ArrayList<>();
        for (int reads : new int[] {95, 50, 0}) {
            String name = (PERCENT - reads) + " % PUT";
            loads.add(new StoreLoad(twoSided, CLIENTS, List.of(new StoreLoad.Kind(name, reads, 32, 1024)), LOOK_NANOS));
        }
        return loads;
    }

    private static List<StoreLoad> redisLoads(boolean twoSided, int minPing, int maxPing) {
        List<StoreLoad.Kind> kinds = List.of(
                new StoreLoad.Kind("SET", 0, 10, 65_536),
                new StoreLoad.Kind("GET", 100, 10, 65_536),
                new StoreLoad.Kind("PING", 100, minPing, maxPing));
        return List.of(new StoreLoad(twoSided, CLIENTS, kinds, LONG_LOOK_NANOS));
    }

    @Override
    public List<Mutation> mutations() {
        List<Mutation> all = new ArrayList<>();
        all.add(new Mutation("a queue pair a connection, whatever the way", new StoreFigure(form, loads, 1)));
        if (form == Form.STORE_ANSWERS) {
            all.add(new Mutation(
                    "the server's memory is used, and its processor does not answer",
                    new StoreFigure(form, storeLoads(false), multiplexed)));
        } else if (!form.isStore()) {
            all.add(new Mutation(
                    "a PING as long as the values",
                    new StoreFigure(form, redisLoads(form.isTwoSided(), 10, 65_536), multiplexed)));
        }
        return all;
    }

    private Window window(Size size) {
        if (form.isStore()) {
            boolean isLong = size == Size.FULL && form.isTwoSided(); // an operation takes four times as long
            return isLong ? new Window(1_000_000, 3_000_000) : new Window(150_000, 300_000);
        }
        return size == Size.FULL ? new Window(2_000_000, 4_000_000) : new Window(1_000_000, 2_000_000);
    }

    /** What has been measured: means in microseconds and rates in Mops, of each title. */
    private static final class Measured {
        final List<String> titles = new ArrayList<>();
        final List<List<String>> rows = new ArrayList<>();
        final Map<Way, List<Double>> means = new EnumMap<>(Way.class);
        final Map<Way, List<Double>> rates = new EnumMap<>(Way.class);
        double busiest; // part of the time of the server's threads

        double mean(Way way, int title) {
            return Objects.requireNonNull(means.get(way)).get(title);
        }

        /** The part of a way's mean time that DRUM saves, in percent. */
        double saved(Way way, int title) {
            return PERCENT * (1 - mean(Way.DRUM, title) / mean(way, title));
        }

        /** DRUM's rate by a way's. */
        double rate(Way way, int title) {
            return Objects.requireNonNull(rates.get(Way.DRUM)).get(title)
                    / Objects.requireNonNull(rates.get(way)).get(title);
        }
    }

    private Measured measure(long seed, List<StoreLoad> some, Window window, List<Way> ways) {
        double capacity = SharedNic.capacity(seed, CAPACITY_BYTES);
        Measured measured = new Measured();
        some.forEach(load -> load.kinds().forEach(kind -> measured.titles.add(kind.title())));
        for (Way way : ways) {
            List<Double> means = new ArrayList<>();
            List<Double> rates = new ArrayList<>();
            for (StoreLoad load : some) {
                StoreLoad.Run run = load.run(seed, way, capacity, multiplexed, window.warmUpNanos, window.nanos);
                measured.busiest = Math.max(measured.busiest, run.busy());
                for (int i = 0; i < load.kinds().size(); i++) {
                    Samples samples = run.byKind().get(i);
                    double rate = samples.size() * 1e3 / window.nanos;
                    means.add(samples.meanMicros());
                    rates.add(rate);
                    measured.rows.add(List.of(
                            way.title,
                            load.kinds().get(i).title(),
                            Numbers.text(samples.meanMicros(), "us"),
                            Numbers.text(samples.micros(90), "us"),
                            Numbers.text(rate, "Mops"),
                            Numbers.text(run.misses())));
                }
            }
            measured.means.put(way, means);
            measured.rates.put(way, rates);
        }
        return measured;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        Window window = window(size);
        Measured measured = measure(seed, loads, window, WAYS);
        FigureReport report = new FigureReport(id(), title())
                .setting("clients", CLIENTS + " on " + StoreLoad.HOSTS + " hosts, one operation under way each")
                .setting(
                        "operations",
                        form.isStore()
                                ? "values of 32 to 1024 B, evenly; 5, 50 and 100 % PUT"
                                : "values of 10 B to 64 KiB, evenly; a third of the clients each for SET, GET and PING,"
                                        + " side by side")
                .setting("seed", String.valueOf(seed));
        switch (form) {
            case STORE -> judgeStore(report, measured);
            case STORE_ANSWERS -> {
                List<Way> compared = List.of(Way.RAW, Way.DRUM);
                judgeAnswers(report, measured, measure(seed, storeLoads(false), window, compared));
            }
            default -> judgeRedis(report, measured);
        }
        report.table(new DataTable(
                        "Operations",
                        List.of("way", "operations", "mean", "90 %", "rate", "contexts missed an operation, of all"),
                        measured.rows))
                .plot(plot("a", "Time of an operation", "us, mean", measured.titles, measured.means))
                .plot(plot("b", "Operations", "Mops", measured.titles, measured.rates));
        if (form.isTwoSided()) {
            report.note(server(measured.busiest));
        }
        return report.note("The paper does not say how many clients there are: " + CLIENTS + " here.")
                .note(form == Form.STORE ? STORE_NOTE : form == Form.STORE_ANSWERS ? TWO_SIDED_NOTE : REDIS_NOTE);
    }

    /** What answers, and how rates come about. */
    private static String server(double busiest) {
        return "The server has " + StoreServer.THREADS + " threads with a core each, and " + StoreServer.SERVICE_NANOS
                + " ns of work with each operation beside polls and posts; the paper says neither. A request is a WRITE"
                + " with an immediate, and so is known without a look for it. DRUM's rates are those of its two-sided"
                + " problem: every " + Numbers.text(SharedNic.EPOCH_NANOS / 1e3, "us") + " the hosts say what they want"
                + " to send, and the server grants each a part of the requests that its threads complete, "
                + Numbers.text(StoreServer.PER_SECOND / 1e6, "Mops") + ". These messages take no part of the link."
                + " Threads have something to answer in " + Numbers.text(PERCENT * busiest, "%")
                + " of the time at most.";
    }

    private void judgeStore(FigureReport report, Measured measured) {
        for (int i = 0; i < measured.titles.size(); i++) {
            String what = measured.titles.get(i);
            report.claim(gain(what, ".rate", "DRUM's rate by RAW's", 1.392, 1.392, measured.rate(Way.RAW, i)));
            report.claim(gain(what, ".share", "DRUM's rate by SHARE's", 1.281, 1.281, measured.rate(Way.SHARE, i)));
        }
    }

    private void judgeRedis(FigureReport report, Measured measured) {
        double[] paper = {16 / 9.1, 21.8 / 9, 12.4 / 7.1};
        for (int i = 0; i < measured.titles.size(); i++) {
            String what = measured.titles.get(i);
            double time = measured.mean(Way.RAW, i) / measured.mean(Way.DRUM, i);
            report.claim(gain(what, ".time", "RAW's mean time by DRUM's", paper[i], SHORTER, time));
            report.claim(gain(what, ".rate", "DRUM's rate by RAW's", 1.378, 1.378, measured.rate(Way.RAW, i)));
        }
    }

    private Claim gain(String what, String claim, String text, double paper, double least, double ours) {
        return Claim.judged(claim(what) + claim, what + ": " + text, paper, "x", ours, ours >= least, IF_NOT)
                .accepting("≥ " + Numbers.text(least, "x"));
    }

    private void judgeAnswers(FigureReport report, Measured measured, Measured oneSided) {
        double most = 0;
        for (int i = 0; i < measured.titles.size(); i++) {
            String what = measured.titles.get(i);
            double ofRaw = measured.saved(Way.RAW, i);
            double ofShare = measured.saved(Way.SHARE, i);
            most = Math.max(most, Math.max(ofRaw, ofShare));
            report.claim(saving(what, ".raw", "of RAW's mean time DRUM saves", LEAST_SAVED, LEAST_SAVED, ofRaw));
            report.claim(saving(what, ".share", "of SHARE's mean time DRUM saves", LEAST_SAVED, LEAST_SAVED, ofShare));
            report.claim(saving(
                    what,
                    ".less",
                    "of RAW's mean time DRUM saves more one-sided: by",
                    Double.NaN,
                    MORE_SAVED,
                    oneSided.saved(Way.RAW, i) - ofRaw));
        }
        report.claim(Claim.judged(
                        id() + ".most",
                        "most of a mean time of RAW or SHARE that DRUM saves",
                        MOST_SAVED,
                        "%",
                        most,
                        most <= MOST_SAVED,
                        SAVES_MORE)
                .accepting("≤ " + Numbers.text(MOST_SAVED, "%")));
    }

    private Claim saving(String what, String claim, String text, double paper, double least, double ours) {
        return Claim.judged(claim(what) + claim, what + ": " + text, paper, "%", ours, ours >= least, IF_NOT)
                .accepting("≥ " + Numbers.text(least, "%"));
    }

    private String claim(String title) {
        return id() + "." + title.replace(" % ", "").toLowerCase(Locale.ROOT);
    }

    private PaperPlot plot(String part, String title, String unit, List<String> titles, Map<Way, List<Double>> values) {
        PaperPlot plot =
                new PaperPlot("drum-figure-" + id() + "-" + part, title, "operations", unit).categories(titles);
        values.forEach((way, each) -> plot.bars(way.title, each));
        return plot;
    }
}
