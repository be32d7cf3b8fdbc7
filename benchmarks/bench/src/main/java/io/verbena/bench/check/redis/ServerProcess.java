package io.verbena.bench.check.redis;

import io.verbena.bench.trial.JvmOptions;
import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A server of the check's own: {@code verbena serve} in a JVM of its own, on any free port. */
final class ServerProcess implements AutoCloseable {
    private static final Pattern READY = Pattern.compile("ready on ([^ ]+):(\\d+) ");
    private static final int START_SECONDS = 60;
    private static final int STOP_SECONDS = 15;
    private static final int SHOWN_LINES = 40;
    private static final int TERMINATED = 143;

    private final Process process;
    private final Path log;
    private final int port;

    /**
     * Starts one and waits until it listens.
     *
     * @param jvm options of the JVM
     * @param options of the server
     */
    ServerProcess(List<String> jvm, List<String> options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmOptions.ofModules());
        if (jvm.stream().noneMatch(each -> each.startsWith("-XX:+Use") && each.endsWith("GC"))) {
            command.add("-XX:+UseSerialGC");
        }
        command.addAll(jvm);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), ServerMain.class.getName(), "--port", "0"));
        command.addAll(options);
        log = Files.createTempFile("verbena-check-redis-", ".log");
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        int found = 0;
        try {
            found = awaitPort();
        } finally {
            if (found == 0) {
                close();
            }
        }
        port = found;
    }

    private int awaitPort() throws IOException, InterruptedException {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (System.nanoTime() - until < 0) {
            Matcher matcher = READY.matcher(text());
            if (matcher.find()) {
                return Integer.parseInt(matcher.group(2));
            }
            if (process.waitFor(50, TimeUnit.MILLISECONDS)) {
                throw new RunException("the server ended with status " + process.exitValue() + ": " + tail());
            }
        }
        throw new RunException("the server does not listen after " + START_SECONDS + " s: " + tail());
    }

    int port() {
        return port;
    }

    long pid() {
        return process.pid();
    }

    /** What is wrong with it by now, or null. */
    @Nullable
    String trouble() {
        return process.isAlive()
                ? null
                : "the server ended by itself with status " + process.exitValue() + ":\n" + tail();
    }

    /** Ends it in order; what was wrong with that or in its log, or null. */
    @Nullable
    String end() throws IOException, InterruptedException {
        String wrong = trouble();
        if (wrong != null) {
            return wrong;
        }
        // Process.destroy would close its standard input as well, by which it knows that its parent is gone.
        process.toHandle().destroy();
        if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
            return "the server has not ended " + STOP_SECONDS + " s after SIGTERM";
        }
        if (process.exitValue() != TERMINATED && process.exitValue() != 0) {
            return "after SIGTERM the server ended with status " + process.exitValue() + ":\n" + tail();
        }
        return errors();
    }

    /** The errors in its log, or null. */
    @Nullable
    String errors() throws IOException {
        List<String> lines = text().lines().toList();
        int first = -1;
        int count = 0;
        for (int i = 0; i < lines.size(); i++) {
            if (isError(lines.get(i))) {
                first = first < 0 ? i : first;
                count++;
            }
        }
        return count == 0
                ? null
                : "the server logged " + count + " errors, at first\n  "
                        + String.join("\n  ", lines.subList(first, Math.min(lines.size(), first + SHOWN_LINES)));
    }

    private static boolean isError(String line) {
        return line.contains(" ERROR ") || line.contains("OutOfMemoryError") || line.startsWith("Exception in thread");
    }

    private String text() throws IOException {
        return Files.readString(log, StandardCharsets.ISO_8859_1);
    }

    private String tail() {
        try (Stream<String> lines = text().lines()) {
            List<String> all = lines.toList();
            return String.join("\n", all.subList(Math.max(0, all.size() - SHOWN_LINES), all.size()));
        } catch (IOException e) {
            return "its log cannot be read: " + e.getMessage();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
        try {
            Files.deleteIfExists(log);
        } catch (IOException e) {
            throw new RunException("cannot delete " + log + ": " + e.getMessage(), e);
        }
    }
}
