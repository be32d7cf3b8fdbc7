package io.verbena.bench.trial;

import io.verbena.Inbox;
import io.verbena.Node;
import io.verbena.NodeContext;
import io.verbena.verification.RunException;
import io.verbena.verification.Waits;
import io.verbena.verification.fabric.SocketDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * What a process with a node takes that does nothing: a node in the default mode that listens on tcp, uds and shm and
 * has an inbox, against a JVM of the same options that only sleeps. Linux alone: the figures are those of
 * {@code /proc}.
 */
public final class IdleProcess {
    /** A node that listens. */
    public static final String NODE = "idle-node";

    /** A JVM without one. */
    public static final String EMPTY = "empty-jvm";

    /** Processor time is counted in hundredths of a second: shorter would not see one percent. */
    private static final long MIN_SECONDS = 2;

    private static final double TICKS_PER_SECOND = 100; // USER_HZ, what /proc counts in on every Linux
    private static final long START_SECONDS = 60;

    /**
     * What a process took.
     *
     * @param residentBytes proportional set size: pages that are shared count in part
     * @param processorShare of one processor, 1 is all of it
     */
    public record Taken(long residentBytes, double processorShare) {}

    private IdleProcess() {}

    static Optional<String> whyNot(String name) {
        if (!name.equals(NODE) && !name.equals(EMPTY)) {
            return Optional.of("no idle process '" + name + "'");
        }
        return Files.isReadable(Path.of("/proc/self/smaps_rollup"))
                ? Optional.empty()
                : Optional.of("this system has no /proc/<pid>/smaps_rollup");
    }

    /** {@link Measure#IDLE}: what a process takes that does nothing. */
    static Figures measure(String name, Pace pace) {
        Taken taken = measure(name, Math.max(MIN_SECONDS, Math.round(2 * pace.seconds())));
        return new Figures(
                Map.of(Figure.PROCESSOR, taken.processorShare(), Figure.MEMORY, (double) taken.residentBytes()),
                List.of(),
                0);
    }

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

    /**
     * Measures one.
     *
     * @param what {@link #NODE} or {@link #EMPTY}
     */
    public static Taken measure(String what, long seconds) {
        try (JavaProcess child = new JavaProcess(IdleProcess.class.getName(), List.of(what), null)) {
            Process process = child.process();
            Taken taken = measure(process, seconds);
            process.getOutputStream().close();
            child.await(START_SECONDS);
            return taken;
        } catch (IOException e) {
            throw new RunException("cannot measure an idle process: " + e.getMessage(), e);
        } catch (InterruptedException e) {
            throw Waits.interrupted(e);
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
        return new Taken(resident, more / TICKS_PER_SECOND / elapsed);
    }

    /** User and system time in the text of {@code /proc/PID/stat}, whose second field is anything in parentheses. */
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
