package io.verbena.papers.etc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Three processes on shared memory; what comes is counted, how fast is not looked at. */
@EnabledOnOs(OS.LINUX)
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class EtcRunTest {
    private static final int MIN = 200;
    private static final long MIB = 1 << 20;

    @TempDir
    Path folder;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int run(String... arguments) {
        EtcRun command = new EtcRun();
        command.printTo(
                new PrintStream(out, true, StandardCharsets.UTF_8), new PrintStream(err, true, StandardCharsets.UTF_8));
        return new CommandLine(command).execute(arguments);
    }

    private void checkWith(String scheme) throws IOException {
        int status = run(
                "--seconds", "1",
                "--stall-every", "0.5",
                "--rate", "3000",
                "--largest-one-in", "300",
                "--cap", "16",
                "--schemes", scheme,
                "--out", folder.toString());
        assertThat(status).as("%s%n%s", out, err).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8)).contains("0 lost, 0 duplicated, 0 torn, 0 reordered");
        JsonNode report = JsonMapper.shared()
                .readTree(folder.resolve(EtcReport.FILE).toFile())
                .get("schemes")
                .get(0);
        assertThat(report.get("scheme").asString()).isEqualTo(scheme);
        assertThat(report.get("sent").asLong()).isGreaterThan(MIN);
        assertThat(report.get("received").asLong()).isEqualTo(report.get("sent").asLong());
        assertThat(report.get("held").asLong()).isBetween(MIB, 16 * MIB);
        assertThat(report.get("stalls").size()).isEqualTo(2);
        assertThat(report.get("curve").size()).isPositive();
        assertThat(Files.size(folder.resolve("etc-resident.png"))).isPositive();
    }

    @Test
    void anAppendQueueLosesNothing() throws IOException {
        checkWith("append");
    }

    @Test
    void oneSharedReceiveQueueLosesNothing() throws IOException {
        checkWith("srq");
    }

    @Test
    void sharedReceiveQueuesBySizeLoseNothing() throws IOException {
        checkWith("srq-tuned");
    }

    /**
     * Whether somebody dies in the middle of a message is chance; what is acknowledged has to come whatever happens.
     */
    @Test
    void sendersThatAreKilledHoldUpNobody() throws IOException {
        int status = run(
                "--seconds", "7",
                "--stall-every", "4",
                "--rate", "3000",
                "--largest-one-in", "300",
                "--cap", "32",
                "--kill", "1",
                "--out", folder.toString());
        assertThat(status).as("%s%n%s", out, err).isZero();
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("0 lost, 0 duplicated, 0 torn, 0 reordered")
                .contains("processes killed");
        JsonNode schemes = JsonMapper.shared()
                .readTree(folder.resolve(EtcReport.FILE).toFile())
                .get("schemes");
        assertThat(schemes.size()).isEqualTo(1);
        JsonNode report = schemes.get(0);
        assertThat(report.get("scheme").asString()).isEqualTo("append");
        assertThat(report.get("sent").asLong()).isGreaterThan(MIN);
        assertThat(report.get("received").asLong())
                .isGreaterThanOrEqualTo(report.get("sent").asLong());
        JsonNode kills = report.get("kills");
        assertThat(kills.get("count").asInt()).isBetween(1, 7);
        assertThat(kills.get("longestNanos").asLong()).isPositive();
        assertThat(kills.get("inTime").asBoolean()).isTrue();
    }

    @Test
    void whatCannotBeRunIsRefused() {
        assertThat(run("--schemes", "mailbox")).isEqualTo(1);
        assertThat(run("--cap", "7")).isEqualTo(1);
        assertThat(run("--stall-every", "1", "--stall-millis", "501")).isEqualTo(1);
        assertThat(run("--kill", "1", "--schemes", "srq")).isEqualTo(1);
        assertThat(run("--kill", "9", "--seconds", "10")).isEqualTo(1);
        assertThat(err.toString(StandardCharsets.UTF_8))
                .contains("unknown scheme 'mailbox', expected append, srq, srq-tuned")
                .contains("--cap")
                .contains("stalls of 501 ms")
                .contains("--kill 1.0 with scheme srq")
                .contains("--kill 9.0 > 8.0");
    }
}
