package io.verbena.bench.simulate;

import io.verbena.bench.simulate.WalkPlan.Feature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena simulate}: walks many seeds, or one again. */
@Command(
        name = "simulate",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        subcommands = SimulateAppend.class,
        description = {
            "Walks random verbs through simulated NICs under random faults, and checks all that happens against a model.",
            "Many seeds:  verbena simulate --seeds 10000",
            "One again:   verbena simulate --seed 4711, with the options that a failure names.",
            "A failing seed is made smaller and its trace written to a file. Ends with 1 if a seed failed, or if a kind of",
            "fault that belongs to the walk never came.%n"
        })
public final class Simulate implements Callable<Integer> {
    private static final int TRACE_LINES = 200_000;
    private static final int FEW_TRACE_LINES = 512;
    /** Walks from which on every kind of fault must have come. */
    private static final int ENOUGH = 200;

    private static final int MOST_REPORTED = 3;

    @Spec
    @Nullable
    CommandSpec spec;

    @Option(names = "--seeds", paramLabel = "<count>", description = "Seeds to walk; default ${DEFAULT-VALUE}.")
    int seeds = 1000;

    @Option(names = "--from", paramLabel = "<seed>", description = "First seed; default ${DEFAULT-VALUE}.")
    long from = 1;

    @Option(names = "--time-limit", paramLabel = "<duration>", description = "Stop after so long, for example 10m.")
    @Nullable
    String timeLimit;

    @Option(
            names = "--threads",
            paramLabel = "<count>",
            description = "Threads, each walks seeds of its own; default 2.")
    int threads = 2;

    @Option(names = "--seed", paramLabel = "<seed>", description = "Walk this seed alone, and write its trace.")
    @Nullable
    Long seed;

    @Option(names = "--steps", paramLabel = "<count>", description = "Steps of a walk; default ${DEFAULT-VALUE}.")
    int steps = WalkPlan.STEPS;

    @Option(names = "--without", paramLabel = "<steps>", description = "Steps to leave out, for example 3,7-9.")
    String without = "";

    @Option(
            names = "--off",
            split = ",",
            paramLabel = "<feature>",
            converter = FeatureConverter.class,
            description = "Leave out kinds of fault and traffic, for example crashes,direct.")
    Set<Feature> off = EnumSet.noneOf(Feature.class);

    @Option(
            names = "--trace",
            paramLabel = "<file>",
            description = "Where traces go; default simulate-<seed>.trace in the present directory.")
    @Nullable
    Path trace;

    @Override
    public Integer call() throws IOException {
        if (seeds < 1 || steps < 0 || threads < 1) {
            throw wrong("--seeds " + seeds + ", --steps " + steps + " and --threads " + threads
                    + " must be at least 1, 0 and 1");
        }
        BitSet gaps;
        try {
            gaps = Ranges.parse(without);
        } catch (IllegalArgumentException e) {
            throw wrong(String.valueOf(e.getMessage()));
        }
        PrintStream out = System.out;
        Long one = seed;
        if (one != null) {
            return again(new WalkPlan(one, steps, gaps, off), out);
        }
        Tally tally = new Tally();
        Walks<WalkPlan> walks =
                new Walks<>(from, seeds, threads, limitNanos(), s -> new WalkPlan(s, steps, gaps, off), into(tally));
        walks.run(out);
        WalkReport report = new WalkReport(tally, walks.seconds());
        report.print(out);
        List<WalkPlan> failed = walks.failed();
        for (int i = 0; i < Math.min(MOST_REPORTED, failed.size()); i++) {
            shrink(failed.get(i), out);
        }
        if (!failed.isEmpty()) {
            out.printf(Locale.ROOT, "%d of %d seeds FAILED%n", failed.size(), walks.walked());
            return 1;
        }
        List<String> missing = report.missing();
        if (walks.walked() >= ENOUGH && off.isEmpty() && !missing.isEmpty()) {
            out.println("FAILED: never happened: " + String.join(", ", missing));
            return 1;
        }
        out.println("no failure");
        return 0;
    }

    /** Walks a plan, and adds up what happened if it passes. */
    static Consumer<WalkPlan> into(Tally sum) {
        return plan -> {
            Walk walk = new Walk(plan, FEW_TRACE_LINES);
            walk.run();
            synchronized (sum) {
                sum.add(walk.tally());
            }
        };
    }

    /** Runs a plan; what it failed with, or null. */
    private static @Nullable Throwable failure(WalkPlan plan) {
        try {
            new Walk(plan, 1).run();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e;
        }
    }

    private ParameterException wrong(String message) {
        CommandSpec present = spec;
        if (present == null) {
            throw new IllegalArgumentException(message);
        }
        return new ParameterException(present.commandLine(), message);
    }

    private long limitNanos() {
        String text = timeLimit;
        if (text == null) {
            return Long.MAX_VALUE;
        }
        try {
            String iso = text.toUpperCase(Locale.ROOT);
            return Duration.parse(iso.startsWith("P") ? iso : "PT" + iso).toNanos();
        } catch (java.time.format.DateTimeParseException e) {
            throw wrong("--time-limit \"" + text + "\" is not a duration such as 90s, 10m or 1h30m");
        }
    }

    private int again(WalkPlan plan, PrintStream out) throws IOException {
        out.println("seed " + plan.seed + ": " + plan);
        Throwable failure = writeTrace(plan, out);
        if (failure == null) {
            out.println("no failure");
            return 0;
        }
        out.println("FAILED: " + firstLine(failure));
        failure.printStackTrace(out);
        return 1;
    }

    private void shrink(WalkPlan plan, PrintStream out) throws IOException {
        Throwable first = failure(plan);
        out.println("seed " + plan.seed + " FAILED: " + firstLine(first));
        if (first == null) {
            return;
        }
        Shrinker<WalkPlan> shrinker = new Shrinker<>(first, Simulate::failure);
        WalkPlan small = shrinker.shrink(plan);
        out.printf(
                Locale.ROOT,
                "  smaller after %d tries: %d steps of %d, %s%n",
                shrinker.tries(),
                small.steps - small.without.cardinality(),
                plan.steps,
                small);
        Throwable failure = writeTrace(small, out);
        out.println("  fails with: " + firstLine(failure));
        out.println("  again with: " + small.replay());
    }

    /** Runs a plan with its whole trace, and writes that to a file. */
    private @Nullable Throwable writeTrace(WalkPlan plan, PrintStream out) throws IOException {
        Walk walk = null;
        Throwable failure = null;
        try {
            walk = new Walk(plan, TRACE_LINES);
            walk.run();
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        }
        if (walk != null) {
            Path file = trace == null ? Path.of("simulate-" + plan.seed + ".trace") : trace;
            String text = walk.simulation().trace().text() + (failure == null ? "" : failure + "\n");
            Files.writeString(file, text, StandardCharsets.UTF_8);
            out.printf(
                    Locale.ROOT,
                    "  trace of %,d events in %s, hash %016x%n",
                    walk.simulation().trace().count(),
                    file,
                    walk.simulation().trace().hash());
        }
        return failure;
    }

    private static String firstLine(@Nullable Throwable failure) {
        if (failure == null) {
            return "nothing (it passes when it runs again: that is a failure of determinism)";
        }
        String text = failure.toString();
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    /** Reads a feature in any case. */
    static final class FeatureConverter implements CommandLine.ITypeConverter<Feature> {
        @Override
        public Feature convert(String value) {
            try {
                return Feature.valueOf(value.toUpperCase(Locale.ROOT));
            } catch (IllegalArgumentException e) {
                throw new CommandLine.TypeConversionException(
                        "\"" + value + "\" is none of " + EnumSet.allOf(Feature.class));
            }
        }
    }

    /** Time between two lines of progress. */
    static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(5);
}
