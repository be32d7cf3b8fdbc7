package io.verbena.verification.simulate;

import io.verbena.verification.simulate.AppendPlan.Feature;
import io.verbena.verification.walk.SeedCommand;
import java.io.PrintStream;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** {@code verbena simulate append}: walks many seeds through one append queue, or one again. */
@Command(
        name = "append",
        description = {
            "Sends messages of any size from random senders to one append queue that "
                    + "is stalled, changed, destroyed and cut",
            "off, whose senders and owner die, and checks all that is taken from it, its memory and its counters.",
            "Many seeds:  verbena simulate append --seeds 10000",
            "One again:   verbena simulate append --seed 4711, with the options that a failure names.",
            "A failing seed is made smaller and its trace written to a file. Ends "
                    + "with 1 if a seed failed, or if something",
            "that belongs to the walk never happened.%n"
        })
final class SimulateAppend extends SeedCommand<AppendPlan, AppendPlan.Feature> {
    private static final int FEW_TRACE_LINES = 256;

    private final AppendTally tally = new AppendTally();

    SimulateAppend() {
        super("append", AppendPlan.KIND);
    }

    @Override
    protected AppendPlan plan(long of, BitSet gaps, Set<Feature> off) {
        return new AppendPlan(of, steps, gaps, off);
    }

    @Override
    protected SeedWalk walk(AppendPlan plan, int traceLines) {
        return new AppendWalk(plan, traceLines);
    }

    @Override
    protected Consumer<AppendPlan> into() {
        return into(tally);
    }

    @Override
    protected List<String> report(PrintStream out, double seconds) {
        tally.print(out, seconds);
        return tally.missing();
    }

    /** Walks a plan, and adds up what happened if it passes. */
    static Consumer<AppendPlan> into(AppendTally sum) {
        return adding(plan -> new AppendWalk(plan, FEW_TRACE_LINES), walk -> sum.add(walk.tally()));
    }
}
