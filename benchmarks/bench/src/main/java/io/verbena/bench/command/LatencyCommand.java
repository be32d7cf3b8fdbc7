package io.verbena.bench.command;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.path.Waiting;
import io.verbena.bench.report.Curves;
import io.verbena.bench.report.FigureTable;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.Setting;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench latency}: percentiles at fixed rates, from scheduled send times. */
@Command(
        name = "latency",
        description = {
            "Sends messages at the scheduled times of a fixed rate, there and back, and counts each latency from the",
            "scheduled time: a stall shows in every message that it delays. A measurement that misses its rate by more",
            "than 1 % is void, and the table says so instead of figures. Default: verbena-append-shm aeron-ipc.%n"
        })
final class LatencyCommand extends RowsCommand {
    @Mixin
    PathOptions path = new PathOptions();

    @Option(
            names = "--rates",
            split = ",",
            paramLabel = "<rate>",
            defaultValue = "10k,100k,1M",
            converter = SuffixedNumbers.Rate.class,
            description = "Messages a second; default ${DEFAULT-VALUE}.")
    List<Long> rates = new ArrayList<>();

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
        List<String> paths = path.paths("verbena-append-shm", "aeron-ipc");
        List<ComparisonRow> rows = new ArrayList<>();
        for (long rate : rates) {
            Setting setting =
                    path.apply(Setting.of("", Measure.SCHEDULED, path.bytes).withRate(rate), waiting, busy);
            String text = SuffixedNumbers.text(rate, 1000);
            rows.add(new ComparisonRow(
                    "latency-" + text,
                    text + "/s",
                    Measure.SCHEDULED.figures(),
                    PathOptions.contestants(paths, setting),
                    List.of()));
        }
        return measure(
                List.of("bench", "latency"),
                options,
                busy == 0 ? options.schedule() : options.unpinned(),
                rows,
                results -> new FigureTable(results, "rate", Measure.SCHEDULED.figures()).print(out),
                plots -> new Curves(plots).percentiles());
    }
}
