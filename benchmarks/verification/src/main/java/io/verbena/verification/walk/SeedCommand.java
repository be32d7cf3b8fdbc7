package io.verbena.verification.walk;

import io.verbena.nic.sim.SimTrace;
import io.verbena.verification.RunCommand;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * What the commands that walk seeds have in common: many seeds, or one again; a failing one is made smaller, and its
 * trace written.
 *
 * @param <P> what a seed means
 * @param <F> what a seed may mean, and can be left out
 */
public abstract class SeedCommand<P extends Plan<P, F>, F extends Enum<F>> extends RunCommand {
    private static final int TRACE_LINES = 200_000;
    /** Walks from which on everything must have happened. */
    private static final int ENOUGH = 200;

    private static final int MAX_REPORTED = 3;

    /** A walk of a plan. For one thread. */
    public interface SeedWalk {
        /** Runs it; throws what it fails with. */
        void run();

        /** What happened in it. */
        SimTrace trace();
    }

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
    protected int steps;

    @Option(names = "--without", paramLabel = "<steps>", description = "Steps to leave out, for example 3,7-9.")
    String without = "";

    @Option(
            names = "--off",
            split = ",",
            paramLabel = "<feature>",
            description =
                    "Kinds of fault and traffic to leave out; one that is unknown is answered with all there are.")
    List<String> off = List.of();

    @Option(
            names = "--trace",
            paramLabel = "<file>",
            description = "Where traces go; default a file named after the seed, in the present directory.")
    @Nullable
    Path trace;

    private final String prefix;
    private final Class<F> features;

    /**
     * With defaults.
     *
     * @param prefix of the names of traces
     * @param kind of the plans
     */
    protected SeedCommand(String prefix, Plan.Kind<F> kind) {
        super("simulate");
        this.prefix = prefix;
        steps = kind.steps();
        features = kind.features();
    }

    /** What a seed means, under the command's options. */
    protected abstract P plan(long of, BitSet gaps, Set<F> off);

    /** A walk that keeps so many lines of its trace. */
    protected abstract SeedWalk walk(P plan, int traceLines);

    /** Walks a plan, and adds up what happened if it passes. Any thread. */
    protected abstract Consumer<P> into();

    /**
     * Walks a plan, and if it passes hands the walk on. Any thread.
     *
     * @param add takes one walk after the other
     */
    protected static <P, W extends SeedWalk> Consumer<P> adding(Function<P, W> walk, Consumer<W> add) {
        return plan -> {
            W walked = walk.apply(plan);
            walked.run();
            synchronized (add) {
                add.accept(walked);
            }
        };
    }

    /** Prints what has happened. @return what has not, and should have if there were enough walks of every kind */
    protected abstract List<String> report(PrintStream out, double seconds);

    /** What all walks together have left in the process and should not have, or null. */
    @Nullable
    protected String left() {
        return null;
    }

    /** What it means that a seed fails, and passes when it is walked again. */
    protected String unsteady() {
        return "that is a failure of determinism";
    }

    @Override
    protected final int run() throws IOException {
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
        Set<F> leftOut = EnumSet.noneOf(features);
        off.forEach(name -> leftOut.add(feature(name)));
        Long one = seed;
        if (one != null) {
            return again(plan(one, gaps, leftOut), out);
        }
        Walks<P> walks = new Walks<>(from, seeds, threads, limitNanos(), s -> plan(s, gaps, leftOut), into());
        walks.run(out);
        List<String> missing = report(out, walks.seconds());
        List<P> failed = walks.failed();
        for (int i = 0; i < Math.min(MAX_REPORTED, failed.size()); i++) {
            P plan = failed.get(i);
            shrink(plan, walks.failure(plan.seed()), out);
        }
        if (!failed.isEmpty()) {
            out.printf(Locale.ROOT, "%d of %d seeds FAILED%n", failed.size(), walks.walked());
            return 1;
        }
        String left = left();
        if (left != null) {
            out.println("FAILED: left when all is over: " + left);
            return 1;
        }
        if (walks.walked() >= ENOUGH && off.isEmpty() && !missing.isEmpty()) {
            out.println("FAILED: never happened: " + String.join(", ", missing));
            return 1;
        }
        out.println("no failure");
        return 0;
    }

    /** Runs a plan; what it failed with, or null. */
    private @Nullable Throwable failure(P plan) {
        try {
            walk(plan, 1).run();
            return null;
        } catch (RuntimeException | AssertionError e) {
            return e;
        }
    }

    private long limitNanos() {
        String text = timeLimit;
        if (text == null) {
            return Long.MAX_VALUE;
        }
        try {
            String iso = text.toUpperCase(Locale.ROOT);
            return Duration.parse(iso.startsWith("P") ? iso : "PT" + iso).toNanos();
        } catch (DateTimeParseException e) {
            throw wrong("--time-limit \"" + text + "\" is not a duration such as 90s, 10m or 1h30m");
        }
    }

    private int again(P plan, PrintStream out) throws IOException {
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

    private void shrink(P plan, @Nullable Throwable failed, PrintStream out) throws IOException {
        Throwable first = failure(plan);
        out.println("seed " + plan.seed() + " FAILED: " + firstLine(failed));
        if (first == null) {
            out.println("  it passes when it runs again: " + unsteady());
            if (failed != null) {
                failed.printStackTrace(out);
            }
            out.println("  again with: " + plan.replay());
            return;
        }
        Shrinker<P> shrinker = new Shrinker<>(first, this::failure);
        P small = shrinker.shrink(plan);
        out.printf(
                Locale.ROOT,
                "  smaller after %d tries: %d steps of %d, %s%n",
                shrinker.tries(),
                small.stepsLeft(),
                plan.steps(),
                small);
        Throwable failure = writeTrace(small, out);
        out.println("  fails with: " + firstLine(failure));
        out.println("  again with: " + small.replay());
    }

    /** Runs a plan with its whole trace, and writes that to a file. */
    private @Nullable Throwable writeTrace(P plan, PrintStream out) throws IOException {
        SeedWalk walk = null;
        Throwable failure = null;
        try {
            walk = walk(plan, TRACE_LINES);
            walk.run();
        } catch (RuntimeException | AssertionError e) {
            failure = e;
        }
        if (walk != null) {
            Path file = trace == null ? Path.of(prefix + "-" + plan.seed() + ".trace") : trace;
            String text = walk.trace().text() + (failure == null ? "" : failure + "\n");
            Files.writeString(file, text, StandardCharsets.UTF_8);
            out.printf(
                    Locale.ROOT,
                    "  trace of %,d events in %s, hash %016x%n",
                    walk.trace().count(),
                    file,
                    walk.trace().hash());
        }
        return failure;
    }

    private static String firstLine(@Nullable Throwable failure) {
        if (failure == null) {
            return "nothing when it runs again";
        }
        String text = failure.toString();
        int end = text.indexOf('\n');
        return end < 0 ? text : text.substring(0, end);
    }

    /** A kind of fault or traffic, in any case. */
    private F feature(String name) {
        try {
            return Enum.valueOf(features, name.toUpperCase(Locale.ROOT));
        } catch (IllegalArgumentException e) {
            throw wrong("--off \"" + name + "\" is none of " + EnumSet.allOf(features));
        }
    }
}
