package io.verbena.bench.command;

import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.path.Waiting;
import io.verbena.bench.report.Curves;
import io.verbena.bench.report.FigureTable;
import io.verbena.bench.report.Plots;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Measure;
import io.verbena.bench.trial.Setting;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code verbena bench sweep}: how figures change with size, depth, queue pairs or producers. */
@Command(
        name = "sweep",
        description = {
            "Measures paths over sizes, depths, queue pairs or producers, and draws "
                    + "the curves. Sizes are measured one way",
            "(--round-trip: there and back), depths by answered messages, queue pairs and producers one way.%n"
        })
final class SweepCommand extends RowsCommand {
    private static final int BATCHES_PER_WINDOW = 4;
    private static final int KIB = 1 << 10;

    /** What changes. */
    enum Axis {
        /** Bytes of a message. */
        SIZE("bytes of a message", "8,32,128,512,2k,8k,32k,128k,512k,2m,8m,16m", Measure.STREAM),
        /** Messages under way. */
        DEPTH("messages under way", "1,2,4,8,16,32,64,128,256,512", Measure.WINDOW),
        /** Queue pairs. */
        QPS("queue pairs", "1,3,10,30,100,300,1000", Measure.STREAM),
        /** Threads that send to one. */
        PRODUCERS("producers", "1,2,3,4", Measure.STREAM);

        private final String title;
        private final String values;
        private final Measure measure;

        Axis(String title, String values, Measure measure) {
            this.title = title;
            this.values = values;
            this.measure = measure;
        }

        private Setting apply(Setting setting, int value) {
            switch (this) {
                case SIZE:
                    return setting.withBytes(value);
                case DEPTH:
                    return setting.withDepth(value);
                case QPS:
                    return setting.withQueuePairs(value);
                default:
                    return setting.withProducers(value);
            }
        }

        private List<String> paths() {
            switch (this) {
                case SIZE:
                    return List.of("verbena-append-shm", "verbena-send-shm", "aeron-ipc", "agrona-many-to-one");
                case DEPTH:
                    return List.of("verbena-append-tcp", "verbena-send-tcp", "netty-framed-tcp");
                case QPS:
                    return List.of("verbena-append-shm", "verbena-append-tcp");
                default:
                    return List.of("verbena-append-shm", "aeron-ipc-concurrent", "agrona-many-to-one");
            }
        }
    }

    @Option(names = "--over", required = true, paramLabel = "<axis>", description = "size, depth, qps or producers.")
    Axis axis = Axis.SIZE;

    @Option(
            names = "--values",
            split = ",",
            paramLabel = "<value>",
            converter = SuffixedNumbers.Size.class,
            description =
                    "Points of the axis; by default 8 to 16m bytes, 1 to 512 messages, 1 to 1000 queue pairs, 1 to 4"
                            + " producers.")
    List<Integer> values = new ArrayList<>();

    @Mixin
    PathOptions path = new PathOptions();

    @Option(names = "--round-trip", description = "Of sizes: round trips instead of messages one way.")
    boolean roundTrip;

    @Option(
            names = "--batch",
            paramLabel = "<messages>",
            description =
                    "One way, up to 4k bytes, and under way, a quarter of them at most: messages a doorbell; default"
                            + " ${DEFAULT-VALUE}.")
    int batch = 16;

    @Option(
            names = "--depth",
            paramLabel = "<messages>",
            description =
                    "One way: requests of WRITE and READ under way, receives that SEND finds; default 512, and less"
                            + " for large messages.")
    @Nullable
    Integer depth;

    @Option(
            names = "--idle",
            paramLabel = "<way>",
            defaultValue = Ways.DEFAULT,
            converter = Ways.class,
            description = Ways.DESCRIPTION)
    Waiting waiting = Waiting.SPIN_THEN_YIELD;

    @Mixin
    RunOptions options = new RunOptions();

    @Override
    protected int run() {
        Measure measure = axis == Axis.SIZE && roundTrip ? Measure.ROUND_TRIP : axis.measure;
        List<Integer> points = new ArrayList<>(values);
        if (points.isEmpty()) {
            SuffixedNumbers.Size size = new SuffixedNumbers.Size();
            for (String each : axis.values.split(",", -1)) {
                points.add(size.convert(each));
            }
        }
        List<Figure> figures = measure == Measure.STREAM ? List.of(Figure.RATE, Figure.BYTES) : measure.figures();
        List<ComparisonRow> rows = new ArrayList<>();
        Map<ComparisonRow, Integer> positions = new HashMap<>();
        for (int value : points) {
            Setting setting = axis.apply(path.apply(Setting.of("", measure, path.bytes), waiting, 0), value);
            ComparisonRow row = new ComparisonRow(
                    "sweep-" + value,
                    SuffixedNumbers.text(value, axis == Axis.SIZE ? KIB : 1000),
                    figures,
                    contestants(shaped(setting, measure)),
                    List.of());
            rows.add(row);
            positions.put(row, value);
        }
        return measure(
                List.of("bench", "sweep", "--over", axis.name().toLowerCase(Locale.ROOT)),
                options,
                options.schedule(3, 1, 0),
                rows,
                results -> new FigureTable(results, axis.title, figures).print(out),
                plots -> draw(plots, figures, positions));
    }

    private List<Contestant> contestants(Setting setting) {
        return PathOptions.contestants(path.paths.isEmpty() ? axis.paths() : path.paths, setting);
    }

    /** Small messages share doorbells, large ones do not fill the memory. */
    private Setting shaped(Setting setting, Measure measure) {
        if (measure == Measure.WINDOW) {
            return setting.withBatch(Math.max(1, Math.min(batch, setting.depth() / BATCHES_PER_WINDOW)));
        }
        if (measure != Measure.STREAM) {
            return setting;
        }
        int fitting = Math.max(1, Math.min(512, (64 << 20) / setting.bytes()));
        return setting.withBatch(setting.bytes() <= 4 * KIB ? batch : 1).withDepth(depth == null ? fitting : depth);
    }

    private void draw(Plots plots, List<Figure> figures, Map<ComparisonRow, Integer> positions) {
        Curves curves = new Curves(plots);
        for (Figure figure : figures) {
            String name =
                    axis.name().toLowerCase(Locale.ROOT) + "-" + figure.title().replace("/s", "");
            curves.sweep(name, axis.title, figure, row -> positions.getOrDefault(row, 1));
        }
    }
}
