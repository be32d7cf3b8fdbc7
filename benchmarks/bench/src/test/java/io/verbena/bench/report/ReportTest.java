package io.verbena.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.compare.Comparison;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Contestant;
import io.verbena.bench.compare.Fixtures;
import io.verbena.bench.compare.Results;
import io.verbena.bench.cores.Tag;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Pace;
import io.verbena.bench.trial.TrialOutcome;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@Timeout(value = 180, unit = TimeUnit.SECONDS)
class ReportTest {
    private final ComparisonRow row = Fixtures.latencyRow("rtt");
    private final ComparisonRow broken = Fixtures.latencyRow("broken");
    private final Results results = new Results(List.of(row, broken));

    @TempDir
    Path directory;

    @BeforeEach
    void measure() {
        add(row, 100, 200);
        add(row, 300, 250);
        add(row, 120, 100);
        results.add(broken, broken.subjects().get(0), Fixtures.of(TrialOutcome.Kind.FAILED, "it died"));
        results.add(broken, broken.references().get(0), Fixtures.of(Figure.P50, 100));
    }

    private void add(ComparisonRow to, double own, double other) {
        results.add(to, to.subjects().get(0), Fixtures.of(Figure.P50, own));
        results.add(to, to.references().get(0), Fixtures.of(Figure.P50, other));
    }

    private static List<String> printed(Consumer<PrintStream> printer) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        printer.accept(new PrintStream(bytes, true, StandardCharsets.UTF_8));
        return bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.replaceAll(" +", " "))
                .toList();
    }

    @Test
    void ratiosAsMarkdown() {
        RatioTable table = new RatioTable(results);
        List<String> lines = printed(table::print);
        assertThat(lines).hasSize(6);
        assertThat(lines.get(0))
                .isEqualTo("| row | path | figure | median (range) | ratio (range) | target | met | slices |");
        assertThat(lines.get(2))
                .isEqualTo("| rtt | ours | p50 | 120 ns (100-300 ns) | 1.20 (0.50-1.20) | <= 1.00 | NO | 3 |");
        assertThat(lines.get(3)).isEqualTo("| | peer | p50 | 200 ns (100-250 ns) | reference | | | 3 |");
        assertThat(lines.get(4)).isEqualTo("| broken | ours | | failed (it died) | | | | |");
        assertThat(table.verdict()).isEqualTo("0 of 1 targets met");
    }

    @Test
    void figuresAsMarkdown() {
        List<String> lines = printed(new FigureTable(results, "what", List.of(Figure.P50, Figure.P99))::print);
        assertThat(lines.get(2)).isEqualTo("| a round trip | ours | 120 ns (100-300 ns) | - | 3 | |");
        assertThat(lines.get(4)).isEqualTo("| a round trip | ours | - | - | | failed (it died) |");
    }

    @Test
    void nearAndFarSideBySide() {
        ComparisonRow tagged = Fixtures.latencyRow("tagged");
        Results both = new Results(List.of(tagged));
        both.add(
                tagged,
                tagged.subjects().get(0),
                Fixtures.measured(List.of(
                        Fixtures.slice(Tag.NEAR, 100, 305),
                        Fixtures.slice(Tag.VOID, 250, 500),
                        Fixtures.slice(Tag.FAR, 460, 809))));
        both.add(
                tagged,
                tagged.references().get(0),
                Fixtures.measured(List.of(Fixtures.slice(Tag.NEAR, 100, 200), Fixtures.slice(Tag.NEAR, 100, 210))));
        List<String> lines = printed(new RatioTable(both)::print);
        assertThat(lines.get(2))
                .isEqualTo("| tagged | ours | p50 | near 305 ns, far 809 ns | near 1.49 | <= 1.00 | NO"
                        + " | 1 near, 1 far, 1 void |");
        assertThat(lines.get(3)).isEqualTo("| | peer | p50 | near 205 ns (200-210 ns) | reference | | | 2 near |");
        assertThat(printed(new LineTable(both)::print))
                .contains("| tagged | ours | 165 ns | 1.40 | 1 near, 1 far |")
                .hasSize(6);
        assertThat(printed(new LineTable(results)::print)).isEmpty();
        ResultsFile.write(
                directory,
                List.of("bench"),
                Instant.EPOCH,
                Machine.here(),
                new Comparison.Schedule(1, new Pace(1, 1), 0, List.of()),
                both);
        JsonNode ours = JsonMapper.shared()
                .readTree(directory.resolve(ResultsFile.NAME).toFile())
                .at("/rows/0/contestants/0");
        assertThat(ours.at("/summary/1/tag").asString()).isEqualTo("far");
        assertThat(ours.at("/line/b").asDouble()).isBetween(1.39, 1.41);
        assertThat(ours.at("/forks/0/slices/1/tag").asString()).isEqualTo("void");
        assertThat(ours.at("/forks/0/slices/2/before").asDouble()).isEqualTo(460);
        assertThat(ours.at("/forks/0/cores").asString()).isEqualTo("none");
    }

    @Test
    void everythingAsJson() {
        Comparison.Schedule schedule = new Comparison.Schedule(3, new Pace(1, 2), 0, List.of(0, 1));
        Machine machine = Machine.here();
        ResultsFile.write(directory, List.of("bench"), Instant.EPOCH, machine, schedule, results);
        JsonNode root =
                JsonMapper.shared().readTree(directory.resolve(ResultsFile.NAME).toFile());
        assertThat(root.at("/machine/processors").asInt()).isPositive();
        assertThat(root.at("/machine/jdk").asString()).startsWith(System.getProperty("java.version"));
        assertThat(root.at("/machine/versions/aeron").asString()).matches("\\d+\\..*");
        assertThat(root.at("/schedule/pace/seconds").asDouble()).isEqualTo(2);
        JsonNode ours = root.at("/rows/0/contestants/0");
        assertThat(ours.at("/setting/path").asString()).isEqualTo("ours");
        assertThat(ours.at("/forks").size()).isEqualTo(3);
        assertThat(ours.at("/forks/1/slices/0/result/values/p50").asDouble()).isEqualTo(300);
        assertThat(ours.at("/forks/1/load").asDouble()).isEqualTo(0.5);
        assertThat(ours.at("/summary/0/figure").asString()).isEqualTo("p50");
        assertThat(ours.at("/summary/0/interval/median").asDouble()).isEqualTo(120);
        assertThat(ours.at("/summary/0/met").asBoolean(true)).isFalse();
        assertThat(root.at("/failures/0").asString()).isEqualTo("broken, ours, round 1: it died");
    }

    @Test
    void plotsAreImages() throws IOException {
        Plots plots = new Plots(results, directory);
        plots.targets();
        plots.rows();
        plots.groups("groups", Figure.P50);
        Curves curves = new Curves(plots);
        curves.sweep("sweep", "bytes", Figure.P50, each -> each.equals(row) ? 8 : 64);
        assertThat(plots.written())
                .extracting(file -> file.getFileName().toString())
                .containsExactly("targets.png", "rtt.png", "broken.png", "groups.png", "sweep.png");
        curves.percentiles();
        for (Path file : plots.written()) {
            BufferedImage image = ImageIO.read(file.toFile());
            assertThat(image.getWidth()).as(file.toString()).isGreaterThanOrEqualTo(1200);
        }
    }

    @Test
    void progressInLinesSaysHowMuchLonger() {
        Contestant ours = row.subjects().get(0);
        List<String> lines = printed(out -> {
            try (LineProgress progress = new LineProgress(out)) {
                progress.begin(row, ours, 2, 3, 10, 200);
                progress.end(row, ours, 2, Fixtures.of(Figure.P50, 412));
                progress.begin(row, ours, 2, 4, 10, 20);
                progress.end(row, ours, 2, Fixtures.of(TrialOutcome.Kind.VOID, "reached 1 of 2"));
            }
        });
        assertThat(lines)
                .containsExactly(
                        "[4/10, 3 min 20 s left] round 2 rtt ours: p50 412 ns",
                        "[5/10, 20 s left] round 2 rtt ours: void, reached 1 of 2");
    }
}
