package io.verbena.bench.promise;

import io.verbena.NodeMode;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.FabricKind;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench promise}: whether weights hold with default settings, counted at the receiver. */
@Command(
        name = "promise",
        description = {
            "Two tenants of one node with default settings, both with more to send than is "
                    + "taken: what arrives of each, counted by",
            "the receiver in another process, beside what its weight entitles it to. A "
                    + "cell is broken if both offered for 95 %%",
            "of the time, and the tenant with less is further off than the tolerance and "
                    + "the times without an offer explain. With",
            "weights that change in the middle, what arrives later than a second after "
                    + "the change counts. Prints Markdown; ends",
            "with 1 if more cells are broken than --allow says, or one could not be measured.%n"
        })
public final class PromiseCommand extends RunCommand {
    private static final double COLD_SECONDS = 4;
    private static final double QUICK_SECONDS = 1.2;
    private static final double QUICK_WARMUP = 1;
    private static final double QUICK_COLD_SECONDS = 2;

    @Option(
            names = "--fabric",
            split = ",",
            paramLabel = "<name>",
            description = "local (one process), shm, uds, tcp; default all.")
    List<String> fabrics = List.of("local", "shm", "uds", "tcp");

    @Option(names = "--mode", split = ",", paramLabel = "<mode>", description = "assisted, thread; default both.")
    List<NodeMode> modes = Cell.MODES;

    @Option(
            names = "--sizes",
            split = ",",
            paramLabel = "<sizes>",
            description = "equal (1 KiB each), large (256 B against 64 KiB), huge (64 B against 1 MiB); default all.")
    List<Cell.Sizes> sizes = List.of(Cell.Sizes.values());

    @Option(
            names = "--weights",
            split = ",",
            paramLabel = "<weights>",
            description = "Such as 3:1, or 3:1-1:3 for a change in the middle; default 1:1,3:1,1:9,30:1,3:1-1:3.")
    List<String> weights = List.of("1:1", "3:1", "1:9", "30:1", "3:1-1:3");

    @Option(
            names = "--receiver",
            split = ",",
            paramLabel = "<receiver>",
            description = "shared (one inbox for both), own (an inbox each), sleepy (one "
                    + "inbox, polled by a thread that sleeps"
                    + " 1 ms in every 10), responder; default all.")
    List<ReceiverKind> receivers = List.of(ReceiverKind.values());

    @Option(names = "--quick", description = "Three cells of each fabric and mode, short: a minute and a half.")
    boolean quick;

    @Option(names = "--list", description = "Print the cells, and measure nothing.")
    boolean list;

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "How long each cell is counted; default 5.")
    double seconds = 5;

    @Option(names = "--warmup", paramLabel = "<seconds>", description = "How long each warms up before; default 2.")
    double warmup = 2;

    @Option(
            names = "--tolerance",
            paramLabel = "<part>",
            description = "By how much of its entitlement the tenant with less may be off; default 0.05.")
    double tolerance = 0.05;

    @Option(names = "--allow", paramLabel = "<cells>", description = "Cells that may be broken; default 0.")
    int allowed;

    private final @Nullable Function<Cell, CellOutcome> given;
    private final Map<CellVerdict, Integer> verdicts = new EnumMap<>(CellVerdict.class);

    /** Measures, and prints to the standard streams. */
    public PromiseCommand() {
        this(null);
    }

    /** Prints what is given for each cell; null to measure. */
    PromiseCommand(@Nullable Function<Cell, CellOutcome> given) {
        super("bench");
        this.given = given;
    }

    @Override
    protected int run() {
        if (seconds <= 0 || warmup < 0 || tolerance < 0) {
            throw new RunException("seconds " + seconds + " after " + warmup + " to warm up, tolerance " + tolerance);
        }
        List<Cell> cells = cells();
        if (list) {
            cells.forEach(out::println);
            return 0;
        }
        out.println(Machine.here().text());
        Function<Cell, CellOutcome> measurement = given;
        if (measurement != null) {
            tables(cells, measurement);
        } else {
            try (PromiseRun run = quick
                    ? new PromiseRun(QUICK_WARMUP, QUICK_SECONDS, QUICK_COLD_SECONDS)
                    : new PromiseRun(warmup, seconds, COLD_SECONDS)) {
                tables(cells, run::measure);
            }
        }
        out.println();
        out.println(Arrays.stream(CellVerdict.values())
                .map(each -> count(each) + " " + each.title)
                .collect(Collectors.joining(", ", cells.size() + " cells: ", "")));
        return count(CellVerdict.BROKEN) > allowed || count(CellVerdict.FAILED) > 0 ? 1 : 0;
    }

    private List<Cell> cells() {
        List<FabricKind> kinds = fabrics.stream().map(FabricKind::of).toList();
        for (FabricKind each : kinds) {
            if (!Cell.FABRICS.contains(each)) {
                throw new RunException("fabric '" + each.optionName() + "', expected local, shm, uds or tcp");
            }
        }
        List<Weights> pairs = weights.stream().map(Weights::parse).toList();
        return quick
                ? Cell.sample(kinds, modes, sizes, pairs, receivers)
                : Cell.all(kinds, modes, sizes, pairs, receivers);
    }

    private int count(CellVerdict verdict) {
        return verdicts.getOrDefault(verdict, 0);
    }

    /** A table for each fabric and mode, as soon as it is measured. */
    private void tables(List<Cell> cells, Function<Cell, CellOutcome> measurement) {
        MarkdownTable table = null;
        for (int i = 0; i < cells.size(); i++) {
            Cell cell = cells.get(i);
            if (table == null) {
                out.println(text(
                        "%n**%s, %s**%n",
                        cell.fabric().optionName(), cell.mode().name().toLowerCase(Locale.ROOT)));
                table = new MarkdownTable(List.of(
                        "messages",
                        "receiver",
                        "weights",
                        "entitled",
                        "share",
                        "off by",
                        "offered",
                        "MB/s",
                        "inbox full, 1/s",
                        "verdict"));
            }
            CellOutcome outcome = measurement.apply(cell);
            CellVerdict verdict = outcome.verdict(cell.weights(), tolerance);
            verdicts.merge(verdict, 1, Integer::sum);
            table.line(line(cell, outcome, verdict));
            err.println(text("%d/%d %s: %.3f, %s", i + 1, cells.size(), cell, outcome.share(), verdict.title));
            boolean last = i + 1 == cells.size()
                    || cells.get(i + 1).fabric() != cell.fabric()
                    || cells.get(i + 1).mode() != cell.mode();
            if (last) {
                table.print(out);
                out.flush();
                table = null;
            }
        }
    }

    private static List<String> line(Cell cell, CellOutcome outcome, CellVerdict verdict) {
        String failure = outcome.failure();
        return List.of(
                cell.sizes().title,
                cell.receiver().title,
                cell.weights().toString(),
                text("%.3f", cell.weights().entitled()),
                text("%.3f", outcome.share()),
                text("%+.1f %%", outcome.error(cell.weights()) * 100),
                text("%.1f and %.1f %%", outcome.firstOffered() * 100, outcome.secondOffered() * 100),
                text("%.0f", (outcome.first() + outcome.second()) / 1e6 / Math.max(outcome.seconds(), 1e-9)),
                text("%.0f", outcome.refusals() / Math.max(outcome.seconds(), 1e-9)),
                failure == null ? verdict.title : verdict.title + ": " + failure);
    }
}
