package io.verbena.bench.perftest;

import io.verbena.bench.trial.ChildMain;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.agrona.IoUtil;

/** A perftest server in a JVM of its own, on a free port; ended with {@link #close}. */
final class ServerProcess implements AutoCloseable {
    private static final String PORT = " Port: ";

    private final Process process;
    private final Path directory; // for its temporary files, which a process that is killed leaves behind
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Integer> port = new ArrayBlockingQueue<>(1);

    private final Thread reader;

    private ServerProcess(Process process, Path directory) {
        this.process = process;
        this.directory = directory;
        this.reader = new Thread(this::read, "server-output");
        reader.setDaemon(true);
        reader.start();
    }

    static ServerProcess start(List<String> arguments) throws IOException {
        Path directory = Files.createTempDirectory("perftest-");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-exports=java.base/jdk.internal.misc=ALL-UNNAMED",
                "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED",
                "--enable-native-access=ALL-UNNAMED",
                "-XX:TieredStopAtLevel=1",
                "-Djava.io.tmpdir=" + directory,
                "-cp",
                System.getProperty("java.class.path"),
                ChildMain.class.getName(),
                Perftest.class.getName()));
        command.addAll(arguments);
        command.addAll(List.of("-p", "0"));
        return new ServerProcess(
                new ProcessBuilder(command).redirectErrorStream(true).start(), directory);
    }

    private void read() {
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                lines.add(line);
                if (line.startsWith(PORT)) {
                    port.add(Integer.parseInt(line.substring(PORT.length())));
                }
            }
        } catch (IOException e) {
            lines.add(e.toString());
        }
    }

    /** The control connection's port, as soon as the server listens. */
    int port() throws InterruptedException {
        Integer known = port.poll(30, TimeUnit.SECONDS);
        if (known == null) {
            throw new AssertionError("the server does not listen: " + lines);
        }
        return known;
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Waits for the end, and for all that it has printed. @return the exit code */
    int exitCode() throws InterruptedException {
        if (!process.waitFor(30, TimeUnit.SECONDS)) {
            throw new AssertionError("the server does not end: " + lines);
        }
        reader.join(TimeUnit.SECONDS.toMillis(30));
        return process.exitValue();
    }

    /** What it has printed, to both streams. */
    String output() {
        return String.join("\n", lines);
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
        IoUtil.delete(directory.toFile(), true);
    }
}
