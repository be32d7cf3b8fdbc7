package io.verbena.bench.report;

import io.verbena.bench.Interval;
import io.verbena.bench.compare.Comparison;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Results;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Json;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Everything that a comparison has found, as JSON: {@value #NAME}. Latencies are in nanoseconds, rates a second. */
public final class ResultsFile {
    /** The file's name. */
    public static final String NAME = "results.json";

    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss", Locale.ROOT);

    private ResultsFile() {}

    /**
     * Writes the file.
     *
     * @param directory where
     * @param command as the user typed it
     * @param started when the comparison began
     */
    public static void write(
            Path directory,
            List<String> command,
            Instant started,
            Machine machine,
            Comparison.Schedule schedule,
            Results results) {
        Map<String, Object> root = new LinkedHashMap<>();
        root.put("command", command);
        root.put("started", started.toString());
        root.put("ended", Instant.now().toString());
        root.put("machine", machine);
        root.put("schedule", schedule);
        List<Object> rows = new ArrayList<>();
        results.rows().forEach(row -> rows.add(row(results, row)));
        root.put("rows", rows);
        root.put("failures", results.failures());
        Json.write(directory.resolve(NAME), root);
    }

    /**
     * The folder for results, made if it was not there.
     *
     * @param given by the user; null for one below {@code target/bench}
     * @param prefix of the time, which that one is named after
     */
    public static Path folder(@Nullable Path given, String prefix) {
        String time = LocalDateTime.now(ZoneId.systemDefault()).format(TIME);
        Path folder = given == null ? Path.of("target", "bench", prefix + time) : given;
        try {
            return Files.createDirectories(folder);
        } catch (IOException e) {
            throw new RunException("cannot make the folder " + folder + ": " + e.getMessage(), e);
        }
    }

    private static Map<String, Object> row(Results results, ComparisonRow row) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", row.id());
        map.put("title", row.title());
        map.put(
                "reference",
                row.references().isEmpty() ? "" : row.references().get(0).label());
        List<Object> contestants = new ArrayList<>();
        for (Contestant each : row.contestants()) {
            contestants.add(contestant(results, row, each));
        }
        map.put("contestants", contestants);
        return map;
    }

    private static Map<String, Object> contestant(Results results, ComparisonRow row, Contestant contestant) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("label", contestant.label());
        map.put("setting", contestant.setting());
        List<Object> summary = new ArrayList<>();
        for (Figure figure : row.figures()) {
            for (Tag tag : results.tags(row, contestant)) {
                results.interval(row, contestant, figure, tag)
                        .ifPresent(interval -> summary.add(summary(results, row, contestant, figure, tag, interval)));
            }
        }
        map.put("summary", summary);
        results.fit(row, contestant).ifPresent(fit -> map.put("line", fit));
        map.put("forks", results.outcomes(row, contestant));
        return map;
    }

    private static Map<String, Object> summary(
            Results results, ComparisonRow row, Contestant contestant, Figure figure, Tag tag, Interval interval) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("figure", figure);
        map.put("tag", tag);
        map.put("interval", interval);
        if (!row.references().isEmpty()) {
            Contestant reference = row.references().get(0);
            results.ratio(row, contestant, reference, figure, tag).ifPresent(ratio -> map.put("ratio", ratio));
            contestant.target(figure).ifPresent(target -> {
                map.put("target", target);
                results.compare(row, contestant, reference, figure, List.of(tag), target::compare)
                        .ifPresent(compared -> map.put("met", target.isMet(compared.median())));
            });
        }
        return map;
    }
}
