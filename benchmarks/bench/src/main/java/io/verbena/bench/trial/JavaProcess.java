package io.verbena.bench.trial;

import io.verbena.bench.path.Rendezvous;
import io.verbena.bench.path.WaitLimit;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Another JVM like this one, for one command: the same options, class path and log level. It is ended by {@link #close}
 * at the latest.
 */
public final class JavaProcess implements AutoCloseable {
    private static final String LOG_LEVEL = "VERBENA_LOG_LEVEL";

    private static final int END_SECONDS = 30;

    private final Process process;

    /**
     * Starts one whose error stream is this one's.
     *
     * @param type of the command; {@link ChildMain} runs it
     * @param arguments of the command
     */
    public JavaProcess(Class<? extends Callable<Integer>> type, List<String> arguments) {
        this(type, arguments, null);
    }

    /**
     * Starts one whose error stream is this one's, by another program and with more options.
     *
     * @param launcher a command that executes the one that follows it in its own place; may be empty
     * @param options of the JVM beside those of this one, which they override
     * @param type of the command; {@link ChildMain} runs it
     * @param arguments of the command
     */
    public JavaProcess(
            List<String> launcher,
            List<String> options,
            Class<? extends Callable<Integer>> type,
            List<String> arguments) {
        this(launcher, options, ChildMain.class.getName(), childArguments(type, arguments), null);
    }

    /** Starts one whose error stream goes to a file. */
    JavaProcess(Class<? extends Callable<Integer>> type, List<String> arguments, @Nullable Path errors) {
        this(ChildMain.class.getName(), childArguments(type, arguments), errors);
    }

    /** Starts one with a main class of its own. */
    JavaProcess(String main, List<String> arguments, @Nullable Path errors) {
        this(List.of(), List.of(), main, arguments, errors);
    }

    private JavaProcess(
            List<String> launcher, List<String> options, String main, List<String> arguments, @Nullable Path errors) {
        List<String> command = new ArrayList<>(launcher);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JvmOptions.inherited());
        String level = System.getProperty(LOG_LEVEL);
        if (level != null) {
            command.add("-D" + LOG_LEVEL + "=" + level);
        }
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main));
        command.addAll(arguments);
        try {
            process = new ProcessBuilder(command)
                    .redirectError(
                            errors == null
                                    ? ProcessBuilder.Redirect.INHERIT
                                    : ProcessBuilder.Redirect.to(errors.toFile()))
                    .start();
        } catch (IOException e) {
            throw new RunException("cannot start " + command.get(0) + ": " + e.getMessage(), e);
        }
    }

    private static List<String> childArguments(Class<? extends Callable<Integer>> type, List<String> arguments) {
        return Stream.concat(Stream.of(type.getName()), arguments.stream()).toList();
    }

    /** The process. */
    public Process process() {
        return process;
    }

    /**
     * Waits for the end, and for what the process has told as its result.
     *
     * @param seconds that it may take
     */
    public <R> R result(Class<R> type, double seconds) {
        Rendezvous lines = Rendezvous.withChild(process);
        await(seconds);
        R result = null;
        WaitLimit deadline = WaitLimit.ofSeconds(END_SECONDS, "end of the lines of process " + process.pid());
        while (!lines.isOver()) {
            String line = lines.heard();
            if (line != null && line.startsWith(ChildCommand.RESULT)) {
                result = Json.parse(line.substring(ChildCommand.RESULT.length()), type);
            }
            deadline.run();
        }
        if (result == null) {
            throw new RunException("process " + process.pid() + " ended without a result");
        }
        return result;
    }

    /** Waits for the end; a status other than 0 ends the measurement. */
    public void await(double seconds) {
        if (!Waits.end(process, seconds)) {
            throw new RunException(
                    "process " + process.pid() + " has not ended within " + (long) Math.ceil(seconds) + " s");
        }
        if (process.exitValue() != 0) {
            throw new RunException("process " + process.pid() + " ended with status " + process.exitValue());
        }
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
