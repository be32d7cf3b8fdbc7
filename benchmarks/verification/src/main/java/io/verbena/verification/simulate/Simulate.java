package io.verbena.verification.simulate;

import io.verbena.verification.simulate.WalkPlan.Feature;
import io.verbena.verification.walk.SeedCommand;
import java.io.PrintStream;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** {@code verbena simulate}: walks many seeds, or one again. */
@Command(
        name = "simulate",
        subcommands = SimulateAppend.class,
        description = {
            "Walks random verbs through simulated NICs under random faults, and "
                    + "checks all that happens against a model.",
            "Many seeds:  verbena simulate --seeds 10000",
            "One again:   verbena simulate --seed 4711, with the options that a failure names.",
            "A failing seed is made smaller and its trace written to a file. Ends "
                    + "with 1 if a seed failed, or if a kind of",
            "fault that belongs to the walk never came.%n"
        })
public final class Simulate extends SeedCommand<WalkPlan, WalkPlan.Feature> {
    private static final int FEW_TRACE_LINES = 512;

    private final WalkTally tally = new WalkTally();

    /** With the defaults of all options. */
    public Simulate() {
        super("simulate", WalkPlan.KIND);
    }

    @Override
    protected WalkPlan plan(long of, BitSet gaps, Set<Feature> off) {
        return new WalkPlan(of, steps, gaps, off);
    }

    @Override
    protected SeedWalk walk(WalkPlan plan, int traceLines) {
        return new Walk(plan, traceLines);
    }

    @Override
    protected Consumer<WalkPlan> into() {
        return into(tally);
    }

    @Override
    protected List<String> report(PrintStream out, double seconds) {
        WalkReport report = new WalkReport(tally, seconds);
        report.print(out);
        return report.missing();
    }

    /** Walks a plan, and adds up what happened if it passes. */
    static Consumer<WalkPlan> into(WalkTally sum) {
        return adding(plan -> new Walk(plan, FEW_TRACE_LINES), walk -> sum.add(walk.tally()));
    }
}
