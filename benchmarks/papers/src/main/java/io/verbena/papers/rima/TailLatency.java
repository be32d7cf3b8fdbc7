package io.verbena.papers.rima;

import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.Numbers;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.figures.PaperPlot;
import io.verbena.papers.rima.SchemeRun.Result;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Section 5.2.1 and Table 6: what small memory by other means costs, above all the latency of messages above a cut. */
final class TailLatency extends PaperFigure {
    private static final int FULL_MESSAGES = 1_000;
    private static final int QUICK_MESSAGES = 200;
    private static final double TAIL = 95.6;
    private static final double TOLERANCE = 0.05;

    private static final double MANY_TIMES = 20;
    private static final double PAPER_FETCH_ADD = 3;
    private static final double PAPER_PREALLOCATED = 37.8;
    private static final double PAPER_LARGE_RESERVE = 33.6;
    private static final double PAPER_HIGHER_CUT = 22.4;

    private final Map<SchemeRow, Result> results = new EnumMap<>(SchemeRow.class);

    private final RimaModel model;
    private final UnaryOperator<SchemeRow> played; // whose scheme a row's latencies are taken from

    TailLatency() {
        this(RimaModel.PAPER, UnaryOperator.identity());
    }

    private TailLatency(RimaModel model, UnaryOperator<SchemeRow> played) {
        super("table6", "5.2.1 and Table 6: other ways to little memory, and their latency");
        this.model = model;
        this.played = played;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                mutation(SchemeRow.RIMA, SchemeRow.DEMAND_PAGING),
                mutation(SchemeRow.DEMAND_PAGING, SchemeRow.FETCH_ADD),
                mutation(SchemeRow.FETCH_ADD, SchemeRow.SINGLE),
                mutation(SchemeRow.ALLOCATE, SchemeRow.DEMAND_PAGING),
                new Mutation("memory that is there in 0.5 ms", new TailLatency(model.withAllocation(5e-4), played)));
    }

    private Mutation mutation(SchemeRow broken, SchemeRow instead) {
        return new Mutation(
                broken.label() + " run as " + instead.label(),
                new TailLatency(model, row -> row == broken ? instead : row));
    }

    @Override
    public FigureReport run(long seed, Size size) {
        int each = size == Size.FULL ? FULL_MESSAGES : QUICK_MESSAGES;
        results.clear();
        for (SchemeRow row : SchemeRow.values()) {
            results.put(row, SchemeRun.run(played.apply(row).scheme(), seed, each, SchemeRow.CUT));
        }
        FigureReport report = new FigureReport(id(), title())
                .setting("network", "50 us one way, 56 Gb/s")
                .setting(
                        "clients",
                        IncastWorld.CLIENTS + ", of each " + each + " messages, at so low a load that none waits")
                .setting("L", "1 ms")
                .setting("atomic at the receiver", "2 us")
                .setting("cut", SchemeRow.CUT + " bytes")
                .setting("seed", String.valueOf(seed));
        latencies(report);
        footprints(report);
        table(report);
        plot(report);
        report.note("The latency is one way: from when a message is due until the receiver "
                + "has it. The paper adds 50 us of network,"
                + " 1 ms, 100 us and 2 us to the 0.15 us of 1 KB at 56 Gb/s; here the exchanges are run.");
        report.note(
                "An append of 1 KB takes 50.15 us as in the paper, of which 50 are put in. A buffer of 1 MB for each"
                        + " of 2,000 senders and 32 processes is 64 GB: a product, not a result.");
        report.note("A message above a quarter of a chunk gets a mapping of its own: one of "
                + "1 MiB waits for it in an append queue"
                + " with chunks of 1 MiB, as one allocated on demand does; the last row has it with chunks of "
                + "4 MiB. Of this"
                + " workload a share of "
                + Numbers.text(1 - model.sizes().cdf(SchemeRow.OWN_MAPPING))
                + " is above 256 KiB.");
        return report;
    }

    private Result of(SchemeRow row) {
        Result result = results.get(row);
        if (result == null) {
            throw new IllegalStateException(row + " was not run");
        }
        return result;
    }

    /** Latency of large messages, typically, of that in an append queue. */
    private double times(SchemeRow row) {
        return (double) of(row).largePercentile(50) / of(SchemeRow.RIMA).largePercentile(50);
    }

    private void latencies(FigureReport report) {
        report.claim(Claim.nearComputed(
                "5.2.1.rima",
                "an append adds nothing to a SEND to an SRQ whose buffers are there, at 99.9 %",
                1,
                "",
                (double) of(SchemeRow.RIMA).percentile(99.9)
                        / of(SchemeRow.SINGLE).percentile(99.9),
                0.01,
                "the append adds to the way"));
        report.claim(Claim.judged(
                        "5.2.1.on-demand",
                        "messages above the cut for which memory is paged in take at least 20 times as long",
                        MANY_TIMES,
                        "x",
                        times(SchemeRow.DEMAND_PAGING),
                        times(SchemeRow.DEMAND_PAGING) >= MANY_TIMES,
                        "the sender does not wait for the allocation")
                .but("the paper adds the allocation alone; here the sender learns that "
                        + "the memory is there when it comes"
                        + " again, a round trip later at most"));
        report.claim(Claim.near(
                "5.2.1.fetch-add",
                "messages above the cut whose room is made by fetch-and-add take longer by",
                PAPER_FETCH_ADD,
                "x",
                times(SchemeRow.FETCH_ADD),
                TOLERANCE,
                "the exchange takes another number of ways"));
        report.claim(Claim.judged(
                "5.2.1.three-ways",
                "if the address is returned, messages take three ways and the allocation: longer than paging by",
                "us",
                (of(SchemeRow.ALLOCATE).largePercentile(50)
                                - of(SchemeRow.DEMAND_PAGING).largePercentile(50))
                        / 1e3,
                of(SchemeRow.ALLOCATE).largePercentile(50)
                        > of(SchemeRow.DEMAND_PAGING).largePercentile(50),
                "paging takes as many ways"));
    }

    private void footprints(FigureReport report) {
        double gib = 1L << 30;
        int cut = SchemeRow.CUT;
        report.claim(Claim.near(
                        "5.2.1.pre-allocated",
                        "two SRQs with buffers of 1 MB for messages above 1 KB need, in 32 processes (reserves alone)",
                        PAPER_PREALLOCATED,
                        "GiB",
                        (SchemeRow.smallReserve(model, cut) + SchemeRow.largeReserve(model, cut)) / gib,
                        0.01,
                        "another model")
                .but("the paper says GB, and that the active part is in it, which is "
                        + Numbers.bytes(SchemeRow.PREALLOCATED.serverBytes(model)
                                - SchemeRow.smallReserve(model, cut)
                                - SchemeRow.largeReserve(model, cut))
                        + " more"));
        report.claim(Claim.near(
                "5.2.1.large-reserve",
                "of that, reserves for messages above 1 KB",
                PAPER_LARGE_RESERVE,
                "GiB",
                SchemeRow.largeReserve(model, cut) / gib,
                0.01,
                "another model"));
        report.claim(Claim.near(
                        "5.2.1.higher-cut",
                        "with the cut at 5.4 KB the reserve for small messages is",
                        PAPER_HIGHER_CUT,
                        "GiB",
                        SchemeRow.smallReserve(model, SchemeRow.HIGHER_CUT) / gib,
                        0.02,
                        "another model")
                .but("5.4 KB read as 5400 bytes; as 5530 it is 22.58"));
    }

    private void table(FigureReport report) {
        List<List<String>> rows = new ArrayList<>();
        for (SchemeRow row : SchemeRow.values()) {
            Result result = of(row);
            rows.add(List.of(
                    row.row(),
                    row.label(),
                    Numbers.bytes(row.serverBytes(model)),
                    Numbers.micros(result.percentile(50)),
                    Numbers.micros(result.percentile(TAIL)),
                    Numbers.micros(result.percentile(99.9)),
                    Numbers.micros(result.largePercentile(50)),
                    Numbers.micros(result.largest),
                    String.valueOf(result.queuePairs),
                    row.choices()));
        }
        report.table(new DataTable(
                "Table 6 in numbers (latencies one way, in us)",
                List.of(
                        "row",
                        "design",
                        "32 processes, computed",
                        "p50",
                        "p95.6",
                        "p99.9",
                        "p50 above the cut",
                        "one of 1 MiB",
                        "queue pairs a sender",
                        "to be chosen"),
                rows));
    }

    private void plot(FigureReport report) {
        List<String> names = new ArrayList<>();
        List<Double> usual = new ArrayList<>();
        List<Double> large = new ArrayList<>();
        for (SchemeRow row : SchemeRow.values()) {
            names.add(row.label().replace("large ", "").replace("on demand, address", "and"));
            usual.add(of(row).percentile(50) / 1e3);
            large.add(of(row).largePercentile(50) / 1e3);
        }
        report.plot(new PaperPlot("rima-table-6", "Latency one way, median", "", "us")
                .logarithmicY()
                .categories(names)
                .bars("all messages", usual)
                .bars("messages above 1 KiB", large));
    }
}
