package io.verbena.bench.command;

import io.verbena.bench.compare.Comparison;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Progress;
import io.verbena.bench.compare.Results;
import io.verbena.bench.cores.Cores;
import io.verbena.bench.report.BarProgress;
import io.verbena.bench.report.LineProgress;
import io.verbena.bench.report.LineTable;
import io.verbena.bench.report.Machine;
import io.verbena.bench.report.Plots;
import io.verbena.bench.report.ResultsFile;
import io.verbena.bench.trial.Pace;
import io.verbena.bench.trial.Trial;
import io.verbena.bench.trial.TrialOutcome;
import io.verbena.verification.RunCommand;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Consumer;

/** A command that measures rows: with progress, saves what came out, prints tables, and says what failed. */
abstract class RowsCommand extends RunCommand {
    /** Columns of the terminal that the error stream goes to; not set if it goes to none. */
    private static final String COLUMNS = "verbena.columns";

    /** Measures a path; in JVMs of its own, unless told otherwise. */
    Comparison.Meter meter = Trial::run;

    RowsCommand() {
        super("bench");
    }

    /**
     * Measures, saves and prints.
     *
     * @param command as the user typed it
     * @param table prints the results
     * @param draw makes the plots
     * @return the exit status: 1 if something died, hung or mismatched
     */
    final int measure(
            List<String> command,
            RunOptions options,
            Comparison.Schedule schedule,
            List<ComparisonRow> rows,
            Consumer<Results> table,
            Consumer<Plots> draw) {
        Machine machine = Machine.here();
        Path directory = options.folder();
        Instant started = Instant.now();
        Results results = new Results(rows);
        introduce(machine, schedule, rows);
        try (Progress progress = new SavingProgress(progress(schedule, rows), () -> {
            ResultsFile.write(directory, command, started, machine, schedule, results);
        })) {
            new Comparison(schedule, meter).run(results, progress);
        }
        ResultsFile.write(directory, command, started, machine, schedule, results);
        table.accept(results);
        new LineTable(results).print(out);
        Plots plots = new Plots(results, directory);
        String noPlots = "";
        try {
            draw.accept(plots);
        } catch (RuntimeException e) { // the figures are saved, and worth more than a picture
            noPlots = "; no plots: " + e.getMessage();
        }
        out.println();
        out.println("saved: " + directory.resolve(ResultsFile.NAME) + " and "
                + plots.written().size() + " plots" + noPlots);
        List<String> failures = results.failures();
        failures.forEach(line -> err.println("failed: " + line));
        return failures.isEmpty() ? 0 : 1;
    }

    private void introduce(Machine machine, Comparison.Schedule schedule, List<ComparisonRow> rows) {
        Pace pace = schedule.pace();
        int paths = rows.stream().mapToInt(row -> row.contestants().size()).sum();
        out.println(machine.text());
        out.println(text(
                "%d rows, %d paths, %d rounds of %s s after %s s to warm up; each in fresh JVMs",
                rows.size(), paths, schedule.rounds(), trimmed(pace.seconds()), trimmed(pace.warmupSeconds())));
        out.println(pinning(schedule));
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        if (load > machine.processors() / 2.0) {
            out.println(text(
                    "the machine is busy (load %.1f on %d processors): the figures will say so",
                    load, machine.processors()));
        }
        out.println();
        out.flush();
    }

    private static String pinning(Comparison.Schedule schedule) {
        List<Integer> cores = schedule.cores();
        return cores.isEmpty()
                ? "not pinned to cores"
                        + Cores.whyNot().map(reason -> ": " + reason).orElse("")
                : "both ends pinned to two of the cores " + cores + ", a round to other ones, for all paths alike";
    }

    private static String trimmed(double seconds) {
        return seconds == Math.rint(seconds) ? String.valueOf((long) seconds) : String.valueOf(seconds);
    }

    private Progress progress(Comparison.Schedule schedule, List<ComparisonRow> rows) {
        int total = schedule.rounds()
                * rows.stream().mapToInt(row -> row.contestants().size()).sum();
        Integer columns = Integer.getInteger(COLUMNS);
        return columns == null ? new LineProgress(err) : new BarProgress(err, columns, total);
    }

    /** Saves after each measurement, so that a run that is stopped has left what it knew. */
    private record SavingProgress(Progress shown, Runnable save) implements Progress {
        @Override
        public void begin(
                ComparisonRow row, Contestant contestant, int round, int done, int total, double secondsLeft) {
            shown.begin(row, contestant, round, done, total, secondsLeft);
        }

        @Override
        public void end(ComparisonRow row, Contestant contestant, int round, TrialOutcome outcome) {
            shown.end(row, contestant, round, outcome);
            save.run();
        }

        @Override
        public void close() {
            shown.close();
        }
    }
}
