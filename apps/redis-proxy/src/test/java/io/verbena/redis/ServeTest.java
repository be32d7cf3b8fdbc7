package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.verbena.nic.JvmFlags;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The command line, in a process of its own: what goes wrong is told in one line, and what runs ends when it is told
 * to.
 */
@Timeout(180)
class ServeTest {
    @TempDir
    Path directory;

    private Process start(boolean exports, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (exports) {
            command.addAll(openedModules());
        }
        command.addAll(List.of(
                "-Xshare:auto",
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                Serve.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve("output").toFile());
        // The JVM prints a line of its own when it finds options there.
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"));
        return builder.start();
    }

    private String output() throws IOException {
        return Files.readString(directory.resolve("output"), StandardCharsets.UTF_8);
    }

    /** Runs a command that has to fail; its one line of output. */
    private String failure(boolean exports, String... arguments) throws Exception {
        Process process = start(exports, arguments);
        try {
            assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("it ends").isTrue();
            assertThat(process.exitValue()).isEqualTo(1);
            String said = output().lines()
                    .filter(line -> !line.contains("its process is gone")) // what others have left on this machine
                    .collect(Collectors.joining("\n", "", "\n"));
            assertThat(said.lines()).hasSize(1);
            return said;
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void servesUntilItIsToldToEnd() throws Exception {
        Path config = directory.resolve("verbena.yaml");
        Files.writeString(config, "port: 0\nshards: 3\nmaxmemory: 64mb\nrequirepass: fromfile\n");
        Process process = start(true, "--config", config.toString(), "--requirepass", "secret");
        try {
            Pattern ready = Pattern.compile("ready on 127\\.0\\.0\\.1:(\\d+)");
            Matcher found = ready.matcher("");
            for (int i = 0; i < 300 && !found.find(); i++) {
                TimeUnit.MILLISECONDS.sleep(100);
                found = ready.matcher(output());
            }
            try (RespClient client = new RespClient(Integer.parseInt(found.group(1)))) {
                assertThat(client.command("PING")).isEqualTo("-NOAUTH Authentication required.\r\n");
                assertThat(output())
                        .containsPattern("memory: heap .*, direct .*, of it data 64\\.00M "
                                + "\\(maxmemory; room for .*\\), clients ");
                assertThat(client.command("AUTH", "secret")).isEqualTo("+OK\r\n");
                assertThat(client.command("SET", "k", "v")).isEqualTo("+OK\r\n");
                assertThat(client.command("INFO", "server")).contains("shards:3\r\n");
                assertThat(client.command("CONFIG", "GET", "maxmemory"))
                        .isEqualTo("*2\r\n$9\r\nmaxmemory\r\n$8\r\n67108864\r\n");
                process.destroy();
                assertThat(client.isClosedByServer()).isTrue();
            }
            assertThat(process.waitFor(20, TimeUnit.SECONDS))
                    .as("it ends on SIGTERM")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    @Test
    void aPortInUse() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            assertThat(failure(true, "--port", Integer.toString(taken.getLocalPort())))
                    .startsWith("verbena serve: cannot listen on 127.0.0.1:" + taken.getLocalPort())
                    .contains("choose another port with --port, or stop what uses this one");
        }
    }

    @Test
    void aMissingFlagOfTheJvm() throws Exception {
        assertThat(failure(false, "--port", "0"))
                .isEqualTo("verbena serve: start the JVM with " + JvmFlags.EXPORTS + "\n");
    }

    @Test
    void anAddressThatIsNone() throws Exception {
        // With an empty label it is no name, so no name server is asked.
        assertThat(failure(true, "--port", "0", "--bind", "no..such.host"))
                .contains("the address no..such.host is unknown; give another with --bind");
    }

    @Test
    void moreDataThanTheJvmMayHave() throws Exception {
        assertThat(failure(true, "--port", "0", "--maxmemory", "900gb"))
                .startsWith("verbena serve: maxmemory 900.00G > ")
                .contains("of direct memory leaves for data; lower maxmemory, or start the JVM with"
                        + " -XX:MaxDirectMemorySize=");
    }

    @Test
    void aConfigurationThatIsNotThere() throws Exception {
        assertThat(failure(true, "--config", directory.resolve("none.yaml").toString()))
                .contains("cannot read the configuration")
                .contains("check that it is there and may be read");
    }

    /** What this JVM opens of the JDK's modules, a JVM that it starts needs too. */
    private static List<String> openedModules() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .toList();
    }
}
