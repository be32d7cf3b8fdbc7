package io.verbena.bench.command;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.path.Waiting;
import io.verbena.bench.report.FigureTable;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.Setting;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench waiting}: the same round trip while others want the cores, in each way to wait. */
@Command(
        name = "waiting",
        description = {
            "Measures a round trip while no, one and two other processes burn a "
                    + "core each, in every way to wait: what a",
            "wait costs when there are more runnable threads than cores. Default: verbena-append-shm aeron-ipc.%n"
        })
final class WaitingCommand extends RowsCommand {
    private static final List<Figure> FIGURES = List.of(Figure.P50, Figure.P99, Figure.P999);

    @Mixin
    PathOptions path = new PathOptions();

    @Option(
            names = "--busy",
            split = ",",
            paramLabel = "<count>",
            defaultValue = "0,1,2",
            description = "Processes that burn a core each; default ${DEFAULT-VALUE}.")
    List<Integer> busy = new ArrayList<>();

    @Option(
            names = "--idle",
            split = ",",
            paramLabel = "<way>",
            defaultValue = "spin,polite,yield,backoff,default",
            converter = Ways.class,
            description = Ways.DESCRIPTION)
    List<Waiting> ways = new ArrayList<>();

    @Mixin
    RunOptions options = new RunOptions();

    @Override
    protected int run() {
        List<String> paths = path.paths("verbena-append-shm", "aeron-ipc");
        List<ComparisonRow> rows = new ArrayList<>();
        for (Waiting way : ways) {
            for (int count : busy) {
                Setting setting = path.apply(Setting.of("", Measure.ROUND_TRIP, path.bytes), way, count);
                String name = Ways.name(way);
                rows.add(new ComparisonRow(
                        "waiting-" + name + "-" + count,
                        name + ", " + count + " busy",
                        FIGURES,
                        PathOptions.contestants(paths, setting),
                        List.of()));
            }
        }
        return measure(
                List.of("bench", "waiting"),
                options,
                options.unpinned(),
                rows,
                results -> new FigureTable(results, "wait", FIGURES).print(out),
                plots -> FIGURES.forEach(figure -> plots.groups("waiting-" + figure.title(), figure)));
    }
}
