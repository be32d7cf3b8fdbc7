package io.verbena.bench.files;

import io.verbena.Node;
import io.verbena.bench.Interval;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.bench.trial.Sink;
import io.verbena.verification.RunCommand;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench files}: remote files against local ones. */
@Command(
        name = "files",
        description = {
            "Measures remote files against files on tmpfs and on a disk: written and read in order by 128 KiB, and at",
            "random by 4 KiB, by one thread, in rounds by turns. Writes end when they are forced; the disk has the",
            "system's page cache before it, remote files what --resident says. Every page that is read is checked.%n"
        })
public final class FilesCommand extends RunCommand {
    private static final int MIB = 1 << 20;
    private static final int MAX_DONORS = 16;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final int END_SECONDS = 60;

    @Option(names = "--fabric", description = "tcp, uds or shm; default ${DEFAULT-VALUE}.")
    String fabric = "shm";

    @Option(names = "--size", paramLabel = "<MiB>", description = "Of the file; default ${DEFAULT-VALUE}.")
    int size = 256;

    @Option(names = "--resident", paramLabel = "<MiB>", description = "Of it that are here; default a quarter.")
    int resident;

    @Option(names = "--donors", paramLabel = "<count>", description = "Processes; default ${DEFAULT-VALUE}.")
    int donors = 2;

    @Option(names = "--operations", paramLabel = "<count>", description = "At random; default ${DEFAULT-VALUE}.")
    int operations = 20_000;

    @Option(names = "--rounds", paramLabel = "<count>", description = "Default ${DEFAULT-VALUE}.")
    int rounds = 3;

    @Option(names = "--tmpfs", paramLabel = "<directory>", description = "Default ${DEFAULT-VALUE}.")
    Path tmpfs = Path.of("/dev/shm");

    @Option(names = "--disk", paramLabel = "<directory>", description = "Default: the current one.")
    Path disk = Path.of("");

    /** Creates the command. */
    public FilesCommand() {
        super("bench files");
    }

    /** Work, and how much of it there is. */
    private record Work(String name, String unit, double amount, Step step) {}

    /** What is done to a file. */
    private interface Step {
        void run(FileLoad load) throws IOException;
    }

    @Override
    protected int run() {
        RunException.requireRange("size", size, 1, 1 << 14);
        resident = resident == 0 ? Math.max(1, size / 4) : resident;
        RunException.requireRange("resident", resident, 1, 1 << 14);
        RunException.requireRange("donors", donors, 1, MAX_DONORS);
        RunException.requireRange("operations", operations, 1, 100_000_000);
        RunException.requireRange("rounds", rounds, 1, 1000);
        long share = (long) size * MIB / donors + MIB;
        out.println(Machine.here().text());
        List<Sink> processes = new ArrayList<>();
        try {
            for (int i = 0; i < donors; i++) {
                processes.add(new Sink(DonorProcess.class, fabric, "donor-" + i, Long.toString(share)));
            }
            List<String> addresses = processes.stream().map(Sink::address).toList();
            try (Node node = Node.launch(DonorProcess.context(fabric))) {
                measure(addresses, node);
            }
            processes.forEach(donor -> donor.await(END_SECONDS)); // they have their memory back
        } catch (IOException e) {
            throw new RunException("a file failed: " + e, e);
        } finally {
            processes.forEach(Sink::close);
        }
        return 0;
    }

    private void measure(List<String> addresses, Node node) throws IOException {
        List<Work> works = List.of(
                new Work("write in order", "MB/s", size * 1.048576, FileLoad::writeAll),
                new Work("write again in order", "MB/s", size * 1.048576, FileLoad::writeAll),
                new Work("read in order", "MB/s", size * 1.048576, FileLoad::readAll),
                new Work("read at random, 4 KiB", "k/s", operations / 1e3, load -> load.readSome(operations)),
                new Work("write at random, 4 KiB", "k/s", operations / 1e3, load -> load.writeSome(operations)));
        URI uri = URI.create("verbena://bench");
        Map<String, Object> properties = Map.of(
                "donors", addresses,
                "resident", (long) resident * MIB,
                "timeout", TIMEOUT,
                "node", node);
        String name = "verbena-bench-" + ProcessHandle.current().pid();
        List<List<List<Double>>> rates = new ArrayList<>(); // of each place, of each work, of each round
        try (FileSystem system = FileSystems.newFileSystem(uri, properties)) {
            List<Path> places = List.of(system.getPath("/", name), tmpfs.resolve(name), disk.resolve(name));
            places.forEach(place -> rates.add(emptyLists(works.size())));
            for (int round = -1; round < rounds; round++) { // one to compile
                for (int i = 0; i < places.size(); i++) {
                    err.println(places.get(i).toUri() + (round < 0 ? ", warming up" : ", round " + (round + 1)));
                    round(places.get(i), works, round < 0 ? emptyLists(works.size()) : rates.get(i));
                }
            }
        }
        print(works, rates);
    }

    private static List<List<Double>> emptyLists(int count) {
        List<List<Double>> lists = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            lists.add(new ArrayList<>());
        }
        return lists;
    }

    private void round(Path place, List<Work> works, List<List<Double>> rates) throws IOException {
        Files.deleteIfExists(place);
        try (FileLoad load = new FileLoad(place, (long) size * MIB)) {
            for (int i = 0; i < works.size(); i++) {
                long begin = System.nanoTime();
                works.get(i).step().run(load);
                rates.get(i).add(works.get(i).amount() / ((System.nanoTime() - begin) / 1e9));
            }
        }
    }

    private void print(List<Work> works, List<List<List<Double>>> rates) {
        MarkdownTable table = new MarkdownTable(List.of(
                size + " MiB, " + resident + " here, " + donors + " donors over " + fabric,
                "remote",
                "tmpfs",
                "disk",
                "remote / tmpfs",
                "remote / disk"));
        for (int i = 0; i < works.size(); i++) {
            List<Double> remote = rates.get(0).get(i);
            List<Double> memory = rates.get(1).get(i);
            List<Double> local = rates.get(2).get(i);
            Work work = works.get(i);
            table.line(List.of(
                    work.name() + ", " + work.unit(),
                    rate(remote),
                    rate(memory),
                    rate(local),
                    ratio(remote, memory),
                    ratio(remote, local)));
        }
        table.print(out);
    }

    private static String rate(List<Double> values) {
        Interval interval = Interval.of(values).orElseThrow();
        return text("%.0f (%.0f-%.0f)", interval.median(), interval.min(), interval.max());
    }

    /** Of each round by itself. */
    private static String ratio(List<Double> values, List<Double> others) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            ratios.add(values.get(i) / others.get(i));
        }
        Interval interval = Interval.of(ratios).orElseThrow();
        return text("%.2f (%.2f-%.2f)", interval.median(), interval.min(), interval.max());
    }
}
