package io.verbena.bench.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.bench.compare.Comparison;
import io.verbena.bench.compare.ComparisonPlan;
import io.verbena.bench.compare.ComparisonRow;
import io.verbena.bench.compare.Fixtures;
import io.verbena.bench.cores.CorePair;
import io.verbena.bench.trial.Figure;
import io.verbena.bench.trial.Pace;
import io.verbena.bench.trial.Setting;
import io.verbena.bench.trial.Trial;
import io.verbena.bench.trial.TrialOutcome;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands as a user types them; most with measurements that a test makes up. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class BenchTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<Setting> measured = new ArrayList<>();
    private final List<CorePair> pairs = new ArrayList<>();

    @TempDir
    Path folder;

    private <C extends RowsCommand> C by(Comparison.Meter meter, C command) {
        command.printTo(stream(out), stream(err));
        command.meter = (setting, pace, cores) -> {
            measured.add(setting);
            pairs.add(cores);
            return meter.measure(setting, pace, cores);
        };
        return command;
    }

    private static PrintStream stream(ByteArrayOutputStream bytes) {
        return new PrintStream(bytes, true, StandardCharsets.UTF_8);
    }

    private int run(Object command, String... arguments) {
        return new CommandLine(command)
                .setCaseInsensitiveEnumValuesAllowed(true)
                .setErr(new PrintWriter(err, true, StandardCharsets.UTF_8))
                .execute(arguments);
    }

    private String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    private String err() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private static TrialOutcome fast(Setting setting, Pace pace, CorePair cores) {
        return Fixtures.of(Figure.P50, setting.path().equals("ours") ? 90 : 100);
    }

    @Test
    void rowsAndPathsAreListed() {
        assertThat(run(by(BenchTest::fast, new Bench(ComparisonPlan.rows())), "--list", "--rows", "rtt-32-*"))
                .isZero();
        assertThat(out())
                .contains("rtt-32-shm: 32 B round trip, two processes")
                .contains("verbena-append-shm  (p50 <= 1.00, p99 <= 1.00)")
                .contains("paths: verbena-append-local ")
                .doesNotContain("rate-32-shm");
        assertThat(measured).isEmpty();
    }

    @Test
    void aComparisonEndsInATableJsonAndPlots() {
        List<ComparisonRow> rows = List.of(Fixtures.latencyRow("first"), Fixtures.latencyRow("second"));
        int status =
                run(by(BenchTest::fast, new Bench(rows)), "--rounds", "2", "--seconds", "1", "--out", folder + "/a");
        assertThat(status).as(err()).isZero();
        assertThat(measured)
                .extracting(Setting::path)
                .containsExactly("ours", "peer", "ours", "peer", "peer", "ours", "peer", "ours");
        assertThat(out())
                .contains("2 rows, 4 paths, 2 rounds of 1 s after 2 s to warm up")
                .contains("2 of 2 targets met");
        assertThat(folder.resolve("a")).isDirectoryContaining(file -> file.endsWith("results.json"));
        assertThat(folder.resolve("a")).isDirectoryContaining(file -> file.endsWith("targets.png"));
    }

    @Test
    void whatFailsIsNamedAndTheOthersGoOn() {
        List<ComparisonRow> rows = List.of(Fixtures.latencyRow("first"), Fixtures.latencyRow("second"));
        int[] count = {0};
        Comparison.Meter trial = (setting, pace, cores) ->
                count[0]++ == 0 ? Fixtures.of(TrialOutcome.Kind.FAILED, "it hung") : fast(setting, pace, cores);
        assertThat(run(by(trial, new Bench(rows)), "--rounds", "1", "--out", folder.toString()))
                .isEqualTo(1);
        assertThat(measured).hasSize(4);
        assertThat(out()).contains("failed (it hung)").contains("1 of 1 targets met");
        assertThat(err()).contains("failed: first, ours, round 1: it hung");
    }

    @Test
    void quickDoesNotBeginWhatItCannotEnd() {
        Bench bench = by(BenchTest::fast, new Bench(List.of(Fixtures.latencyRow("row"))));
        assertThat(run(bench, "--quick", "--rows", "row", "--seconds", "300", "--out", folder.toString()))
                .isZero();
        assertThat(measured).isEmpty();
        assertThat(out()).contains("skipped (no time left)");
    }

    @Test
    void voidRunsAreReportedInsteadOfFigures() {
        Comparison.Meter trial = (setting, pace, cores) -> setting.rate() > 1000
                ? Fixtures.of(TrialOutcome.Kind.VOID, "reached 900 /s of 1M/s")
                : Fixtures.of(Figure.P50, 400);
        int status = run(
                by(trial, new LatencyCommand()),
                "--rates",
                "1k,1M",
                "--rounds",
                "1",
                "--out",
                folder.toString(),
                "aeron-ipc");
        assertThat(status).as(err()).isZero();
        assertThat(out().replaceAll(" +", " "))
                .contains("| 1k/s | aeron-ipc | 400 ns | - | - | - | - | 1 | |")
                .contains("| 1M/s | aeron-ipc | - | - | - | - | - | | void (reached 900 /s of 1M/s) |");
        assertThat(folder).isDirectoryContaining(file -> file.endsWith("latency-1k.png"));
    }

    @Test
    void waitingRunsEveryWayWithEveryCountOfBusyProcesses() {
        int status = run(
                by(BenchTest::fast, new WaitingCommand()),
                "--busy",
                "0,2",
                "--idle",
                "spin,default",
                "--rounds",
                "1",
                "--out",
                folder.toString());
        assertThat(status).as(err()).isZero();
        assertThat(measured).hasSize(8);
        assertThat(measured).extracting(Setting::busy).containsExactly(0, 0, 2, 2, 0, 0, 2, 2);
        assertThat(pairs).containsOnly(CorePair.NONE);
        assertThat(out()).contains("| default, 2 busy |").contains("not pinned to cores");
        assertThat(folder).isDirectoryContaining(file -> file.endsWith("waiting-p50.png"));
    }

    @Test
    void sweepsDrawCurves() {
        Comparison.Meter trial = (setting, pace, cores) -> Fixtures.of(Figure.RATE, 1e9 / setting.bytes());
        int status = run(
                by(trial, new SweepCommand()),
                "--over",
                "size",
                "--values",
                "8,64k,16m",
                "--rounds",
                "1",
                "--out",
                folder.toString(),
                "aeron-ipc");
        assertThat(status).as(err()).isZero();
        assertThat(measured).extracting(Setting::bytes).containsExactly(8, 64 << 10, 16 << 20);
        assertThat(folder).isDirectoryContaining(file -> file.endsWith("size-messages.png"));
    }

    @Test
    void quickIsWarmAllTheSame() {
        List<Pace> paces = new ArrayList<>();
        Comparison.Meter trial = (setting, pace, cores) -> {
            paces.add(pace);
            return Fixtures.of(Figure.P50, 100);
        };
        assertThat(run(by(trial, new Bench(ComparisonPlan.rows())), "--quick", "--out", folder.toString()))
                .isZero();
        assertThat(paces).hasSize(2 * 15).containsOnly(new Pace(2, 1));
    }

    @Test
    void twoThreadsAreMeasuredForReal() {
        int status = run(
                by(Trial::run, new CompareCommand()),
                "--threads",
                "--rounds",
                "1",
                "--seconds",
                "0.1",
                "--warmup",
                "0.05",
                "--out",
                folder.toString(),
                "verbena-append-local",
                "jctools-spsc");
        assertThat(status).as(err()).isZero();
        // Whether the slices are void is the machine's and the compilers' business.
        assertThat(out()).contains("| compare | verbena-append-local |").contains("| slices");
        assertThat(Files.exists(folder.resolve("results.json"))).isTrue();
    }

    @Test
    void misuseIsOneLine() {
        assertThat(run(by(BenchTest::fast, new CompareCommand()), "verbena-append-local"))
                .isEqualTo(1);
        assertThat(run(by(BenchTest::fast, new CompareCommand()), "--rounds", "0"))
                .isEqualTo(1);
        assertThat(run(by(BenchTest::fast, new CompareCommand()), "--producers", "2"))
                .isEqualTo(1);
        assertThat(err().lines())
                .containsExactly(
                        "bench: verbena-append-local is a path within one process; add --threads",
                        "bench: rounds 0 < minimum 1",
                        "bench: producers 2 > maximum 1 without --rate");
        assertThat(measured).isEmpty();
    }
}
