package io.verbena.bench.scale;

import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.verification.RunException;
import io.verbena.verification.fabric.SocketDirectory;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * What a process with a node takes that does nothing: a node in the default mode that listens on tcp, uds and shm and has an
 * inbox, against a JVM of the same options that only sleeps. Linux alone: the figures are those of {@code /proc}.
 */
public final class IdleNode {
    private static final String EMPTY = "empty";
    private static final String NODE = "node";
    private static final double TICKS_A_SECOND = 100; // USER_HZ, what /proc counts in on every Linux
    private static final long START_SECONDS = 60;

    /**
     * What a process took.
     *
     * @param residentBytes proportional set size: pages that are shared count in part
     * @param processorShare of one processor, 1 is all of it
     */
    public record Taken(long residentBytes, double processorShare) {}

    private IdleNode() {}

    /** The process that is measured: says that it is ready, and goes when its input ends. */
    public static void main(String[] args) throws IOException {
        if (args.length == 1 && args[0].equals(NODE)) {
            try (SocketDirectory directory = new SocketDirectory();
                    Node node = Node.launch(new NodeContext()
                            .listen("tcp://127.0.0.1:0")
                            .listen("uds:" + directory.socket())
                            .listen("shm:bench-idle-" + ProcessHandle.current().pid()));
                    Inbox inbox = node.openInbox("idle")) {
                if (inbox.isEmpty()) {
                    sleep();
                }
            }
        } else {
            sleep();
        }
    }

    private static void sleep() throws IOException {
        System.out.write('\n');
        System.out.flush();
        while (System.in.read() >= 0) {
            // until the parent closes it
        }
    }

    /** Measures an empty JVM. */
    public static Taken ofEmpty(long seconds) {
        return measure(EMPTY, seconds);
    }

    /** Measures a node. */
    public static Taken ofNode(long seconds) {
        return measure(NODE, seconds);
    }

    private static Taken measure(String what, long seconds) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (!option.startsWith("-javaagent") && !option.startsWith("-agentlib")) {
                command.add(option);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), IdleNode.class.getName(), what));
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new RunException("cannot start " + command.get(0) + ": " + e.getMessage(), e);
        }
        try {
            return measure(process, seconds);
        } catch (IOException e) {
            throw new RunException("cannot measure process " + process.pid() + ": " + e.getMessage(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RunException("interrupted", e);
        } finally {
            end(process);
        }
    }

    private static void end(Process process) {
        try {
            process.getOutputStream().close();
            if (!process.waitFor(START_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (IOException e) {
            process.destroyForcibly();
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private static Taken measure(Process process, long seconds) throws IOException, InterruptedException {
        if (process.getInputStream().read() < 0) {
            throw new IOException("it ended before it was ready");
        }
        TimeUnit.SECONDS.sleep(1); // what a JVM does after its start
        Path proc = Path.of("/proc", String.valueOf(process.pid()));
        long begin = System.nanoTime();
        long ticks = ticks(Files.readString(proc.resolve("stat"), StandardCharsets.UTF_8));
        TimeUnit.SECONDS.sleep(seconds);
        long more = ticks(Files.readString(proc.resolve("stat"), StandardCharsets.UTF_8)) - ticks;
        double elapsed = (System.nanoTime() - begin) / 1e9;
        long resident = proportionalSetSize(Files.readAllLines(proc.resolve("smaps_rollup"), StandardCharsets.UTF_8));
        return new Taken(resident, more / TICKS_A_SECOND / elapsed);
    }

    /** User and system time in the text of {@code /proc/PID/stat}, whose second field may hold anything in parentheses. */
    static long ticks(String stat) {
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return Long.parseLong(fields[11]) + Long.parseLong(fields[12]); // 14 and 15 of the line
    }

    /** Bytes of the line "Pss" in {@code /proc/PID/smaps_rollup}. */
    static long proportionalSetSize(List<String> lines) {
        for (String line : lines) {
            if (line.startsWith("Pss:")) {
                String[] words = line.trim().split("\\s+");
                return Long.parseLong(words[1]) * 1024;
            }
        }
        throw new RunException("smaps_rollup has no line Pss");
    }
}
