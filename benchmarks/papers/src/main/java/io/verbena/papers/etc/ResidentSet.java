package io.verbena.papers.etc;

import io.verbena.verification.RunException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * What a process has in memory, as the kernel says in {@code /proc/PID/status}. Linux alone.
 *
 * @param total all pages, in bytes ({@code VmRSS})
 * @param anonymous heap, stacks, direct memory ({@code RssAnon})
 * @param shared pages of shared memory files, each mapping of one page by itself ({@code RssShmem})
 */
public record ResidentSet(long total, long anonymous, long shared) {
    private static final int KIB = 1024;

    /** Of this process. */
    public static ResidentSet ofSelf() {
        return of(ProcessHandle.current().pid());
    }

    /**
     * Of a process.
     *
     * @throws RunException if the kernel does not say, or there is no such process
     */
    public static ResidentSet of(long pid) {
        try {
            return parse(Files.readAllLines(Path.of("/proc", String.valueOf(pid), "status"), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new RunException("cannot read the resident set of process " + pid + ": " + e.getMessage(), e);
        }
    }

    /** Reads the text of {@code /proc/PID/status}. */
    static ResidentSet parse(List<String> lines) {
        return new ResidentSet(bytes(lines, "VmRSS:"), bytes(lines, "RssAnon:"), bytes(lines, "RssShmem:"));
    }

    private static long bytes(List<String> lines, String name) {
        for (String line : lines) {
            if (line.startsWith(name)) {
                return Long.parseLong(line.substring(name.length()).trim().split("\\s+")[0]) * KIB;
            }
        }
        throw new RunException("/proc/PID/status has no line " + name);
    }
}
