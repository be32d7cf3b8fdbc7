package io.verbena.bench.check.nodes;

import io.verbena.bench.check.nodes.NodePlan.Feature;
import io.verbena.verification.walk.SeedCommand;
import java.io.PrintStream;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code verbena simulate nodes}: walks many seeds over nodes of this process, or one again. */
@Command(
        name = "nodes",
        description = {
            "Lets nodes of this process connect to each other, send, call, operate on "
                    + "each other's memory, stand still, close",
            "and come back, in any order, and checks every message, call, operation and end.",
            "Many seeds:  verbena simulate nodes --seeds 10000",
            "One again:   verbena simulate nodes --seed 4711, with the options that a failure names.",
            "A failing seed is made smaller and its trace written to a file. Ends "
                    + "with 1 if a seed failed, or if something",
            "that belongs to the walk never happened. The walk drives the nodes in a "
                    + "time that it makes, so that a seed does the",
            "same each time; with --real they have threads, and a failure may not come again.%n"
        })
public final class SimulateNodes extends SeedCommand<NodePlan, NodePlan.Feature> {
    private static final int FEW_TRACE_LINES = 256;

    @Option(
            names = "--real",
            description = "Nodes have threads of their own, and shared memory and sockets between them.")
    boolean real;

    private final NodeTally tally = new NodeTally();
    private final NodeLeftovers before = NodeLeftovers.now();

    /** With the defaults of all options. */
    public SimulateNodes() {
        super("nodes", NodePlan.KIND);
    }

    @Override
    protected NodePlan plan(long of, BitSet gaps, Set<Feature> off) {
        return new NodePlan(of, steps, gaps, off, real);
    }

    @Override
    protected SeedWalk walk(NodePlan plan, int traceLines) {
        return new NodeWalk(plan, traceLines);
    }

    @Override
    protected Consumer<NodePlan> into() {
        return into(tally);
    }

    @Override
    protected List<String> report(PrintStream out, double seconds) {
        tally.print(out, seconds);
        return tally.missing(real);
    }

    @Override
    @Nullable
    protected String left() {
        return before.since();
    }

    @Override
    protected String unsteady() {
        return real ? "it depends on times, or on threads" : super.unsteady();
    }

    /** Walks a plan, and adds up what happened if it passes. */
    static Consumer<NodePlan> into(NodeTally sum) {
        return adding(plan -> new NodeWalk(plan, FEW_TRACE_LINES), walk -> sum.add(walk.tally()));
    }
}
