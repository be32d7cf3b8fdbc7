package io.verbena.bench.perftest;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.verification.fabric.LocalTls;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** The options for TLS and a secret: with the same on both sides it measures, with others it refuses and says why. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class SecurityTest {
    private static final List<String> SHORT =
            List.of("append_lat", "--fabric", "tcp", "-n", "200", "--warmup", "0.01", "--timeout", "10");

    @TempDir
    Path directory;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private Path certificate;
    private Path key;

    @BeforeEach
    void files() throws IOException {
        certificate = copy("tls.pem");
        key = copy("tls.key");
    }

    private Path copy(String name) throws IOException {
        Path file = directory.resolve(name);
        try (InputStream in = LocalTls.class.getResourceAsStream(name)) {
            Files.copy(in, file);
        }
        return file;
    }

    private String secret(String name, String text) throws IOException {
        Path file = directory.resolve(name);
        Files.writeString(file, text);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file.toString();
    }

    private List<String> tls() {
        return with(
                "--tls-certificate",
                certificate.toString(),
                "--tls-key",
                key.toString(),
                "--tls-trust",
                certificate.toString());
    }

    private static List<String> with(String... options) {
        List<String> all = new ArrayList<>(SHORT);
        all.addAll(List.of(options));
        return all;
    }

    private int run(List<String> arguments) {
        PrintStream errors = new PrintStream(err, true, StandardCharsets.UTF_8);
        Perftest perftest = new Perftest();
        perftest.printTo(new PrintStream(out, true, StandardCharsets.UTF_8), errors);
        CommandLine command = new CommandLine(perftest);
        command.setErr(new PrintWriter(errors, true, StandardCharsets.UTF_8));
        return command.execute(arguments.toArray(new String[0]));
    }

    private int runClient(List<String> arguments, int port) {
        List<String> all = new ArrayList<>(arguments);
        all.addAll(List.of("-p", String.valueOf(port), "127.0.0.1"));
        return run(all);
    }

    private String errors() {
        return err.toString(StandardCharsets.UTF_8);
    }

    @Test
    void bothSidesWithTls() throws Exception {
        try (ServerProcess server = ServerProcess.start(tls())) {
            assertThat(runClient(tls(), server.port()))
                    .as(errors() + server.output())
                    .isZero();
            assertThat(server.exitCode()).as(server.output()).isZero();
            assertThat(out.toString(StandardCharsets.UTF_8)).contains(" 200 ");
        }
    }

    @Test
    void aClientInClearGetsNothing() throws Exception {
        try (ServerProcess server = ServerProcess.start(tls())) {
            assertThat(runClient(SHORT, server.port())).isEqualTo(1);
            assertThat(server.exitCode()).as(server.output()).isEqualTo(1);
        }
    }

    @Test
    void aServerInClearGetsNothing() throws Exception {
        try (ServerProcess server = ServerProcess.start(SHORT)) {
            assertThat(runClient(tls(), server.port())).isEqualTo(1);
            assertThat(errors()).contains("cannot connect to 127.0.0.1");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "uds"})
    void bothSidesKnowTheSecret(String fabric) throws Exception {
        List<String> arguments = with("--secret-file", secret("secret", "0123456789abcdef01234567"));
        arguments.set(arguments.indexOf("tcp"), fabric);
        try (ServerProcess server = ServerProcess.start(arguments)) {
            assertThat(runClient(arguments, server.port()))
                    .as(errors() + server.output())
                    .isZero();
            assertThat(server.exitCode()).as(server.output()).isZero();
        }
    }

    /** Of what both sides say, nothing is that one has waited for as long as it may. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "uds"})
    void anotherSecretIsRefused(String fabric) throws Exception {
        List<String> one = with("--secret-file", secret("one", "0123456789abcdef01234567"));
        List<String> other = with("--secret-file", secret("other", "76543210fedcba9876543210"));
        for (List<String> each : List.of(one, other)) {
            each.set(each.indexOf("tcp"), fabric);
        }
        try (ServerProcess server = ServerProcess.start(one)) {
            assertThat(runClient(other, server.port())).isEqualTo(1);
            assertThat(errors().lines().filter(line -> line.startsWith("perftest: ")))
                    .singleElement()
                    .asString()
                    .contains("the peer refuses this side's proof; set the same secret on both sides");
            assertThat(server.exitCode()).as(server.output()).isEqualTo(1);
            assertThat(server.output()).contains("the other side gave up: cannot connect to ", "set the same secret");
        }
    }

    @Test
    void itListensElsewhereOnlyWithOneOfThem() throws Exception {
        assertThat(run(with("--bind", "0.0.0.0", "-p", "0"))).isEqualTo(1);
        assertThat(errors()).contains("--tls-certificate", "--secret-file", "--insecure");
        List<String> elsewhere = tls();
        elsewhere.addAll(List.of("--bind", "0.0.0.0"));
        try (ServerProcess server = ServerProcess.start(elsewhere)) {
            assertThat(runClient(tls(), server.port()))
                    .as(errors() + server.output())
                    .isZero();
        }
    }

    @Test
    void whatIsMissingOrNotForThatIsSaid() throws Exception {
        assertThat(run(with("--tls-certificate", certificate.toString()))).isEqualTo(2);
        assertThat(errors()).contains("missing: --tls-key");
        List<String> shm = tls();
        shm.set(shm.indexOf("tcp"), "shm");
        assertThat(run(shm)).isEqualTo(2);
        assertThat(errors()).contains("TLS is for --fabric tcp, not for shm");
        Path open = Files.writeString(directory.resolve("open"), "0123456789abcdef");
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(run(with("--secret-file", open.toString()))).isEqualTo(2);
        assertThat(errors()).contains("chmod 600");
        assertThat(run(with("--secret-file", directory.resolve("none").toString())))
                .isEqualTo(2);
        assertThat(errors()).contains("the secret cannot be read from");
    }
}
