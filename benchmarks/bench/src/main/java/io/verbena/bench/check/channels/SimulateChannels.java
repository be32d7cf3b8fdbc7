package io.verbena.bench.check.channels;

import io.verbena.verification.walk.SeedCommand;
import java.io.PrintStream;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import picocli.CommandLine.Command;

/** {@code verbena simulate channels}: walks many seeds over channels that share queue pairs, or one again. */
@Command(
        name = "channels",
        description = {
            "Lets up to 1,000 channels share queue pairs to the inboxes of a peer, over simulated "
                    + "links that lose, repeat and",
            "reorder packets, break and are cut. Some channels are guilty: they send with a wrong "
                    + "key or too long a message, or",
            "to an inbox that is closed or that nobody reads; some close in the midst, and nodes "
                    + "crash. Checks that every",
            "message of every other channel comes once, whole and in order, and that each guilty "
                    + "one ends with its own reason.",
            "Many seeds:  verbena simulate channels --seeds 10000",
            "One again:   verbena simulate channels --seed 4711, with the options that a failure names.",
            "A failing seed is made smaller and its trace written to a file. Ends "
                    + "with 1 if a seed failed, or if something",
            "that belongs to the walk never happened.%n"
        })
public final class SimulateChannels extends SeedCommand<ChannelPlan, ChannelPlan.Feature> {
    private static final int FEW_TRACE_LINES = 256;

    private final ChannelTally tally = new ChannelTally();

    /** With the defaults of all options. */
    public SimulateChannels() {
        super("channels", ChannelPlan.KIND);
    }

    @Override
    protected ChannelPlan plan(long of, BitSet gaps, Set<ChannelPlan.Feature> off) {
        return new ChannelPlan(of, steps, gaps, off);
    }

    @Override
    protected SeedWalk walk(ChannelPlan plan, int traceLines) {
        return new ChannelWalk(plan, traceLines);
    }

    @Override
    protected Consumer<ChannelPlan> into() {
        return into(tally);
    }

    @Override
    protected List<String> report(PrintStream out, double seconds) {
        tally.print(out, seconds);
        return tally.missing();
    }

    /** Walks a plan, and adds up what happened if it passes. */
    static Consumer<ChannelPlan> into(ChannelTally sum) {
        return adding(plan -> new ChannelWalk(plan, FEW_TRACE_LINES), walk -> sum.add(walk.tally()));
    }
}
