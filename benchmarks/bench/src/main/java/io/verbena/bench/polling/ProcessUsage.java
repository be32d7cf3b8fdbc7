package io.verbena.bench.polling;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;

/**
 * What the threads of some processes have taken, as Linux counts it: processor time ({@code schedstat}) and voluntary
 * context switches ({@code status}), each of which is a sleep and, but for the last, a wake-up. A difference is of the
 * threads that lived at its end: one that has ended meanwhile is not in it.
 */
final class ProcessUsage {
    private static final String SWITCHES = "voluntary_ctxt_switches:";

    /**
     * What threads have taken.
     *
     * @param cpuNanos time on a processor
     * @param sleeps voluntary context switches
     */
    record Taken(long cpuNanos, long sleeps) {
        private static final Taken NOTHING = new Taken(0, 0);
    }

    private final Map<String, Taken> threads = new HashMap<>();

    private ProcessUsage() {}

    /** Of these processes together, now. */
    static ProcessUsage of(long... pids) {
        ProcessUsage usage = new ProcessUsage();
        for (long pid : pids) {
            try (DirectoryStream<Path> threads =
                    Files.newDirectoryStream(Path.of("/proc", String.valueOf(pid), "task"))) {
                for (Path thread : threads) {
                    try {
                        usage.threads.put(
                                thread.toString(),
                                new Taken(cpuNanos(text(thread, "schedstat")), sleeps(text(thread, "status"))));
                    } catch (NoSuchFileException e) {
                        continue; // it has ended since the folder was read
                    }
                }
            } catch (IOException e) {
                throw new RunException("cannot read what process " + pid + " has used: " + e.getMessage(), e);
            }
        }
        return usage;
    }

    private static String text(Path thread, String file) throws IOException {
        return Files.readString(thread.resolve(file), StandardCharsets.UTF_8);
    }

    static long cpuNanos(String schedstat) {
        return Long.parseLong(schedstat.strip().split(" ", -1)[0]);
    }

    static long sleeps(String status) {
        for (String line : status.split("\n", -1)) {
            if (line.startsWith(SWITCHES)) {
                return Long.parseLong(line.substring(SWITCHES.length()).strip());
            }
        }
        throw new RunException("no line " + SWITCHES + " in a thread's status");
    }

    /** What was taken between then and now. */
    Taken since(ProcessUsage then) {
        long cpu = 0;
        long sleeps = 0;
        for (Map.Entry<String, Taken> each : threads.entrySet()) {
            Taken before = then.threads.getOrDefault(each.getKey(), Taken.NOTHING);
            cpu += each.getValue().cpuNanos - before.cpuNanos;
            sleeps += each.getValue().sleeps - before.sleeps;
        }
        return new Taken(cpu, sleeps);
    }
}
