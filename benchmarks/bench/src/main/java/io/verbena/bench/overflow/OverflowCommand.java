package io.verbena.bench.overflow;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.bench.Interval;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench overflow}: the key-value store with more data than memory. */
@Command(
        name = "overflow",
        description = {
            "Measures the key-value store with a working set several times its memory (ETC: 5 %% SETs, Zipf 0.99),",
            "between processes: strings moved to two donors, each with all of them, against eviction with misses",
            "answered from a file on disk, past the page cache. In rounds by turns; every answer's bytes are checked.",
            "Then a donor is killed (SIGKILL) in the middle of a round, and all keys are read: nothing may be lost.%n"
        })
public final class OverflowCommand extends RunCommand {
    private static final long MIN_MEMORY = 256 << 10;
    private static final long MIN_FRAMES = 64 << 10;
    private static final int FRAMES_PART = 8; // of the memory are frames, where there are donors

    @Option(names = "--keys", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int keys = 30_000;

    @Option(names = "--value", paramLabel = "<bytes>", description = "Of a value; default ${DEFAULT-VALUE}.")
    int value = 1000;

    @Option(names = "--times", paramLabel = "<n>", description = "Data by memory; default ${DEFAULT-VALUE}.")
    int times = 4;

    @Option(names = "--depth", paramLabel = "<count>", description = "Under way at a time; default ${DEFAULT-VALUE}.")
    int depth = 16;

    @Option(names = "--writes", paramLabel = "<percent>", description = "SETs among them; default ${DEFAULT-VALUE}.")
    int writes = 5;

    @Option(names = "--rounds", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int rounds = 3;

    @Option(names = "--warmup", paramLabel = "<count>", description = "Rounds before; default ${DEFAULT-VALUE}.")
    int warmup = 10;

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "Of a round; default ${DEFAULT-VALUE}.")
    double seconds = 3;

    @Option(names = "--file", paramLabel = "<directory>", description = "Where the file is; default ${DEFAULT-VALUE}.")
    Path directory = Path.of(".");

    /** Creates the command. */
    public OverflowCommand() {
        super("bench overflow");
    }

    @Override
    protected int run() {
        RunException.requireRange("keys", keys, 1000, 10_000_000);
        RunException.requireRange("value", value, 64, 65_536);
        RunException.requireRange("times", times, 1, 100);
        RunException.requireRange("depth", depth, 1, 256);
        RunException.requireRange("writes", writes, 0, 100);
        RunException.requireRange("rounds", rounds, 1, 1000);
        RunException.requireRange("warmup", warmup, 1, 1000);
        long data = (long) keys * value;
        long memory = data / times;
        RunException.requireRange("keys x value / times", memory, MIN_MEMORY, Long.MAX_VALUE);
        long frames = Math.max(MIN_FRAMES, memory / FRAMES_PART);
        long far = 2 * data / 4096 * 4096 + (1 << 20);
        try (JavaProcess first = new JavaProcess(DonorProcess.class, List.of(Long.toString(2 * far)));
                JavaProcess second = new JavaProcess(DonorProcess.class, List.of(Long.toString(2 * far)));
                JavaProcess tier = server(
                        memory - frames,
                        frames,
                        far,
                        List.of(OverflowServer.addressOf(first), OverflowServer.addressOf(second)));
                JavaProcess evicting = server(memory, frames, far, List.of());
                BackingFile file = new BackingFile(directory, value);
                Node node = Node.launch(new NodeContext().mode(NodeMode.INVOKER));
                OverflowLoad moved = new OverflowLoad(node, OverflowServer.addressOf(tier), keys, value, depth, null);
                OverflowLoad evicted =
                        new OverflowLoad(node, OverflowServer.addressOf(evicting), keys, value, depth, file)) {
            out.println(Machine.here().text());
            measure(moved, evicted);
            kill(moved, first);
        }
        return 0;
    }

    private static JavaProcess server(long memory, long frames, long far, List<String> donors) {
        List<String> arguments =
                new ArrayList<>(List.of(Long.toString(memory), Long.toString(frames), Long.toString(far)));
        arguments.addAll(donors);
        return new JavaProcess(OverflowServer.class, arguments);
    }

    private void measure(OverflowLoad moved, OverflowLoad evicted) {
        List<OverflowLoad> ways = List.of(moved, evicted);
        OverflowLoad.Counts counts = evicted.counts();
        long filled = 0;
        long missed = 0;
        double[][] rates = new double[3][rounds];
        double[][] tails = new double[3][rounds];
        double[][] medians = new double[3][rounds];
        for (int i = -warmup; i < rounds; i++) { // the first ones compile what all run, and fill the memory by use
            if (i == 0) {
                filled = counts.done;
                missed = counts.misses;
            }
            for (int way = 0; way < 2; way++) {
                double rate = ways.get(way).run(writes, seconds) / 1000;
                Histogram histogram = ways.get(way).times();
                if (i >= 0) {
                    rates[way][i] = rate;
                    medians[way][i] = histogram.getValueAtPercentile(50) / 1000.0;
                    tails[way][i] = histogram.getValueAtPercentile(99) / 1000.0;
                }
            }
            if (i >= 0) {
                rates[2][i] = rates[0][i] / rates[1][i];
                medians[2][i] = medians[0][i] / medians[1][i];
                tails[2][i] = tails[0][i] / tails[1][i];
            }
        }
        MarkdownTable table = new MarkdownTable(List.of("what", "donors", "file", "donors by file"));
        table.line(line("1000 operations a second, " + depth + " under way, " + writes + " % SETs", rates));
        table.line(line("p50, us", medians));
        table.line(line("p99, us", tails));
        table.print(out);
        out.println(text(
                "%.1f %% of the operations missed the evicting store",
                100.0 * (counts.misses - missed) / Math.max(1, counts.done - filled)));
    }

    /** A donor dies in the middle of a round. */
    private void kill(OverflowLoad load, JavaProcess donor) {
        ScheduledExecutorService later = Executors.newSingleThreadScheduledExecutor();
        try {
            Future<?> killed = later.schedule(
                    () -> donor.process().destroyForcibly(), (long) (seconds * 500), TimeUnit.MILLISECONDS);
            load.run(writes, seconds);
            if (!killed.isDone()) {
                throw new RunException("the donor was not killed before the round was over: give it more --seconds");
            }
        } finally {
            later.shutdownNow();
        }
        Histogram histogram = load.times();
        load.readAll();
        out.println(text(
                "one of two donors killed in a round: p99 %.0f us, longest %.0f ms; all %d keys read and right",
                histogram.getValueAtPercentile(99) / 1000.0, histogram.getMaxValue() / 1e6, keys));
    }

    private static List<String> line(String what, double[][] values) {
        return List.of(what, cell(values[0]), cell(values[1]), cell(values[2]));
    }

    private static String cell(double[] values) {
        Interval interval = Interval.of(values);
        return text("%.2f (%.2f-%.2f)", interval.median(), interval.min(), interval.max());
    }
}
