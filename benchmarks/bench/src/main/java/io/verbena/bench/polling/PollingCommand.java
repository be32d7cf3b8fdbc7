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
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena bench polling}: round trip, rate, CPU and wake-ups of each polling scheme. */
@Command(
        name = "polling",
        description = {
            "Measures messages of 32 bytes there and back between two processes whose nodes poll by",
            "the same scheme: a callback answers, the client waits in Inbox.await. For each scheme, load, and",
            "number of processes that burn a core beside: round trip from when a message was due, rate, processor",
            "time and wake-ups of both processes per round trip. Then the default against the best of each row.",
            "Up to 8 minutes a fabric; Linux.%n"
        })
public final class PollingCommand extends RunCommand {
    private static final List<Load> LOADS = List.of(
            new Load("idle (20/s)", 20),
            new Load("1 k/s", 1_000),
            new Load("100 k/s", 100_000),
            new Load("saturation", EchoClient.SATURATION));
    private static final double TOLERATED = 1.1;

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

    /** Creates the command. */
    public PollingCommand() {
        super("bench polling");
    }

    @Override
    protected int run() {
        if (!Files.isReadable(Path.of("/proc/self/schedstat"))) {
            throw wrong("this system does not count what threads use in /proc/<pid>/task/<tid>/schedstat");
        }
        double each = seconds > 0 ? seconds : quick ? 1 : 4;
        List<Integer> counts = busy.isEmpty() ? (quick ? List.of(0, 1) : List.of(0, 1, 2)) : busy;
        List<SchemeName> chosen = schemes.isEmpty() ? List.of(SchemeName.values()) : schemes;
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
        cells.sort(Comparator.comparingInt(PollingCell::busy)
                .thenComparingInt(cell -> order(cell.load()))
                .thenComparing(PollingCell::scheme));
        table(cells).print(out);
        verdict(cells);
        return 0;
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

    /** The default against the best of each row, in latency and in CPU. */
    private void verdict(List<PollingCell> cells) {
        out.println();
        for (PollingCell own : cells) {
            if (own.scheme() == SchemeName.KVM && own.whyVoid().isEmpty()) {
                List<PollingCell> beside = cells.stream()
                        .filter(cell -> cell.isBeside(own) && cell.whyVoid().isEmpty())
                        .toList();
                out.println(own.busy() + " busy, " + own.load() + ": "
                        + against("round trip", own, beside, PollingCell.Figures::p50) + "; "
                        + against("CPU", own, beside, PollingCell.Figures::cpuNanos));
            }
        }
    }

    private static String against(
            String what, PollingCell own, List<PollingCell> beside, ToDoubleFunction<PollingCell.Figures> figure) {
        Optional<PollingCell> best =
                beside.stream().min(Comparator.comparingDouble(cell -> figure.applyAsDouble(cell.figures())));
        PollingCell first = best.orElse(own);
        double ratio = figure.applyAsDouble(own.figures()) / figure.applyAsDouble(first.figures());
        return text(
                "default's %s %.2f of the best (%s)%s",
                what, ratio, first.scheme().text(), ratio <= TOLERATED ? "" : ", beyond 1.10");
    }
}
