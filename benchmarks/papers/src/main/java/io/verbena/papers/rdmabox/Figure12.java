package io.verbena.papers.rdmabox;

import io.verbena.nic.sim.Replacement;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Figure 12: a file in a peer's memory, read and written from end to end through a file system in user space, by
 * RDMAbox and by what it is compared with. The paper gives a range for each; it does not say of what. Here it is of
 * records' lengths, and of how many of them are under way.
 */
final class Figure12 extends PaperFigure {
    private static final int FILE = 8 << 20;
    private static final int QUICK_FILE = 1 << 20;
    private static final int MEMORY = 1 << 20;
    private static final int[] RECORDS = {4 << 10, 32 << 10, 128 << 10};
    private static final int[] DAEMONS = {1, 8};
    private static final double SLOWER = 0.98;
    private static final double FASTER = 1.1;
    private static final String IF_ASLEEP = "who looks all the time is never woken, with cores to spare; RDMAbox sleeps"
            + " where the next record comes later than it looks on";
    private static final String IF_MERGED = "what is merged arrives later than its parts";
    private static final String IF_AS_FAST =
            "few records meet in the queue, and one-sided single requests of these" + " lengths fill the link as well";

    /** The paper's ranges: by how much RDMAbox is faster. */
    private enum Way {
        WRITE("written", false, new double[] {1.1, 1.6, 1.5, 2.8, 2.1, 3.7, 1.4, 1.7, 1.4, 2.2}),
        READ("read", true, new double[] {1.2, 2.6, 2.4, 4.8, 2.7, 5.9, 1.5, 2, 1.6, 2.6});

        final String title;
        final boolean reads;
        private final double[] ranges; // of each library but the first

        Way(String title, boolean reads, double[] ranges) {
            this.title = title;
            this.reads = reads;
            this.ranges = ranges;
        }

        String id() {
            return reads ? "read" : "write";
        }

        double least(Library other) {
            return ranges[2 * (other.ordinal() - 1)];
        }

        double most(Library other) {
            return ranges[2 * (other.ordinal() - 1) + 1];
        }
    }

    /** A case: a length of records, and threads of the daemon. */
    private record Load(int record, int daemons) {
        static List<Load> all() {
            List<Load> all = new ArrayList<>();
            for (int daemons : DAEMONS) {
                for (int record : RECORDS) {
                    all.add(new Load(record, daemons));
                }
            }
            return all;
        }
    }

    private final Library box; // what is taken for RDMAbox

    private final long window; // RDMAbox's

    Figure12() {
        this(Library.RDMABOX, Library.WINDOW);
    }

    private Figure12(Library box, long window) {
        super("12", "Figure 12: a remote file, from end to end");
        this.box = box;
        this.window = window;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("RDMAbox is as Gluster", new Figure12(Library.GLUSTER, Library.WINDOW)),
                new Mutation("RDMAbox has one record in flight", new Figure12(Library.RDMABOX, 1)));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int bytes = size == Size.FULL ? FILE : QUICK_FILE;
        FigureReport report = new FigureReport(id(), title())
                .setting("file", Numbers.bytes((double) bytes) + " where the paper has 10 GB: rates are steady")
                .setting("daemon", "1 or 8 threads, two system calls and a copy a record; the paper does not say")
                .setting("seed", String.valueOf(seed));
        for (Library each : Library.values()) {
            report.setting(each.title, each.settings());
        }
        List<List<String>> rows = new ArrayList<>();
        for (Way way : Way.values()) {
            Map<Library, List<Double>> rates = rates(way, bytes, seed);
            PaperPlot plot = new PaperPlot(
                            "rdmabox-figure-12-" + way.id(), "A file " + way.title + " by 8 threads", "KiB", "GB/s")
                    .logarithmicX();
            for (Library library : Library.values()) {
                List<Double> mine = rates.getOrDefault(library, List.of());
                plot.line(
                        library.title,
                        IntStream.of(RECORDS).mapToObj(each -> each / 1024.0).toList(),
                        mine.subList(RECORDS.length, 2 * RECORDS.length),
                        library.ordinal());
                rows.add(row(way, library, mine));
                if (library.isCompared()) {
                    claims(report, way, library, rates.getOrDefault(Library.RDMABOX, List.of()), mine);
                }
            }
            report.plot(plot);
        }
        List<String> heads = new ArrayList<>(List.of("file", "by"));
        for (Load load : Load.all()) {
            heads.add(load.record / 1024 + " KiB, " + load.daemons);
        }
        return report.table(new DataTable("GB/s by length of records and threads of the daemon", heads, rows))
                .note(
                        "What is as Accelio and as Gluster registers memory for each record, which is dearer than the"
                                + " copy below 928 KB here as it is in the paper (5b), and has to wake a"
                                + " thread of the peer's.");
    }

    private static List<String> row(Way way, Library library, List<Double> rates) {
        List<String> row = new ArrayList<>(List.of(way.title, library.title));
        rates.forEach(each -> row.add(Numbers.text(each)));
        return row;
    }

    private static void claims(FigureReport report, Way way, Library other, List<Double> mine, List<Double> theirs) {
        double least = Double.MAX_VALUE;
        double most = 0;
        for (int i = 0; i < mine.size(); i++) {
            double ratio = mine.get(i) / theirs.get(i);
            least = Math.min(least, ratio);
            most = Math.max(most, ratio);
        }
        String id = "12." + way.id() + '.' + other.id();
        String text = "a file " + way.title + ": RDMAbox's rate by that " + other.title;
        report.claim(Claim.judged(
                                id + ".least",
                                text + ", the least",
                                way.least(other),
                                "x",
                                least,
                                least >= SLOWER,
                                other.isAwake() ? IF_ASLEEP : IF_MERGED)
                        .accepting("≥ " + Numbers.text(SLOWER, "x")))
                .claim(Claim.judged(
                                id + ".most",
                                text + ", the most",
                                way.most(other),
                                "x",
                                most,
                                most >= FASTER,
                                IF_AS_FAST)
                        .accepting("≥ " + Numbers.text(FASTER, "x")));
    }

    private Map<Library, List<Double>> rates(Way way, int bytes, long seed) {
        List<Load> loads = Load.all();
        Library[] libraries = Library.values();
        List<Double> all = IntStream.range(0, libraries.length * loads.size()) // each a world of its own
                .parallel()
                .mapToObj(i -> {
                    Library library = libraries[i / loads.size()];
                    return rate(
                            library == Library.RDMABOX ? box : library, way, loads.get(i % loads.size()), bytes, seed);
                })
                .toList();
        Map<Library, List<Double>> rates = new EnumMap<>(Library.class);
        for (Library library : libraries) {
            rates.put(library, all.subList(library.ordinal() * loads.size(), (library.ordinal() + 1) * loads.size()));
        }
        return rates;
    }

    private double rate(Library library, Way way, Load load, int bytes, long seed) {
        BoxWorld world = new BoxWorld(
                seed, BoxWorld.card(BoxWorld.WQES, Replacement.LRU), load.daemons + library.pairs, 1, MEMORY);
        FileRun file = new FileRun(
                world,
                library.connect(world, 0, load.record, window, true),
                way.reads,
                load.record,
                bytes / load.record);
        for (int i = 0; i < load.daemons; i++) {
            file.start("daemon " + i);
        }
        return file.run();
    }
}
