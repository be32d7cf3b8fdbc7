package io.verbena.bench.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command as a user runs it, both ends in this process. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class PerftestTest {
    private static final String LATENCY_COLUMNS =
            "#bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec]"
                    + " t_stdev[usec] 99% percentile[usec] 99.9% percentile[usec] line[nsec] cores";
    private static final String BANDWIDTH_COLUMNS =
            "#bytes #iterations BW peak[MiB/sec] BW average[MiB/sec] MsgRate[Mpps] line[nsec] cores";

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... args) {
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        Perftest perftest = new Perftest();
        perftest.printTo(new PrintStream(out, true, StandardCharsets.UTF_8), errors);
        CommandLine command = new CommandLine(perftest);
        command.setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8));
        return command.execute(args);
    }

    private List<String> lines() {
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.trim().replaceAll("\\s+", " "))
                .toList();
    }

    @ParameterizedTest
    @EnumSource
    void everyTestPrintsItsTable(TestKind kind) {
        int code = run(kind.commandName(), "--fabric", "local", "-s", "100", "-n", "300", "-F", "--warmup", "0.01");

        assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
        assertThat(code).isZero();
        List<String> lines = lines();
        int head = lines.indexOf(kind.isLatency() ? LATENCY_COLUMNS : BANDWIDTH_COLUMNS);
        assertThat(head).as("%s", lines).isPositive();
        assertThat(lines.get(head + 1)).startsWith("100 300 ");
        assertThat(lines.get(head + 1).split(" ")).hasSize(kind.isLatency() ? 11 : 7);
        assertThat(lines.get(head + 1)).matches(".* (- -|\\d+ (near|far|void))");
        assertThat(lines).anyMatch(line -> line.endsWith("Data validation : ON"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_bw", "write_bw", "read_bw", "append_bw"})
    void streamsShareQueuePairs(String test) {
        assertThat(run(test, "--fabric", "local", "-s", "1000", "-n", "500", "-q", "3", "-t", "16", "--warmup", "0.01"))
                .as("%s", err)
                .isZero();
        assertThat(lines()).anyMatch(line -> line.startsWith("1000 500 "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"send_lat", "append_lat", "append_bw", "read_bw", "write_lat"})
    void messagesAboveAChunkAndAPacketArrive(String test) {
        assertThat(run(test, "--fabric", "local", "-s", "1500001", "-n", "7", "--warmup", "0.01"))
                .as("%s", err)
                .isZero();
        assertThat(lines()).anyMatch(line -> line.startsWith("1500001 7 "));
    }

    @ParameterizedTest
    @ValueSource(strings = {"assisted", "thread"})
    void otherModesOfTheEngineServeToo(String mode) {
        for (String test : List.of("send_lat", "append_bw", "read_lat")) {
            assertThat(run(test, "--fabric", "local", "-n", "50", "--warmup", "0.01", "--mode", mode))
                    .as("%s %s", test, err)
                    .isZero();
        }
    }

    @Test
    void durationBoundsARun() {
        assertThat(run("write_lat", "--fabric", "local", "-D", "1", "--warmup", "0.01"))
                .as("%s", err)
                .isZero();
        String row = lines().stream()
                .filter(line -> line.startsWith("2 "))
                .findFirst()
                .orElseThrow();
        assertThat(Integer.parseInt(row.split(" ")[1])).isPositive();
    }

    @Test
    void misuseNamesBothValues() {
        assertThat(run("send_lat", "--fabric", "local", "-q", "2")).isNotZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("one queue pair, not on 2");
        err.reset();
        assertThat(run("send_bw", "--fabric", "local", "-s", "0")).isNotZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("size 0 outside 1..");
        err.reset();
        assertThat(run("sent_bw")).isNotZero();
        assertThat(err.toString(StandardCharsets.UTF_8)).contains("unknown test 'sent_bw'");
    }

    @Test
    void noServerIsOneLineThatSaysWhatToDo() {
        assertThat(run("send_lat", "127.0.0.1", "-p", "1")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8).lines())
                .singleElement()
                .asString()
                .contains("127.0.0.1:1")
                .contains("start the server first");
    }
}
