package io.verbena.bench.compare;

import io.verbena.bench.BenchException;
import io.verbena.bench.path.PathKind;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code verbena bench compare}: rounds over several paths in turn, and the ratio of their medians to the last one's. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Measures paths side by side: in each round every path once, in processes of its own, both ends spinning;",
            "prints the median of the rounds and its ratio to the last path's.%n"
        })
public final class Compare implements Callable<Integer> {
    private static final int START_SECONDS = 60;

    @Parameters(
            paramLabel = "<path>",
            description = "Paths, the reference last; default: verbena-append-shm aeron-ipc.")
    List<String> paths = new ArrayList<>();

    @Option(
            names = "--rounds",
            paramLabel = "<count>",
            defaultValue = "5",
            description = "Rounds; default ${DEFAULT-VALUE}.")
    int rounds = 5;

    @Option(
            names = "--seconds",
            paramLabel = "<seconds>",
            defaultValue = "2",
            description = "How long each run measures, after half as long to warm up; default ${DEFAULT-VALUE}.")
    int seconds = 2;

    @Option(
            names = "--bytes",
            paramLabel = "<bytes>",
            defaultValue = "32",
            description = "Bytes of a message; default ${DEFAULT-VALUE}.")
    int bytes = 32;

    @Option(names = "--rate", description = "Measure the rate one way instead of round trips.")
    boolean rate;

    @Option(
            names = "--batch",
            paramLabel = "<messages>",
            defaultValue = "1",
            description = "With --rate: messages a doorbell; default ${DEFAULT-VALUE}.")
    int batch = 1;

    @Option(names = "--threads", description = "Two threads of one process instead of two processes.")
    boolean threads;

    private final PrintStream out;
    private final PrintStream err;

    /** Creates a command that prints to the standard streams. */
    public Compare() {
        this(System.out, System.err);
    }

    Compare(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    @Override
    public Integer call() {
        try {
            run();
            return 0;
        } catch (BenchException e) {
            err.println("compare: " + e.getMessage());
            return 1;
        }
    }

    private void run() {
        List<String> names = paths.isEmpty() ? List.of("verbena-append-shm", "aeron-ipc") : paths;
        for (String name : names) {
            PathKind kind = PathKind.of(name);
            if (rate && !kind.isStream()) {
                throw new BenchException(name + " carries one message at a time, it has no rate");
            }
            if (!threads && !kind.isBetweenProcesses()) {
                throw new BenchException(name + " is a path within one process; add --threads");
            }
        }
        atLeastOne("rounds", rounds);
        atLeastOne("seconds", seconds);
        atLeastOne("batch", batch);
        out.printf(
                Locale.ROOT,
                "%d bytes, %s, %s, %d rounds of %d s%n%n",
                bytes,
                rate ? "one way, " + batch + " a doorbell" : "round trip",
                threads ? "two threads of one process" : "two processes",
                rounds,
                seconds);
        List<List<Figures>> runs = new ArrayList<>();
        for (int i = 0; i < names.size(); i++) {
            runs.add(new ArrayList<>());
        }
        for (int round = 1; round <= rounds; round++) {
            for (int i = 0; i < names.size(); i++) {
                Figures figures = runOne(names.get(i));
                runs.get(i).add(figures);
                out.printf(
                        Locale.ROOT,
                        "round %d  %-22s %s%n",
                        round,
                        names.get(i),
                        rate
                                ? String.format(Locale.ROOT, "%8.2f M/s", figures.main())
                                : String.format(
                                        Locale.ROOT, "p50 %8.3f us   p99 %8.3f us", figures.main(), figures.tail()));
                out.flush();
            }
        }
        table(names, runs);
    }

    private static void atLeastOne(String name, int value) {
        if (value < 1) {
            throw new BenchException(name + " " + value + " < minimum 1");
        }
    }

    private Figures runOne(String path) {
        List<String> arguments = new ArrayList<>(List.of(
                "end",
                threads ? EndProcess.THREADS : EndProcess.NEAR,
                "--path",
                path,
                "--bytes",
                String.valueOf(bytes),
                "--seconds",
                String.valueOf(seconds),
                "--batch",
                String.valueOf(batch)));
        if (rate) {
            arguments.add("--rate");
        }
        try (JavaProcess process = new JavaProcess(arguments)) {
            process.await(START_SECONDS + 3L * seconds);
            try (BufferedReader in = process.process().inputReader(StandardCharsets.UTF_8)) {
                String line = in.readLine();
                return Figures.parse(line == null ? "" : line);
            } catch (IOException e) {
                throw new BenchException("cannot read what a run printed: " + e.getMessage(), e);
            }
        }
    }

    private void table(List<String> names, List<List<Figures>> runs) {
        String reference = names.get(names.size() - 1);
        double base = median(runs.get(runs.size() - 1), false);
        out.println();
        out.println(
                rate
                        ? "| path | median | range | ratio to " + reference + " |"
                        : "| path | p50, median | range | p99, median | ratio of p50 to " + reference + " |");
        out.println(rate ? "|---|---|---|---|" : "|---|---|---|---|---|");
        for (int i = 0; i < names.size(); i++) {
            List<Double> sorted = sorted(runs.get(i), false);
            double median = median(runs.get(i), false);
            String unit = rate ? "M/s" : "us";
            String tail = rate ? "" : String.format(Locale.ROOT, " %.3f us |", median(runs.get(i), true));
            out.printf(
                    Locale.ROOT,
                    "| %s | %.3f %s | %.3f-%.3f |%s %.2f |%n",
                    names.get(i),
                    median,
                    unit,
                    sorted.get(0),
                    sorted.get(sorted.size() - 1),
                    tail,
                    median / base);
        }
    }

    private static List<Double> sorted(List<Figures> figures, boolean tail) {
        List<Double> values = new ArrayList<>();
        for (Figures each : figures) {
            values.add(tail ? each.tail() : each.main());
        }
        Collections.sort(values);
        return values;
    }

    private static double median(List<Figures> figures, boolean tail) {
        List<Double> values = sorted(figures, tail);
        int middle = values.size() / 2;
        return values.size() % 2 == 1 ? values.get(middle) : (values.get(middle - 1) + values.get(middle)) / 2;
    }
}
