package io.verbena.bench.overflow;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import io.verbena.bench.report.Machine;
import io.verbena.bench.trial.JavaProcess;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.nio.file.Path;
import java.util.List;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench overflow}: the key-value store with more data than memory. */
@Command(
        name = "overflow",
        description = {
            "Measures the key-value store with a working set several times its memory (ETC: 5 %% SETs, Zipf 0.99),",
            "between processes: values moved to two donors, each with all of them, against eviction with misses",
            "answered from a file on disk, past the page cache, and against a store all of whose memory is a mapping",
            "of a file on disk. In rounds by turns; every answer's bytes are checked.",
            "Then a donor is killed (SIGKILL) in the middle of a round, and all keys are read: nothing may be lost.%n"
        })
public final class OverflowCommand extends RunCommand {
    private static final long MIN_MEMORY = 256 << 10;
    private static final long MIN_FRAMES = 64 << 10;
    private static final int FRAMES_PART = 8; // of the memory are frames, where there are donors
    private static final long MIN_LIMITED = 64_000_000; // much more than what a JVM takes and gives back in a round
    private static final String MOVED = "donors";
    private static final String EVICTED = "file";
    private static final String MAPPED = "mmap";
    private static final String ADVISED = "mmap: the kernel knows that its pages are used at random (MADV_RANDOM)";
    private static final String NOT_ADVISED =
            "mmap: this JVM cannot tell the kernel that pages are used at random, and it reads more than is used;"
                    + " Java 17, 22 and later can";

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

    @Option(names = "--file", paramLabel = "<directory>", description = "Where files are; default ${DEFAULT-VALUE}.")
    Path directory = Path.of(".");

    @Option(
            names = "--limit-memory",
            description = {
                "Run each server in a memory cgroup, in which it has for data what a store with a limit has, and",
                "what its JVM takes. Without, the page cache of the machine has the mapped file."
            })
    boolean limitMemory;

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
        if (limitMemory) {
            RunException.requireRange("with --limit-memory, keys x value / times", memory, MIN_LIMITED, Long.MAX_VALUE);
        }
        long frames = Math.max(MIN_FRAMES, memory / FRAMES_PART);
        long far = 2 * data / 4096 * 4096 + (1 << 20);
        LimitedServer.Sizes sizes = new LimitedServer.Sizes(data, memory, limitMemory);
        try (DiskDirectory disk = new DiskDirectory(directory, BackingFile.length(keys, value) + 2 * data);
                JavaProcess first = DonorProcess.start(2 * far);
                JavaProcess second = DonorProcess.start(2 * far);
                LimitedServer tier = LimitedServer.overflowing(
                        MOVED,
                        sizes,
                        frames,
                        far,
                        List.of(OverflowServer.addressOf(first), OverflowServer.addressOf(second)));
                LimitedServer evicting = LimitedServer.evicting(EVICTED, sizes);
                LimitedServer mapping = LimitedServer.mapping(MAPPED, sizes, disk.file(MAPPED));
                BackingFile file = new BackingFile(disk.file(EVICTED), value)) {
            out.println(Machine.here().text());
            out.println("files in " + directory.toAbsolutePath().normalize() + ", " + disk.fileSystem());
            out.println(MappingAdvice.isAvailable() ? ADVISED : NOT_ADVISED);
            String ofTier = OverflowServer.addressOf(tier.process());
            String ofEvicting = OverflowServer.addressOf(evicting.process());
            String ofMapping = OverflowServer.addressOf(mapping.process());
            try (Node node = Node.launch(new NodeContext().mode(NodeMode.INVOKER));
                    OverflowLoad moved = new OverflowLoad(node, ofTier, keys, value, depth, null);
                    OverflowLoad evicted = new OverflowLoad(node, ofEvicting, keys, value, depth, file);
                    OverflowLoad mapped = new OverflowLoad(node, ofMapping, keys, value, depth, null)) {
                Side donors = new Side(MOVED, tier, moved);
                List<Side> sides =
                        List.of(donors, new Side(EVICTED, evicting, evicted), new Side(MAPPED, mapping, mapped));
                measure(node, sides, disk.file(MAPPED));
                kill(donors, first);
            }
        }
        return 0;
    }

    private void measure(Node node, List<Side> sides, Path mapping) {
        OverflowRounds measured = new OverflowRounds(node, sides, writes, seconds);
        measured.warmUp(warmup / 2); // compiles what all run, for which JVMs take much memory
        if (limitMemory) {
            Side.whileServing(node, () -> DiskDirectory.force(mapping)); // pages that are on disk can go at once
            measured.limitMemory();
        }
        measured.warmUp(warmup - warmup / 2); // fills the memory by use
        OverflowLoad.Counts counts = sides.get(1).load().counts();
        long filled = counts.done;
        long missed = counts.misses;
        measured.measure(rounds, depth, out);
        out.println(text(
                "%.1f %% of the operations missed the evicting store",
                100.0 * (counts.misses - missed) / Math.max(1, counts.done - filled)));
    }

    /** A donor dies in the middle of a round. */
    private void kill(Side moved, JavaProcess donor) {
        moved.run(writes, seconds, () -> donor.process().destroyForcibly());
        Histogram histogram = moved.load().times();
        moved.readAll();
        out.println(text(
                "one of two donors killed in a round: p99 %.0f us, longest %.0f ms; all %d keys read and right",
                histogram.getValueAtPercentile(99) / 1000.0, histogram.getMaxValue() / 1e6, keys));
    }
}
