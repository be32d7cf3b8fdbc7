package io.verbena.bench.command;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.path.Waiting;
import io.verbena.bench.report.Plots;
import io.verbena.bench.report.RatioTable;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.Setting;
import io.verbena.verification.RunException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench compare}: any paths, one measure. */
@Command(
        name = "compare",
        description = {
            "Measures any paths side by side and prints ratios to the last one: "
                    + "round trips, or with --rate messages one",
            "way, or with --depth answered messages, so many under way. Default: verbena-append-shm aeron-ipc.%n"
        })
final class CompareCommand extends RowsCommand {
    @Mixin
    PathOptions path = new PathOptions();

    @Option(names = "--rate", description = "Measure messages one way instead of round trips.")
    boolean rate;

    @Option(
            names = "--batch",
            paramLabel = "<messages>",
            description = "With --rate: messages a doorbell; default ${DEFAULT-VALUE}.")
    int batch = 1;

    @Option(
            names = "--depth",
            paramLabel = "<messages>",
            description =
                    "Measure with so many messages under way, each answered; with --rate: requests of READ, WRITE.")
    @Nullable
    Integer depth;

    @Option(names = "--qps", paramLabel = "<count>", description = "Queue pairs; default ${DEFAULT-VALUE}.")
    int queuePairs = 1;

    @Option(
            names = "--producers",
            paramLabel = "<count>",
            description = "With --rate: threads that send; default ${DEFAULT-VALUE}.")
    int producers = 1;

    @Option(
            names = "--idle",
            paramLabel = "<way>",
            defaultValue = Ways.DEFAULT,
            converter = Ways.class,
            description = Ways.DESCRIPTION)
    Waiting waiting = Waiting.SPIN_THEN_YIELD;

    @Option(
            names = "--busy",
            paramLabel = "<count>",
            description = "Processes that burn a core meanwhile; default ${DEFAULT-VALUE}.")
    int busy;

    @Mixin
    RunOptions options = new RunOptions();

    @Override
    protected int run() {
        if (producers > 1 && !rate) {
            throw new RunException("producers " + producers + " > maximum 1 without --rate");
        }
        List<String> paths = path.paths("verbena-append-shm", "aeron-ipc");
        Measure measure = rate ? Measure.STREAM : depth == null ? Measure.ROUND_TRIP : Measure.WINDOW;
        Setting setting = path.apply(Setting.of("", measure, path.bytes), waiting, busy)
                .withBatch(batch)
                .withQueuePairs(queuePairs)
                .withProducers(producers);
        if (depth != null) {
            setting = setting.withDepth(depth);
        }
        List<Contestant> all = PathOptions.contestants(paths, setting);
        int last = all.size() - 1;
        List<Figure> figures = rate ? List.of(Figure.RATE, Figure.BYTES) : measure.figures();
        ComparisonRow row = new ComparisonRow(
                "compare",
                SuffixedNumbers.text(path.bytes, 1 << 10) + " bytes, " + measure.title(),
                figures,
                all.subList(0, last),
                all.subList(last, last + 1));
        return measure(
                List.of("bench", "compare"),
                options,
                busy == 0 ? options.schedule() : options.unpinned(),
                List.of(row),
                results -> new RatioTable(results).print(out),
                Plots::rows);
    }
}
