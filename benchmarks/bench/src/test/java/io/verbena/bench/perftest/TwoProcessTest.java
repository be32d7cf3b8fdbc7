package io.verbena.bench.perftest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The command between two processes: the server in a JVM of its own, the client here. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class TwoProcessTest {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();

    private int runClient(List<String> arguments, int port) {
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        Perftest perftest = new Perftest();
        perftest.printTo(new PrintStream(out, true, StandardCharsets.UTF_8), errors);
        CommandLine command = new CommandLine(perftest);
        command.setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8));
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("-p", String.valueOf(port), "127.0.0.1"));
        return command.execute(all.toArray(new String[0]));
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    private List<String> rows() {
        return out.toString(StandardCharsets.UTF_8)
                .lines()
                .map(line -> line.trim().replaceAll("\\s+", " "))
                .toList();
    }

    @ParameterizedTest
    @CsvSource({
        "shm, send_lat, direct",
        "shm, append_lat, direct",
        "shm, write_bw, direct",
        "shm, read_lat, direct",
        "uds, send_lat, packets",
        "uds, append_lat, packets",
        "uds, write_bw, packets",
        "uds, read_lat, packets",
        "tcp, send_lat, packets",
        "tcp, append_lat, packets",
        "tcp, write_bw, packets",
        "tcp, read_lat, packets",
    })
    void everyFabricCarriesTheTests(String fabric, String test, String path) throws Exception {
        List<String> arguments =
                List.of(test, "--fabric", fabric, "-s", "300", "-n", "200", "--warmup", "0.01", "--timeout", "20");
        try (ServerProcess server = ServerProcess.start(arguments)) {
            int code = runClient(arguments, server.port());

            assertThat(errors()).as(server.output()).isEmpty();
            assertThat(code).isZero();
            assertThat(server.exitCode()).as(server.output()).isZero();
            assertThat(rows()).anyMatch(row -> row.startsWith("300 200 "));
            assertThat(rows()).anyMatch(row -> row.endsWith("Data validation : ON"));
            assertThat(rows()).anyMatch(row -> row.endsWith("Path : " + (test.equals("send_lat") ? "packets" : path)));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shm", "uds", "tcp"})
    void messagesAboveAPacketAndAChunkArrive(String fabric) throws Exception {
        List<String> arguments = List.of(
                "append_bw",
                "--fabric",
                fabric,
                "-s",
                "1500001",
                "-n",
                "6",
                "-t",
                "4",
                "--warmup",
                "0.01",
                "--timeout",
                "20");
        try (ServerProcess server = ServerProcess.start(arguments)) {
            assertThat(runClient(arguments, server.port()))
                    .as("%s %s", errors(), server.output())
                    .isZero();
            assertThat(server.exitCode()).as(server.output()).isZero();
            assertThat(rows()).anyMatch(row -> row.startsWith("1500001 6 "));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "shm, append_bw",
        "shm, send_lat",
        "uds, append_bw",
        "uds, read_lat",
        "tcp, write_bw",
        "tcp, append_lat",
    })
    void aServerThatIsKilledIsOneLineAndStatus1(String fabric, String test) throws Exception {
        List<String> arguments = List.of(test, "--fabric", fabric, "-D", "40", "--warmup", "0.01", "--timeout", "20");
        try (ServerProcess server = ServerProcess.start(arguments)) {
            int port = server.port();
            CompletableFuture<Integer> client = CompletableFuture.supplyAsync(() -> runClient(arguments, port));
            await().atMost(Duration.ofSeconds(40)).until(() -> {
                assertThat(client).as(errors()).isNotDone();
                return out.toString(StandardCharsets.UTF_8).contains("#bytes"); // both ends are connected
            });
            server.kill();
            assertThat(client.get(30, TimeUnit.SECONDS)).isEqualTo(1);
            assertThat(errors().lines())
                    .singleElement()
                    .asString()
                    .contains("the other side closed the control connection");
        }
    }

    @Test
    void aFabricThatDiffersIsNamedAtBothEnds() throws Exception {
        List<String> arguments = List.of("send_lat", "--fabric", "shm", "--timeout", "20");
        try (ServerProcess process = ServerProcess.start(arguments)) {
            int port = process.port();
            List<String> other = List.of("send_lat", "--fabric", "tcp", "--timeout", "20");
            assertThat(runClient(other, port)).isEqualTo(1);
            assertThat(errors()).contains("settings differ: fabric is tcp at the client and shm at the server");
            assertThat(process.exitCode()).isEqualTo(1);
            assertThat(process.output()).contains("settings differ: fabric is shm at the server and tcp at the client");
        }
    }
}
