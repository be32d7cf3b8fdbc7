package io.verbena.bench.polling;

import io.verbena.bench.polling.PollingRun.Load;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.MarkdownTable;
import io.verbena.bench.trial.Sink;
import io.verbena.verification.RunCommand;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench polling}: round trip, rate, CPU and wake-ups of each polling scheme. */
@Command(
        name = "polling",
        description = {
            "Measures messages of 32 bytes there and back between two processes whose nodes poll by",
            "the same scheme: a callback answers, the client waits in Inbox.await. For each scheme, load, and",
            "number of processes that burn a core beside: round trip from when a message was due, rate, processor",
            "time and wake-ups of both processes per round trip. Then the default against the best of each row, and",
            "geometric means over all rows. Up to 8 minutes a fabric; Linux. The same without a machine: --simulated.%n"
        })
public final class PollingCommand extends RunCommand {
    private static final List<Load> LOADS = List.of(
            new Load("idle (20/s)", 20),
            new Load("1 k/s", 1_000),
            new Load("100 k/s", 100_000),
            new Load("saturation", EchoClient.SATURATION));
    private static final double SIMULATED_SECONDS = 0.5;
    private static final double QUICK_SECONDS = 0.1;

    @Option(names = "--quick", description = "Three minutes: one second a cell, 0 and 1 busy processes.")
    boolean quick;

    @Option(names = "--fabric", defaultValue = "tcp", description = "tcp, uds or shm; default ${DEFAULT-VALUE}.")
    String fabric = "tcp";

    @Option(names = "--busy", split = ",", paramLabel = "<count>", description = "Default 0,1,2; with --quick 0,1.")
    List<Integer> busy = new ArrayList<>();

    @Option(names = "--schemes", split = ",", paramLabel = "<scheme>", description = "Of ${COMPLETION-CANDIDATES}.")
    List<SchemeName> schemes = new ArrayList<>();

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "Of a cell; default 4, with --quick 1.")
    double seconds;

    @Option(
            names = "--simulated",
            description = "On two simulated cores, on any system: two threads with a NIC each, no fabric, no JVM. The "
                    + "same for the same arguments. --seconds is of an idle cell; default 0.5, with --quick 0.1.")
    boolean simulated;

    @Option(names = "--seed", paramLabel = "<seed>", description = "Of the simulation; default ${DEFAULT-VALUE}.")
    long seed = 1;

    /** Creates the command. */
    public PollingCommand() {
        super("bench polling");
    }

    @Override
    protected int run() {
        List<Integer> counts = busy.isEmpty() ? (quick ? List.of(0, 1) : List.of(0, 1, 2)) : busy;
        List<SchemeName> chosen = schemes.isEmpty() ? List.of(SchemeName.values()) : schemes;
        List<PollingCell> cells = new ArrayList<>(simulated ? simulate(chosen, counts) : measure(chosen, counts));
        cells.sort(Comparator.comparingInt(PollingCell::busy)
                .thenComparingInt(cell -> order(cell.load()))
                .thenComparing(PollingCell::scheme));
        table(cells).print(out);
        out.println();
        new PollingVerdict(cells).print(out);
        return 0;
    }

    private List<PollingCell> simulate(List<SchemeName> chosen, List<Integer> counts) {
        double each = seconds > 0 ? seconds : quick ? QUICK_SECONDS : SIMULATED_SECONDS;
        out.println(text("%d simulated cores, seed %d, %.2f s an idle cell", SimulatedEcho.CORES, seed, each));
        return new SimulatedPolling(seed, LOADS, counts, (long) (each * 1e9)).measure(chosen);
    }

    private List<PollingCell> measure(List<SchemeName> chosen, List<Integer> counts) {
        if (!Files.isReadable(Path.of("/proc/self/schedstat"))) {
            throw wrong("this system does not count what threads use in /proc/<pid>/task/<tid>/schedstat");
        }
        double each = seconds > 0 ? seconds : quick ? 1 : 4;
        out.println(Machine.here().text());
        PollingRun run = new PollingRun(Sink.listen(fabric, "polling"), LOADS, counts, each, quick ? 2 : 6);
        List<PollingCell> cells = new ArrayList<>();
        for (SchemeName scheme : chosen) {
            run.measure(scheme, cell -> {
                cells.add(cell);
                err.println(scheme.text() + ", " + cell.load() + ", " + cell.busy() + " busy: "
                        + cell.whyVoid().orElse("measured"));
            });
        }
        return cells;
    }

    private static int order(String load) {
        return LOADS.stream().map(Load::text).toList().indexOf(load);
    }

    private static MarkdownTable table(List<PollingCell> cells) {
        MarkdownTable table = new MarkdownTable(
                List.of("busy", "load", "scheme", "p50 us", "p99 us", "rate /s", "CPU us", "wake-ups"));
        for (PollingCell cell : cells) {
            PollingCell.Figures f = cell.figures();
            boolean none = cell.whyVoid().isPresent();
            table.line(List.of(
                    String.valueOf(cell.busy()),
                    cell.load(),
                    cell.scheme().text(),
                    none ? cell.whyVoid().orElse("") : text("%.1f", f.p50() / 1e3),
                    none ? "" : text("%.1f", f.p99() / 1e3),
                    none ? "" : text("%.0f", f.rate()),
                    none ? "" : text("%.2f", f.cpuNanos() / 1e3),
                    none ? "" : text("%.2f", f.wakeUps())));
        }
        return table;
    }
}
