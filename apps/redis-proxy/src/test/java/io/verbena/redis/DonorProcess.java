package io.verbena.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** {@code verbena donate} in a process of its own, which is killed at the end of the test. */
final class DonorProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready on (\\S+): lends ");
    private static final long SECONDS = 60;

    private final Process process;
    private final String address;

    private DonorProcess(Process process, String address) {
        this.process = process;
        this.address = address;
    }

    /** Starts a donor that listens at one address. */
    static DonorProcess start(String... arguments) throws Exception {
        Process process = launch(Donate.class, arguments);
        boolean isReady = false;
        try {
            Matcher ready = READY.matcher("");
            while (!ready.find()) {
                String line = line(process);
                assertThat(line).as("it gets ready").isNotEqualTo("null");
                ready = READY.matcher(line);
            }
            isReady = true;
            return new DonorProcess(process, ready.group(1));
        } finally {
            if (!isReady) {
                process.destroyForcibly();
            }
        }
    }

    /** Runs a command that has to fail; the last line of its output. */
    static String failure(String... arguments) throws Exception {
        Process process = launch(Donate.class, arguments);
        try {
            assertThat(process.waitFor(SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            assertThat(process.exitValue()).as(output).isEqualTo(1);
            return output.substring(output.lastIndexOf('\n', output.length() - 2) + 1);
        } finally {
            process.destroyForcibly();
        }
    }

    static Process launch(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:MaxDirectMemorySize=512m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(each -> each.startsWith("--"))
                .forEach(command::add);
        command.addAll(List.of(
                "-Dlogback.configurationFile=logback.xml",
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS"));
        return builder.start();
    }

    /** The next line that a process writes. */
    static String line(Process process) throws Exception {
        BufferedReader output = process.inputReader(StandardCharsets.UTF_8);
        return CompletableFuture.supplyAsync(() -> {
                    try {
                        return String.valueOf(output.readLine());
                    } catch (IOException e) {
                        return e.toString();
                    }
                })
                .get(SECONDS, TimeUnit.SECONDS);
    }

    String address() {
        return address;
    }

    /** SIGKILL. */
    void kill() {
        process.destroyForcibly();
    }

    /** Sends a signal, such as {@code -STOP}. */
    void signal(String signal) throws Exception {
        Process kill = new ProcessBuilder("kill", signal, Long.toString(process.pid())).start();
        assertThat(kill.waitFor(SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    /** SIGTERM. @return whether it has ended */
    boolean terminate() throws InterruptedException {
        process.destroy();
        return process.waitFor(SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(SECONDS, TimeUnit.SECONDS);
    }
}
