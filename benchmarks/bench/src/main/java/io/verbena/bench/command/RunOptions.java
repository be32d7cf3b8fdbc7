package io.verbena.bench.command;

import io.verbena.bench.compare.Comparison;
import io.verbena.bench.trial.Pace;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much is measured and where the results go: the same options of every command. */
final class RunOptions {
    private static final double WARMUP_SECONDS = 2;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    @Option(names = "--rounds", paramLabel = "<count>", description = "Measurements of each path; default 5.")
    @Nullable
    Integer rounds;

    @Option(names = "--seconds", paramLabel = "<seconds>", description = "How long each takes; default 2.")
    @Nullable
    Double seconds;

    @Option(names = "--warmup", paramLabel = "<seconds>", description = "How long it warms up before; default 2.")
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
        return schedule(5, 2, WARMUP_SECONDS, 0);
    }

    Comparison.Schedule schedule(int defaultRounds, double defaultSeconds, double defaultWarmup, double limit) {
        return new Comparison.Schedule(
                rounds == null ? defaultRounds : rounds,
                new Pace(warmup == null ? defaultWarmup : warmup, seconds == null ? defaultSeconds : seconds),
                limit);
    }

    /** The folder, made if it was not there. */
    Path folder() {
        Path folder = out == null
                ? Path.of(
                        "target",
                        "bench",
                        LocalDateTime.now(ZoneId.systemDefault()).format(TIME))
                : out;
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new RunException("cannot make the folder " + folder + ": " + e.getMessage(), e);
        }
    }
}
