package io.verbena.bench.overflow;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.NodeMode;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@Timeout(240)
class OverflowCommandTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

    private int run(String... arguments) {
        PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
        OverflowCommand command = new OverflowCommand();
        command.printTo(out, out);
        return new CommandLine(command)
                .setErr(new PrintWriter(out, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    /** Where there is no disk to measure, that is said. */
    private String runOrAbort(Path directory, String... arguments) {
        int status = run(arguments);
        String text = text();
        assertThat(directory).as("what is left behind").isEmptyDirectory();
        if (text.contains("no direct I/O") || text.contains("which is memory")) {
            assertThat(status).isEqualTo(1);
            Assumptions.abort(text);
        }
        assertThat(status).as(text).isZero();
        return text;
    }

    private String text() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    /** Between processes, one of which is killed. */
    @Test
    void measuresAllWaysAndLosesNothing(@TempDir Path directory) throws IOException {
        String text = runOrAbort(
                directory, "--keys=2000", "--rounds=1", "--warmup=1", "--seconds=0.2", "--file=" + directory);
        assertThat(text)
                .contains("| donors", "| file", "| mmap", "donors by file", "donors by mmap")
                .contains("p99, us")
                .contains("files in " + directory + ", "
                        + Files.getFileStore(directory).type())
                .contains("all 2000 keys read and right")
                .doesNotContain("MiB held");
    }

    /** In cgroups, where this process may make them; with as much memory as data, since only the way is tested. */
    @Test
    void limitsTheServersMemory(@TempDir Path directory) {
        MemoryGroupTest.groupOrAbort("probe").close();
        String text = runOrAbort(
                directory,
                "--limit-memory",
                "--times=1",
                "--keys=1000",
                "--value=65536",
                "--rounds=1",
                "--warmup=2",
                "--seconds=0.2",
                "--file=" + directory);
        assertThat(text)
                .contains("donors: MiB held", "file: MiB held", "mmap: MiB held")
                .contains("all 1000 keys read and right");
    }

    /** All that a store has is in its file, and it answers with what was written last. */
    @Test
    void theMappedFileHasTheStore(@TempDir Path directory) throws IOException {
        Path mapping = directory.resolve("mapped");
        LimitedServer.Sizes sizes = new LimitedServer.Sizes(2_000_000, 500_000, false);
        try (LimitedServer server = LimitedServer.mapping("mmap", sizes, mapping);
                Node node = Node.launch(new NodeContext().mode(NodeMode.INVOKER));
                OverflowLoad load =
                        new OverflowLoad(node, OverflowServer.addressOf(server.process()), 2000, 1000, 16, null)) {
            assertThat(Files.size(mapping)).isGreaterThan(2000 * 1000);
            assertThat(load.run(50, 0.2)).isPositive();
            load.readAll();
            assertThat(load.counts().misses).isZero();
            assertThat(mappings(server.process().process().pid(), mapping))
                    .as("MADV_RANDOM")
                    .isNotEmpty()
                    .allMatch(flags -> flags.contains(" rr"));
        }
    }

    /** Flags of each mapping of a file, where the system shows them. */
    private static List<String> mappings(long pid, Path file) throws IOException {
        Path smaps = Path.of("/proc/" + pid + "/smaps");
        Assumptions.assumeTrue(Files.isReadable(smaps) && MappingAdvice.isAvailable());
        List<String> flags = new ArrayList<>();
        boolean own = false;
        for (String line : Files.readAllLines(smaps)) {
            if (line.startsWith("VmFlags:")) {
                if (own) {
                    flags.add(line);
                }
            } else if (line.matches("[0-9a-f]+-[0-9a-f]+ .*")) {
                own = line.endsWith(" " + file.toRealPath());
            }
        }
        return flags;
    }

    @Test
    void namesWhatIsOutOfRange() {
        assertThat(run("--times", "0")).isEqualTo(1);
        assertThat(text()).contains("times 0 < minimum 1");
    }

    @Test
    void namesTheLeastMemoryThatCanBeLimited() {
        assertThat(run("--limit-memory")).isEqualTo(1);
        assertThat(text()).contains("with --limit-memory, keys x value / times 7500000 < minimum 64000000");
    }

    @Test
    void namesADirectoryThatDoesNotDo(@TempDir Path directory) throws IOException {
        assertThat(run("--file=" + directory.resolve("none"))).isEqualTo(1);
        assertThat(text()).contains("no files in " + directory.resolve("none"));
        assertThat(run("--keys=10000000", "--value=65536", "--file=" + directory))
                .isEqualTo(1);
        assertThat(text()).containsPattern("has [0-9]+ MiB free and needs 1875000 MiB|which is memory");
        Path shared = Path.of("/dev/shm");
        Assumptions.assumeTrue(
                Files.isDirectory(shared) && Files.getFileStore(shared).type().equals("tmpfs"));
        assertThat(run("--file=/dev/shm")).isEqualTo(1);
        assertThat(text()).contains("/dev/shm is tmpfs, which is memory; name a directory on a disk with --file");
    }

    @Test
    void frequentKeysAreFrequent() {
        Zipf zipf = new Zipf(1000, new SplittableRandom(1));
        int[] counts = new int[1000];
        for (int i = 0; i < 100_000; i++) {
            counts[zipf.next()]++;
        }
        int most = 0;
        for (int each : counts) {
            most = Math.max(most, each);
        }
        assertThat(most / 100_000.0).as("1 / sum of 1/i^0.99").isBetween(0.11, 0.15);
    }
}
