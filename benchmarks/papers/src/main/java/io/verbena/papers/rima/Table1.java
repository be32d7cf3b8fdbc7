package io.verbena.papers.rima;

import io.verbena.nic.append.QueueSizing;
import io.verbena.papers.figures.Claim;
import io.verbena.papers.figures.DataTable;
import io.verbena.papers.figures.FigureReport;
import io.verbena.papers.figures.Mutation;
import io.verbena.papers.figures.PaperFigure;
import io.verbena.papers.srq.SizeClasses;
import io.verbena.papers.workload.SizeDistribution;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Table 1: what a programmer has to determine. The paper lists tasks; here the values are computed that each takes, for
 * three distributions of sizes, and counted are those that another distribution changes. Computed.
 */
final class Table1 extends PaperFigure {
    private static final double[] FACTORS = {0.5, 1, 2};
    private static final int CHUNK = 1 << 20;

    private final RimaModel model;
    private final double[] factors;
    private final Function<SizeDistribution, Map<String, Long>> appendQueue;

    Table1() {
        this(RimaModel.PAPER, FACTORS, sizes -> appendQueue(CHUNK));
    }

    private Table1(RimaModel model, double[] factors, Function<SizeDistribution, Map<String, Long>> appendQueue) {
        super("table1", "Table 1: what has to be determined");
        this.model = model;
        this.factors = factors;
        this.appendQueue = appendQueue;
    }

    @Override
    public List<Mutation> mutations() {
        return List.of(
                new Mutation("sizes that stay as they are", new Table1(model, new double[] {1, 1, 1}, appendQueue)),
                new Mutation(
                        "chunks by the size that 99.9 % do not exceed",
                        new Table1(model, factors, sizes -> appendQueue((int) sizes.quantile(0.999)))));
    }

    /** What an append queue is made with. */
    private static Map<String, Long> appendQueue(int chunkLength) {
        Map<String, Long> values = new LinkedHashMap<>();
        values.put("chunk", (long) chunkLength);
        values.put("reserve chunks", (long) QueueSizing.reserveChunks(
                IncastWorld.LINE_BYTES, IncastWorld.ALLOCATION_NANOS, chunkLength, chunkLength / 4));
        return values;
    }

    /** What the least SRQs by slab classes are made with: how many, their sizes, their reserves. */
    private Map<String, Long> shared(double factor) {
        TruncatedModel scaled = new TruncatedModel(model, factor);
        int count = TruncatedModel.best(scaled.totals());
        SizeClasses classes = scaled.merged(count);
        Map<String, Long> values = new LinkedHashMap<>();
        values.put("queues", (long) count);
        for (int i = 0; i < count; i++) {
            values.put("size " + (i + 1), classes.limit(i));
            double buffers = scaled.link.rate(classes.above(i) + 1) * scaled.link.allocationSeconds();
            values.put("reserve " + (i + 1), (long) Math.ceil(buffers));
        }
        return values;
    }

    @Override
    public FigureReport run(long seed, Size size) {
        List<Map<String, Long>> shared = new ArrayList<>();
        List<Map<String, Long>> append = new ArrayList<>();
        for (double factor : factors) {
            shared.add(shared(factor));
            append.add(appendQueue.apply(
                    model.sizes().truncated(RimaModel.TRUNCATED).scaled(factor)));
        }
        FigureReport report = new FigureReport(id(), title())
                .setting("sizes", "up to 16 KiB, half, once and twice as long")
                .setting("SRQs", "by slab classes, as many as need least")
                .setting("append queue", "chunks of 1 MiB");
        int changedOfShared = changed(shared);
        int changedOfAppend = changed(append);
        report.claim(Claim.judged(
                "table1.srq",
                "another distribution makes the tasks of SRQs be done again: values that change "
                        + "with the sizes, at least"
                        + " half of them",
                "",
                changedOfShared,
                2 * changedOfShared >= values(shared),
                "most of what was determined holds for other sizes"));
        report.claim(Claim.judged(
                "table1.rima",
                "and none of an append queue: values that change with the sizes",
                "",
                changedOfAppend,
                changedOfAppend == 0,
                "something of it depends on the distribution"));
        tables(report, shared, append);
        report.note("The reserve of an append queue depends on the line and on L. Its chunk does not depend on the"
                + " distribution, but bounds what does not wait: a message above a quarter of it gets a mapping of its"
                + " own.");
        return report;
    }

    /** Values that differ between the first and any other; one that is not everywhere differs. */
    private static int changed(List<Map<String, Long>> all) {
        return (int) names(all).stream()
                .filter(name ->
                        all.stream().map(each -> each.get(name)).distinct().count() > 1)
                .count();
    }

    private static int values(List<Map<String, Long>> all) {
        return names(all).size();
    }

    private static List<String> names(List<Map<String, Long>> all) {
        return all.stream().flatMap(each -> each.keySet().stream()).distinct().toList();
    }

    private static void tables(FigureReport report, List<Map<String, Long>> shared, List<Map<String, Long>> append) {
        String queues = String.valueOf(shared.get(1).get("queues"));
        report.table(new DataTable(
                "Tasks",
                List.of("task", "SRQ, paper", "here", "RIMA, paper", "here"),
                List.of(
                        List.of(
                                "1",
                                "number and buffer sizes of queues",
                                queues + " sizes",
                                "no effort (only one queue)",
                                "none"),
                        List.of(
                                "2",
                                "reserve pool size of all queues",
                                queues + " reserves",
                                "reserve pool size of one queue",
                                "1, of line rate x L"),
                        List.of(
                                "3",
                                "minimum-footprint configuration",
                                "a search over slab classes",
                                "no effort (only one queue)",
                                "none"),
                        List.of(
                                "4",
                                "co-ordinate across all clients",
                                queues + " sizes and queue pairs at each sender",
                                "no effort (only one queue)",
                                "one queue pair"),
                        List.of(
                                "5",
                                "coordinated tuning of servers and clients",
                                changed(shared) + " of " + values(shared) + " values change with the sizes",
                                "servers may be independently tuned",
                                changed(append) + " of " + values(append)))));
        List<List<String>> rows = new ArrayList<>();
        for (String name : names(shared)) {
            rows.add(row("SRQs, " + name, shared, name));
        }
        for (String name : names(append)) {
            rows.add(row("append queue, " + name, append, name));
        }
        report.table(new DataTable("Values by sizes", List.of("value", "x 0.5", "x 1", "x 2"), rows));
    }

    private static List<String> row(String title, List<Map<String, Long>> all, String name) {
        List<String> row = new ArrayList<>();
        row.add(title);
        for (Map<String, Long> each : all) {
            Long value = each.get(name);
            row.add(value == null ? "-" : String.valueOf(value));
        }
        return row;
    }
}
