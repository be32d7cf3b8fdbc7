package io.verbena.bench.check;

import picocli.CommandLine.Option;

/** What all checks have in common on the command line. */
public class CheckOptions {
    @Option(
            names = "--seconds",
            paramLabel = "<number>",
            defaultValue = "30",
            description = "Length of the load; default ${DEFAULT-VALUE}.")
    private double seconds;

    @Option(names = "--seed", paramLabel = "<number>", description = "What the run draws from; default: the clock.")
    private long seed = System.nanoTime() & 0xFFFF_FFFFL;

    @Option(names = "--threads", paramLabel = "<count>", description = "Client threads; default ${DEFAULT-VALUE}.")
    private int threads = 2;

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
        return seed;
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
