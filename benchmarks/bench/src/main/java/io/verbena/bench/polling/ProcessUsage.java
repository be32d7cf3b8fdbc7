package io.verbena.bench.polling;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * What the threads of some processes have taken, as Linux counts it: processor time ({@code schedstat}) and voluntary
 * context switches ({@code status}), each of which is a sleep and, but for the last, a wake-up. Threads that have ended
 * are not counted, so that a difference is of those that lived throughout.
 *
 * @param cpuNanos time on a processor
 * @param sleeps voluntary context switches
 */
record ProcessUsage(long cpuNanos, long sleeps) {
    private static final String SWITCHES = "voluntary_ctxt_switches:";

    /** Of these processes together, now. */
    static ProcessUsage of(long... pids) {
        long cpu = 0;
        long sleeps = 0;
        for (long pid : pids) {
            try (DirectoryStream<Path> threads =
                    Files.newDirectoryStream(Path.of("/proc", String.valueOf(pid), "task"))) {
                for (Path thread : threads) {
                    try {
                        cpu += cpuNanos(text(thread, "schedstat"));
                        sleeps += sleeps(text(thread, "status"));
                    } catch (NoSuchFileException e) {
                        continue; // it has ended since the folder was read
                    }
                }
            } catch (IOException e) {
                throw new RunException("cannot read what process " + pid + " has used: " + e.getMessage(), e);
            }
        }
        return new ProcessUsage(cpu, sleeps);
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

    ProcessUsage since(ProcessUsage before) {
        return new ProcessUsage(cpuNanos - before.cpuNanos, sleeps - before.sleeps);
    }
}
