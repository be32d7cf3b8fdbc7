package io.verbena.bench.check;

import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What all checks have in common on the command line. */
public final class CheckOptions {
    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            defaultValue = "30",
            description = "Length of the load; default ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(names = "--seed", paramLabel = "<number>", description = "What the run draws from; default: the clock.")
    private @Nullable Long seed;

    @Option(
            names = "--threads",
            paramLabel = "<count>",
            defaultValue = "2",
            description = "Client threads; default ${DEFAULT-VALUE}.")
    private int threads;

    @Option(
            names = "--stall",
            paramLabel = "<seconds>",
            defaultValue = "30",
            description = "How long nothing may go on where something is due; default ${DEFAULT-VALUE}.")
    private double stall;

    /** Length of the load. */
    public double seconds() {
        return seconds;
    }

    /** What the run draws from: what was given, or another number each time. */
    public long seed() {
        return seed != null ? seed : System.nanoTime() & 0xFFFF_FFFFL;
    }

    /** Client threads. */
    public int threads() {
        return threads;
    }

    /** Seconds for which nothing may go on where something is due. */
    public double stallSeconds() {
        return stall;
    }
}
