package io.verbena.bench.command;

import io.verbena.bench.compare.Comparison;
import io.verbena.bench.cores.Cores;
import io.verbena.bench.report.ResultsFile;
import io.verbena.bench.trial.Pace;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much is measured and where the results go: the same options of every command. */
final class RunOptions {
    private static final int DEFAULT_ROUNDS = 5;
    private static final double DEFAULT_SECONDS = 2;
    private static final double WARMUP_SECONDS = 2;

    @Option(names = "--rounds", paramLabel = "<count>", description = "Measurements of each path; default 5.")
    @Nullable
    Integer rounds;

    @Option(
            names = "--seconds",
            paramLabel = "<seconds>",
            description = "How long each takes, in slices of about one; default 2.")
    @Nullable
    Double seconds;

    @Option(
            names = "--warmup",
            paramLabel = "<seconds>",
            description =
                    "How long it warms up before at least, over sockets thrice; until the compilers rest; default 2.")
    @Nullable
    Double warmup;

    @Option(
            names = "--out",
            paramLabel = "<folder>",
            description = "Where results.json and the plots go; default target/bench/<time>.")
    @Nullable
    Path out;

    /** With the defaults of a command that takes its time. */
    Comparison.Schedule schedule() {
        return schedule(DEFAULT_ROUNDS, DEFAULT_SECONDS, 0);
    }

    Comparison.Schedule schedule(int defaultRounds, double defaultSeconds, double limit) {
        return schedule(defaultRounds, defaultSeconds, limit, Cores.pinnable());
    }

    /**
     * Nothing is pinned beside processes that are to take cores away: where threads go then is the system's business.
     */
    Comparison.Schedule unpinned() {
        return schedule(DEFAULT_ROUNDS, DEFAULT_SECONDS, 0, List.of());
    }

    private Comparison.Schedule schedule(int defaultRounds, double defaultSeconds, double limit, List<Integer> cores) {
        return new Comparison.Schedule(
                rounds == null ? defaultRounds : rounds,
                new Pace(warmup == null ? WARMUP_SECONDS : warmup, seconds == null ? defaultSeconds : seconds),
                limit,
                cores);
    }

    /** The folder, made if it was not there. */
    Path folder() {
        return ResultsFile.folder(out, "");
    }
}
