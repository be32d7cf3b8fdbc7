package io.verbena.bench.simulate;

import io.verbena.bench.simulate.AppendPlan.Feature;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code verbena simulate append}: walks many seeds through one append queue, or one again. */
@Command(
        name = "append",
        mixinStandardHelpOptions = true,
        sortOptions = false,
        usageHelpAutoWidth = true,
        description = {
            "Sends messages of any size from random senders to one append queue that is stalled, changed, destroyed and cut",
            "off, whose senders and owner die, and checks all that is taken from it, its memory and its counters.",
            "Many seeds:  verbena simulate append --seeds 10000",
            "One again:   verbena simulate append --seed 4711, with the options that a failure names.",
            "A failing seed is made smaller and its trace written to a file. Ends with 1 if a seed failed, or if something",
            "that belongs to the walk never happened.%n"
        })
final class SimulateAppend implements Callable<Integer> {
    private static final int TRACE_LINES = 200_000;
    private static final int FEW_TRACE_LINES = 256;
    /** Walks from which on everything must have happened. */
    static final int ENOUGH = 200;

    private static final int MOST_REPORTED = 3;

    @Spec
    @Nullable
    CommandSpec spec;

    @Option(names = "--seeds", paramLabel = "<count>", description = "Seeds to walk; default ${DEFAULT-VALUE}.")
    int seeds = 1000;

    @Option(names = "--from", paramLabel = "<seed>", description = "First seed; default ${DEFAULT-VALUE}.")
    long from = 1;

    @Option(
            names = "--threads",
            paramLabel = "<count>",
            description = "Threads, each walks seeds of its own; default 2.")
    int threads = 2;

    @Option(names = "--seed", paramLabel = "<seed>", description = "Walk this seed alone, and write its trace.")
    @Nullable
    Long seed;

    @Option(names = "--steps", paramLabel = "<count>", description = "Steps of a walk; default ${DEFAULT-VALUE}.")
    int steps = AppendPlan.STEPS;

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
            description = "Where traces go; default append-<seed>.trace in the present directory.")
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
            return again(new AppendPlan(one, steps, gaps, off), out);
        }
        AppendTally tally = new AppendTally();
        Walks<AppendPlan> walks = new Walks<>(
                from, seeds, threads, Long.MAX_VALUE, s -> new AppendPlan(s, steps, gaps, off), into(tally));
        walks.run(out);
        tally.print(out, walks.seconds());
        List<AppendPlan> failed = walks.failed();
        for (int i = 0; i < Math.min(MOST_REPORTED, failed.size()); i++) {
            shrink(failed.get(i), out);
        }
        if (!failed.isEmpty()) {
            out.printf(Locale.ROOT, "%d of %d seeds FAILED%n", failed.size(), walks.walked());
            return 1;
        }
        List<String> missing = tally.missing();
        if (walks.walked() >= ENOUGH && off.isEmpty() && !missing.isEmpty()) {
            out.println("FAILED: never happened: " + String.join(", ", missing));
            return 1;
        }
        out.println("no failure");
        return 0;
    }

    /** Walks a plan, and adds up what happened if it passes. */
    static Consumer<AppendPlan> into(AppendTally sum) {
        return plan -> {
            AppendWalk walk = new AppendWalk(plan, FEW_TRACE_LINES);
            walk.run();
            synchronized (sum) {
                sum.add(walk.tally());
            }
        };
    }

    /** Runs a plan; what it failed with, or null. */
    static @Nullable Throwable failure(AppendPlan plan) {
        try {
            new AppendWalk(plan, 1).run();
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

    private int again(AppendPlan plan, PrintStream out) throws IOException {
        out.println("seed " + plan.seed() + ": " + plan);
        Throwable failure = writeTrace(plan, out);
        if (failure == null) {
            out.println("no failure");
            return 0;
        }
        out.println("FAILED: " + firstLine(failure));
        failure.printStackTrace(out);
        return 1;
    }

    private void shrink(AppendPlan plan, PrintStream out) throws IOException {
        Throwable first = failure(plan);
        out.println("seed " + plan.seed() + " FAILED: " + firstLine(first));
        if (first == null) {
            return;
        }
        Shrinker<AppendPlan> shrinker = new Shrinker<>(first, SimulateAppend::failure);
        AppendPlan small = shrinker.shrink(plan);
        out.println("  smaller after " + shrinker.tries() + " tries: " + small);
        Throwable failure = writeTrace(small, out);
        out.println("  fails with: " + firstLine(failure));
        out.println("  again with: " + small.replay());
    }

    /** Runs a plan with its whole trace, and writes that to a file. */
    private @Nullable Throwable writeTrace(AppendPlan plan, PrintStream out) throws IOException {
        AppendWalk walk = null;
        Throwable failure = null;
        try {
            walk = new AppendWalk(plan, TRACE_LINES);
            walk.run();
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        }
        if (walk != null) {
            Path file = trace == null ? Path.of("append-" + plan.seed() + ".trace") : trace;
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
}
